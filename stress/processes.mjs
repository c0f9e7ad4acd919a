/** Four processes write, four search, any of them is killed at any moment, and nothing acknowledged is lost. */

import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { createChance } from './lib/chance.mjs'
import { expectSound, expectStored } from './lib/checks.mjs'
import { LIBRARY, pause, startChild } from './lib/children.mjs'
import { historiesOf, mustHold, readLog } from './lib/histories.mjs'

export const about =
  'four processes write and four search one file, and any of them is killed at any moment'
export const seconds = 60
export const tell = ({
  kills,
  writersKilled,
  writes,
  import: imports,
  searches,
  searchesForOneText,
}) =>
  `${kills} kills (${writersKilled} of writers), ${writes} acknowledged writes, ${imports ?? 0} of them imports, ${searches} searches (${searchesForOneText} for one text), an examination after each kill`

const WRITERS = 4
const SEARCHERS = 4
const PAUSE_MS = { shortest: 150, longest: 900 }

export async function run({ seconds: lasting, seed, folder, problem }) {
  const { openCairn } = await import(LIBRARY)
  const file = join(folder, 'shared.cairn')
  const chance = createChance(seed)
  const cairn = await openCairn({ file, busyTimeoutMs: 30_000 })
  let started = 0
  const start = (kind) => {
    const name = `${kind === 'writer' ? 'w' : 's'}${started}`
    const log = join(folder, `${kind}-${started}.log`)
    const task = { file, log, name, folder, seed: seed + started }
    started += 1
    return { kind, log, ...startChild(kind, task) }
  }
  const running = [
    ...Array.from({ length: WRITERS }, () => start('writer')),
    ...Array.from({ length: SEARCHERS }, () => start('searcher')),
  ]
  const figures = { kills: 0, writersKilled: 0 }
  while (!running.every(isAtWork)) await pause(50)
  const until = performance.now() + lasting * 1000
  let checkedMs = 0
  const hasWritten = () => logsOf(folder, 'writer-').some((log) => log.some(isDone))
  // On a busy machine the first write may take longer than a short run lasts.
  while (performance.now() < until || !hasWritten()) {
    // FTS5 compares index and records as a write: who checks without a pause keeps everyone from writing.
    await pause(Math.max(checkedMs, chance.between(PAUSE_MS.shortest, PAUSE_MS.longest)))
    const victim = chance.pick([...running.keys()].filter((i) => isAtWork(running[i])))
    if (victim === undefined) continue
    const { kind, log } = running[victim]
    await kill(running[victim], problem)
    figures.kills += 1
    if (kind === 'writer') figures.writersKilled += 1
    running[victim] = start(kind)
    const when = `after kill ${figures.kills} (a ${kind})`
    const begun = performance.now()
    await expectSound(cairn, when, problem)
    checkedMs = performance.now() - begun
    if (kind === 'writer') await expectHeld(cairn, mustHold(readLog(log)), when, problem)
  }
  for (const each of running) await kill(each, problem)
  const logs = logsOf(folder, 'writer-')
  for (const lines of logs) await expectHeld(cairn, mustHold(lines), 'at the end', problem)
  await expectImports(cairn, logs, problem)
  await expectSound(cairn, 'at the end', problem)
  const searches = logsOf(folder, 'searcher-').flat()
  judgeSearches(searches, historiesOf(logs), problem)
  const { records } = await cairn.stats()
  await cairn.close()
  if (figures.kills === 0 || searches.length === 0) problem('nobody was killed, or nobody searched')
  const acknowledged = logs.flat().filter(isDone)
  return {
    ...figures,
    writes: acknowledged.length,
    ...countBy(acknowledged, 'op'),
    searches: searches.length,
    searchesForOneText: searches.filter(({ word }) => word !== null).length,
    records: records.memory + records.document,
  }
}

function isDone({ kind }) {
  return kind === 'done'
}

/** It has written its first line, or ended before it could. */
function isAtWork({ log, child }) {
  return existsSync(log) || child.exitCode !== null
}

async function kill({ child, kind, done }, problem) {
  const hasEnded = child.exitCode !== null || child.signalCode !== null
  child.kill('SIGKILL')
  const { code, err } = await done
  if (hasEnded) problem(`a ${kind} ended by itself with ${code}: ${err.slice(-700)}`)
}

function logsOf(folder, beginning) {
  const names = readdirSync(folder).filter(
    (name) => name.startsWith(beginning) && name.endsWith('.log'),
  )
  return names.map((name) => readLog(join(folder, name)))
}

async function expectHeld(cairn, { records, gone, links, facts, sessions }, when, problem) {
  await expectStored(cairn, records, when, problem)
  const { records: seen } = await cairn.get([...gone])
  for (const { id } of seen) problem(`${when}: ${id} was deleted, and is there`)
  for (const [from, to] of links.filter((pair) => pair.every((id) => records.has(id)))) {
    const answer = await cairn.links.of(from)
    if (!JSON.stringify(answer).includes(to))
      problem(`${when}: the link ${from} → ${to} is missing`)
  }
  const held = facts.filter(([record]) => records.has(record))
  if (held.length > 0) {
    const listed = await cairn.facts.list({ records: held.map(([record]) => record), limit: 1000 })
    const ids = new Set(listed.facts.map(({ id }) => id))
    for (const [, fact] of held) if (!ids.has(fact)) problem(`${when}: the fact ${fact} is missing`)
  }
  for (const id of sessions) await cairn.sessions.show(id)
}

async function expectImports(cairn, logs, problem) {
  for (const body of logs.flatMap((lines) => mustHold(lines).imported)) {
    const [word] = body.split(' ')
    const { hits } = await cairn.search(word, { mode: 'keyword', match: 'all' })
    if (!hits.some(({ record }) => record.body === body))
      problem(`"${body}" was imported and is missing`)
  }
}

/** No hit that was never written, was gone before it was asked for, or lacks the word; none missing that was there. */
function judgeSearches(searches, histories, problem) {
  for (const { begun, ended, word, query, hits } of searches) {
    const [from, to] = [BigInt(begun), BigInt(ended)]
    for (const [id, body] of hits) {
      const history = histories.get(body)
      if (history === undefined) problem(`"${query}" found ${id} "${body}", which nobody wrote`)
      else if (history.begun > to) problem(`"${query}" found "${body}" before it was written`)
      else if (history.gone !== null && history.gone < from) {
        problem(`"${query}" found "${body}", which was gone`)
      }
      if (word !== null && !body.startsWith(`${word} `)) {
        problem(`"${query}" found "${body}", which does not hold it`)
      }
    }
    if (word === null || hits.length > 0) continue
    for (const [body, { there, leaving }] of histories) {
      const wasThere = there !== null && there < from && (leaving === null || leaving > to)
      if (wasThere && body.startsWith(`${word} `)) problem(`"${word}" was there and was not found`)
    }
  }
}

function countBy(lines, key) {
  const counts = {}
  for (const line of lines) counts[line[key]] = (counts[line[key]] ?? 0) + 1
  return counts
}
