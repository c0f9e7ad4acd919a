import { expect, test } from 'vitest'
import type { Cairn, TimelineInput } from '../src/index.js'
import { talkTo } from '../src/mcp/agent.fixture.js'
import { serve } from './support/http.js'
import { libraryOf, temporaryFile } from './support/library.js'
import { terminal } from './support/terminal.js'

const DAYS = ['one', 'two', 'three', 'four', 'five'] as const

/** Five days in May, the third superseded by the fifth, the second a document. */
async function fiveDays(file = temporaryFile()) {
  const cairn = await libraryOf([], { file })
  const ids: string[] = []
  for (const [i, name] of DAYS.entries()) {
    const more = name === 'two' ? { kind: 'document' as const } : {}
    const tags = name === 'one' || name === 'four' ? ['odd'] : []
    const occurredAt = `2026-05-0${i + 1}`
    ids.push((await cairn.add({ body: `Day ${name}.`, occurredAt, tags, ...more })).id)
  }
  const [, , three = '', four = '', five = ''] = ids
  await cairn.supersede(three, five)
  return { cairn, file, three, four }
}

const daysOf = async (cairn: Cairn, input: TimelineInput = {}) => {
  const { entries } = await cairn.timeline(input)
  return entries.map(({ summary }) => summary.slice(4, -1)).join(' ')
}

test('superseded records, kinds and tags can be asked for', async () => {
  const { cairn } = await fiveDays()
  expect(await daysOf(cairn)).toBe('one two four five')
  expect(await daysOf(cairn, { includeSuperseded: true })).toBe('one two three four five')
  expect(await daysOf(cairn, { kinds: ['document'] })).toBe('two')
  expect(await daysOf(cairn, { kinds: ['memory'], tags: ['odd'] })).toBe('one four')
  expect(await daysOf(cairn, { tags: { none: ['odd'] }, since: '2026-05-02' })).toBe('two five')
  const { entries } = await cairn.timeline({ includeSuperseded: true })
  expect(entries.filter(({ isSuperseded }) => isSuperseded)).toHaveLength(1)
})

test('it goes both ways, page by page', async () => {
  const { cairn } = await fiveDays()
  expect(await daysOf(cairn, { newestFirst: true })).toBe('five four two one')
  for (const [newestFirst, wanted] of [
    [false, ['one two', 'four five']],
    [true, ['five four', 'two one']],
  ] as const) {
    const first = await cairn.timeline({ newestFirst, limit: 2 })
    const second = { newestFirst, limit: 2, cursor: first.next }
    const pages = [await daysOf(cairn, { newestFirst, limit: 2 }), await daysOf(cairn, second)]
    expect(pages).toEqual(wanted)
    expect((await cairn.timeline(second)).next).toBeNull()
  }
})

test('around a record the same is left out and shown', async () => {
  const { cairn, four, three } = await fiveDays()
  expect(await daysOf(cairn, { anchor: four })).toBe('one two four five')
  expect(await daysOf(cairn, { anchor: four, tags: ['odd'] })).toBe('one four')
  const shown = { anchor: four, includeSuperseded: true, newestFirst: true, before: 2 }
  expect(await daysOf(cairn, shown)).toBe('five four three two')
  expect(await daysOf(cairn, { anchor: three, kinds: ['document'] })).toBe('two three')
})

test('every interface takes the options', async () => {
  const { cairn, file } = await fiveDays()
  const { send } = await serve([], { cairn })
  const path = '/api/timeline?newestFirst=true&includeSuperseded=true&limit=3'
  const { entries } = (await send(path)).json as { entries: { summary: string }[] }
  expect(entries.map(({ summary }) => summary)).toEqual(['Day five.', 'Day four.', 'Day three.'])
  const told = await talkTo(cairn).call('timeline', { kinds: ['document'], newestFirst: true })
  expect(told.data.entries).toHaveLength(1)
  const { out } = await terminal(file)('timeline', '--newest-first', '--include-superseded')
  expect(out.indexOf('Day five.')).toBeLessThan(out.indexOf('Day one.'))
  expect(out).toContain('Day three. (superseded)')
})
