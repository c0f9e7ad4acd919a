/** Compares two texts and returns what stayed, was removed and was added. */

export type Stretch = { readonly kind: 'same' | 'gone' | 'new'; readonly text: string }

const MOST_CELLS = 4_000_000

/** Word by word; a text too long for that line by line, and one too long even for that as a whole. */
export function differenceOf(before: string, after: string): Stretch[] {
  for (const pattern of [/\s+|[^\s]+/gu, /[^\n]*\n|[^\n]+/gu]) {
    const old = before.match(pattern) ?? []
    const now = after.match(pattern) ?? []
    const trimmed = trimSame(old, now)
    if (trimmed.old.length * trimmed.now.length <= MOST_CELLS) {
      const { head, tail } = trimmed
      return join([...same(head), ...compare(trimmed.old, trimmed.now), ...same(tail)])
    }
  }
  return join([
    { kind: 'gone', text: before },
    { kind: 'new', text: after },
  ])
}

const same = (words: readonly string[]): Stretch[] =>
  words.map((text) => ({ kind: 'same' as const, text }))

/** What both begin and end with needs no comparing. */
function trimSame(old: readonly string[], now: readonly string[]) {
  const most = Math.min(old.length, now.length)
  let head = 0
  while (head < most && old[head] === now[head]) head++
  let tail = 0
  while (tail < most - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++
  return {
    head: old.slice(0, head),
    tail: tail === 0 ? [] : old.slice(-tail),
    old: old.slice(head, old.length - tail),
    now: now.slice(head, now.length - tail),
  }
}

/** The longest common subsequence, by the table that every textbook has. */
function compare(old: readonly string[], now: readonly string[]): Stretch[] {
  const width = now.length + 1
  const longest = new Uint32Array((old.length + 1) * width)
  const at = (i: number, j: number): number => longest[i * width + j] ?? 0
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      longest[i * width + j] =
        old[i] === now[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
    }
  }
  const stretches: Stretch[] = []
  let i = 0
  let j = 0
  while (i < old.length || j < now.length) {
    const [gone, came] = [old[i], now[j]]
    if (gone !== undefined && gone === came) {
      stretches.push({ kind: 'same', text: gone })
      i++
      j++
    } else if (gone !== undefined && (came === undefined || at(i + 1, j) >= at(i, j + 1))) {
      stretches.push({ kind: 'gone', text: gone })
      i++
    } else if (came !== undefined) {
      stretches.push({ kind: 'new', text: came })
      j++
    }
  }
  return stretches
}

/** Neighbours of one kind become one; what went stands before what came. */
function join(stretches: readonly Stretch[]): Stretch[] {
  const joined: Stretch[] = []
  let gone = ''
  let came = ''
  const flush = (): void => {
    if (gone !== '') joined.push({ kind: 'gone', text: gone })
    if (came !== '') joined.push({ kind: 'new', text: came })
    gone = came = ''
  }
  for (const { kind, text } of stretches) {
    if (kind === 'gone') gone += text
    else if (kind === 'new') came += text
    else {
      flush()
      const before = joined.at(-1)
      if (before?.kind === 'same') joined[joined.length - 1] = { kind, text: before.text + text }
      else if (text !== '') joined.push({ kind, text })
    }
  }
  flush()
  return joined
}
