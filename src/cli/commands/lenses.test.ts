import { describe, expect, test } from 'vitest'
import { temporaryFile } from '../../../test/support/library.js'
import { jsonOf, terminal } from '../../../test/support/terminal.js'

type Lenses = { lenses: { name: string; isBuiltIn: boolean }[] }
type Found = { hits: { record: { body: string } }[]; query: { lens: string } }

async function filled() {
  const cairn = terminal(temporaryFile())
  await cairn('add', 'We deploy on Thursdays.', '--tag', 'release')
  await cairn('add', 'We deploy from the main branch.', '--tag', 'how-to')
  await cairn('add', 'Deploy notes of last year.', '--tag', 'release', '--occurred', '2020-01-01')
  return { cairn, json: jsonOf(cairn) }
}

describe('[F9] lenses', () => {
  test('any options of a search are saved under a name and applied by it', async () => {
    const { cairn, json } = await filled()
    const options = ['--tag', 'release', '--since', '2026-01-01', '--date', 'occurred']
    const saved = await json(
      ...['lens', 'save', 'releases', ...options, '--limit', '1', '--boost', 'tag:release=1.5'],
      ...['--sentence', 'What was released'],
    )
    expect(saved).toEqual({
      name: 'releases',
      sentence: 'What was released',
      isBuiltIn: false,
      options: {
        tags: { any: ['release'] },
        since: '2026-01-01',
        dateField: 'occurred',
        limit: 1,
        boosts: [{ field: 'tag', value: 'release', factor: 1.5 }],
      },
    })
    const { hits, query } = await json<Found>('search', '--body', 'deploy', '--lens', 'releases')
    expect(hits.map(({ record }) => record.body)).toEqual(['We deploy on Thursdays.'])
    expect(query.lens).toBe('releases')
    const wider = await json<Found>(
      'search',
      '--body',
      'deploy',
      '--lens',
      'releases',
      '--tag',
      'how-to',
    )
    expect(wider.hits.map(({ record }) => record.body)).toEqual(['We deploy from the main branch.'])
    expect((await cairn('lens', 'show', 'releases')).out).toContain('tag:release=1.5')
  })

  test('the limit of a lens holds, unless the command says another', async () => {
    const { cairn, json } = await filled()
    await cairn('lens', 'save', 'one', '--limit', '1')
    expect((await json<Found>('search', 'deploy', '--lens', 'one')).hits).toHaveLength(1)
    const more = await json<Found>('search', 'deploy', '--lens', 'one', '--limit', '3')
    expect(more.hits).toHaveLength(3)
    expect((await json<Found>('search', 'deploy', '--lens', 'exact')).hits).toHaveLength(3)
  })

  test('lenses are listed, shown and removed; an unknown one names those there are', async () => {
    const { cairn, json } = await filled()
    await cairn('lens', 'save', 'mine', '--kind', 'memory')
    const { lenses } = await json<Lenses>('lens', 'list')
    expect(lenses.at(-1)).toMatchObject({ name: 'mine', isBuiltIn: false })
    expect(lenses[0]).toMatchObject({ name: 'balanced', isBuiltIn: true })
    expect((await cairn('lens', 'list')).out).toMatch(
      /^built in\n {2}balanced .+\nsaved\n {2}mine {2}kinds memory\n$/s,
    )
    expect(await json('lens', 'show', 'memory')).toMatchObject({ options: { fusion: {} } })
    const wrong = await cairn('search', 'x', '--lens', 'yours')
    expect(wrong.code).toBe(2)
    expect(wrong.err).toContain('exact, mine.')
    expect(await json('lens', 'remove', 'mine')).toEqual({ removed: 'mine' })
    expect((await cairn('lens', 'show', 'mine')).code).toBe(2)
  })
})
