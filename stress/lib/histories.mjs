/** The logs of all writers become the history of every text: when it may have been there, and when it must have been. */

import { readFileSync } from 'node:fs'

/** Lines of a log; the last may be cut, where its writer was killed. */
export function readLog(path) {
  let text = ''
  try {
    text = readFileSync(path, 'utf8')
  } catch {
    return []
  }
  return text.split('\n').flatMap((line) => {
    try {
      return [JSON.parse(line)]
    } catch {
      return []
    }
  })
}

/**
 * What the log of one writer says must be there: what was acknowledged, without what it had begun to change.
 * @returns records (id → body), gone (ids that were deleted or purged), links, facts, sessions, and bodies of whole imports.
 */
export function mustHold(lines) {
  const held = {
    records: new Map(),
    gone: new Set(),
    links: [],
    facts: [],
    sessions: [],
    imported: [],
  }
  let open = null
  for (const line of lines) {
    if (line.kind === 'begin') open = line
    else {
      open = null
      acknowledge(held, line)
    }
  }
  // What it was about when it was killed may be done or not.
  if (open?.id !== undefined && open.op !== 'session') {
    held.records.delete(open.id)
    held.gone.delete(open.id)
  }
  return held
}

function acknowledge(held, line) {
  for (const [id, body] of line.records ?? []) held.records.set(id, body)
  switch (line.op) {
    case 'delete':
    case 'purge':
      held.records.delete(line.id)
      held.gone.add(line.id)
      break
    case 'restore':
      held.records.set(line.id, line.was)
      held.gone.delete(line.id)
      break
    case 'link':
      held.links.push([line.from, line.to])
      break
    case 'fact':
      held.facts.push([line.record, line.fact])
      break
    case 'session':
      held.sessions.push(line.id)
      break
    case 'import':
      held.imported.push(...line.bodies)
      break
  }
}

/**
 * For every text: from when it may be seen, when it was surely there, from when it may be hidden, when it surely was.
 * Times are null where that never happened; a text that was put back is never surely hidden.
 */
export function historiesOf(logs) {
  const texts = new Map()
  for (const lines of logs) {
    for (const line of lines) {
      const at = BigInt(line.at)
      const isBegun = line.kind === 'begin'
      for (const body of line.bodies ?? []) {
        const known = texts.get(body) ?? { begun: at, there: null, leaving: null, gone: null }
        if (!isBegun) known.there = at
        texts.set(body, known)
      }
      const before = line.was === undefined ? undefined : texts.get(line.was)
      if (before === undefined) continue
      if (line.op === 'restore')
        Object.assign(before, { leaving: before.leaving ?? at, gone: null })
      else if (isBegun) before.leaving ??= at
      else before.gone = at
    }
  }
  return texts
}
