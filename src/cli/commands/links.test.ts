import { describe, expect, test } from 'vitest'
import { temporaryFile } from '../../../test/support/library.js'
import { jsonOf, NOW, terminal } from '../../../test/support/terminal.js'

type Added = { id: string }
type Records = { records: Added[] }

async function two() {
  let time = NOW
  const cairn = terminal(temporaryFile(), { now: () => time++ })
  const json = jsonOf(cairn)
  const { id: older } = await json<Added>('add', 'We release on Tuesdays.')
  const { id: newer } = await json<Added>('add', 'We release on Thursdays.')
  return { cairn, json, older, newer }
}

test('[M10] records are linked by type, with who did it and why, and seen from both ends', async () => {
  const { cairn, json, older, newer } = await two()
  const how = ['--type', 'depends_on', '--note', 'see there', '--author', 'Priya']
  expect(await json('link', older, newer, ...how)).toMatchObject({
    type: 'DEPENDS_ON',
    source: older,
    target: newer,
    note: 'see there',
    author: 'Priya',
  })
  expect(await json('links', newer)).toMatchObject({
    of: newer,
    links: [{ direction: 'in', other: { id: older } }],
  })
  expect((await cairn('links', older)).out).toMatch(
    /^→ {2}DEPENDS_ON {2}\S+ {2}We release on Thursdays\. \(see there, Priya\)\n$/,
  )
  await cairn('link', older, newer)
  expect(await json('unlink', older, newer, '--type', 'RELATED_TO')).toMatchObject({
    unlinked: [{ type: 'RELATED_TO' }],
  })
  expect((await cairn('unlink', older, newer)).out).toContain('DEPENDS_ON')
  expect((await cairn('links', older)).out).toBe('no links\n')
})

describe('[M7] supersede', () => {
  test('hides the older record, shows it marked when asked, and can be taken back', async () => {
    const { cairn, json, older, newer } = await two()
    expect(await json('supersede', older, newer, '--note', 'moved')).toEqual({
      superseded: older,
      by: newer,
    })
    const idsOf = async (...args: string[]) =>
      (await json<Records>('list', ...args)).records.map(({ id }) => id)
    expect(await idsOf()).toEqual([newer])
    expect(await idsOf('--include-superseded')).toEqual([newer, older])
    expect((await cairn('list', '--include-superseded')).out).toMatch(/superseded {2}We .+Tuesdays/)
    const { out } = await cairn('search', 'release', '--include-superseded')
    expect(out).toMatch(/✗ superseded by \S+: We release on Thursdays\.\n +We \*release\* on Tue/)
    const back = await cairn('unlink', newer, older)
    expect(back.out).toContain('is valid again')
    expect(await idsOf()).toEqual([newer, older])
  })

  test('a search as of a day shows what was true then, and says so', async () => {
    const { cairn, json, older, newer } = await two()
    await cairn('supersede', older, newer)
    await cairn('edit', newer, 'We release on Fridays.')
    const { hits, scope } = await json<{
      hits: { record: { body: string } }[]
      scope: { asOf: string }
    }>('search', 'release', '--body', '--as-of', new Date(NOW + 1_000_000).toISOString())
    expect(hits.map(({ record }) => record.body)).toEqual(['We release on Fridays.'])
    expect(scope.asOf).toBe(new Date(NOW + 1_000_000).toISOString())
    const before = await cairn('search', 'release', '--as-of', '2026-06-14')
    expect(before.out).toMatch(/^0 records for release as of 14 Jun /)
  })
})
