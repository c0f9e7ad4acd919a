import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod/mini'
import { libraryOf } from '../../test/support/library.js'
import { people, work } from '../../test/support/works.js'
import type { Cairn } from '../cairn/cairn.js'
import { openCairn } from '../cairn/open.js'
import { assertInput } from '../schemas/check.js'
import { describeOptions } from '../schemas/fields.js'
import { OPERATIONS, operation, perform } from './operations.js'

describe('each description', () => {
  test('has a name of its own', () => {
    const names = OPERATIONS.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    for (const name of names) expect(name).toMatch(/^[a-z]+(\.[a-z]+)?$/)
  })

  test.each(OPERATIONS.map((one) => [one.name, one] as const))(
    '%s has examples that its schema accepts, and a line of help for each option',
    (_, { schema, summary, examples }) => {
      expect(examples.length).toBeGreaterThan(0)
      for (const example of examples) expect(() => assertInput(schema, example)).not.toThrow()
      const lines = [summary, ...Object.values(describeOptions(schema)).map(({ help }) => help)]
      for (const line of lines) expect(line).toMatch(/^[^\n]{2,160}[^.\n]$/)
    },
  )

  test.each(OPERATIONS.map((one) => [one.name, one] as const))(
    '%s has a JSON schema for those who are not TypeScript',
    (_, { schema }) => {
      const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
      expect(json).toMatchObject({ type: 'object', additionalProperties: false })
    },
  )
})

describe('on a file', () => {
  let cairn: Cairn
  let first: string
  let second: string
  beforeAll(async () => {
    cairn = await openCairn({ file: ':memory:', cache: false, now: () => Date.UTC(2026, 5, 1) })
    first = (await cairn.add({ body: 'We deploy on Thursdays.', tags: ['release'] })).id
    second = (await cairn.add({ body: 'Deployment moved to Fridays.' })).id
  })
  afterAll(() => cairn.close())

  test('an input is checked before anything is done', async () => {
    const wrong = { ids: [first], surely: true }
    await expect(perform(operation('delete'), cairn, wrong)).rejects.toThrow(/no option "surely"/)
    expect((await cairn.get([first])).records[0]?.deletedAt).toBeNull()
    const foreign = { id: first, mode: 'keyword' }
    await expect(perform(operation('similar'), cairn, foreign)).rejects.toThrow(/no option "mode"/)
    await expect(perform(operation('edit'), cairn, {})).rejects.toThrow('id is missing.')
    const patch = { id: first, tier: 'team' }
    await expect(perform(operation('edit'), cairn, patch)).rejects.toThrow('tier must be one of')
  })

  test('what is asked is what the library answers', async () => {
    const { tookMs: _, ...asked } = await perform(operation('search'), cairn, { query: 'deploy' })
    const { tookMs: __, ...found } = await cairn.search('deploy')
    expect(asked).toEqual(found)
    expect(asked.hits.length).toBe(2)
  })

  test('records are changed, undone, deleted, restored and purged', async () => {
    const edited = await perform(operation('edit'), cairn, { id: first, title: 'Release day' })
    expect(edited.title).toBe('Release day')
    expect((await perform(operation('undo'), cairn, { id: first })).title).toBeNull()
    expect(await perform(operation('delete'), cairn, { ids: [first] })).toEqual({
      deleted: [first],
    })
    const gone = await perform(operation('list'), cairn, { deleted: true })
    expect(gone.records.map(({ id }) => id)).toEqual([first])
    expect(await perform(operation('restore'), cairn, { ids: [first] })).toEqual({
      restored: [first],
    })
    const extra = await cairn.add({ body: 'To be forgotten for good.' })
    await cairn.delete([extra.id])
    expect((await perform(operation('purge'), cairn, { deleted: true })).purged).toEqual([extra.id])
  })

  test('a purge without ids purges nothing unless it is told to', async () => {
    await expect(perform(operation('purge'), cairn, {})).rejects.toThrow(/Which records/)
    await expect(
      perform(operation('purge'), cairn, { ids: [first], deleted: true }),
    ).rejects.toThrow(/Which records/)
  })

  test('works come in as plain JSON, are explored and cited', async () => {
    const works = [
      { title: 'The first work', doi: '10.1000/a', references: ['10.1000/b'], year: 1999 },
      { title: 'The second work', doi: '10.1000/b', authors: [{ family: 'Ng' }] },
    ]
    const answer = await perform(operation('import.works'), cairn, { works, tags: 'thesis' })
    expect(answer.created).toBe(2)
    const around = await perform(operation('citations'), cairn, { id: '10.1000/a' })
    expect(around.references.map(({ title }) => title)).toEqual(['The second work'])
    const explored = await perform(operation('explore'), cairn, { from: '10.1000/a', depth: 1 })
    expect(explored.nodes.map(({ title }) => title).toSorted()).toEqual([
      'The first work',
      'The second work',
    ])
    const written = await perform(operation('export'), cairn, { tags: ['thesis'], format: 'ris' })
    expect(written).toMatchObject({ format: 'ris', works: 2 })
    expect(written.text).toContain('The first work')
    const { references } = await perform(operation('cite'), cairn, { ids: ['10.1000/b'] })
    expect(references[0]?.text).toContain('Ng')
  })

  test('facts, links and sessions are told and listed', async () => {
    const stated = { record: first, subject: 'we', predicate: 'deploy on', object: 'Thursdays' }
    const fact = await perform(operation('fact.add'), cairn, stated)
    const listed = await perform(operation('fact.list'), cairn, { records: [first] })
    expect(listed.facts.map(({ id }) => id)).toEqual([fact.id])
    await perform(operation('link'), cairn, { from: first, to: second, type: 'depends_on' })
    const { links } = await perform(operation('links'), cairn, { id: second })
    expect(links.map(({ type }) => type)).toEqual(['DEPENDS_ON'])
    const { unlinked } = await perform(operation('unlink'), cairn, { from: first, to: second })
    expect(unlinked).toHaveLength(1)
    await perform(operation('session.start'), cairn, { id: 'standup' })
    const strengthened = { ids: [first], session: 'standup', amount: 0.5 }
    const { records } = await perform(operation('reinforce'), cairn, strengthened)
    expect(records[0]?.salience).toBeGreaterThan(0.7)
    const shown = await perform(operation('session.show'), cairn, { id: 'standup' })
    expect(shown.reinforced.map(({ id }) => id)).toEqual([first])
  })
})

test('ten works with six authors each have at most 20 kB, and each is named', async () => {
  const cairn = await libraryOf([])
  const authors = people(...Array.from({ length: 6 }, (_, i) => `Toshiaki${i} Nakazawa${i}`))
  const rest = 'Thirteen teams took part, and the systems were judged by people. '.repeat(12)
  const abstract = `We present a shared task on the translation of documents. ${rest}`
  await cairn.works.import(
    Array.from({ length: 10 }, (_, i) =>
      work(`Findings of the shared task number ${i} on translation`, {
        ...{ authors, abstract, year: 2019, doi: `10.1000/task.${i}`, citationKey: `task-${i}` },
        venue: 'Proceedings of a conference with a long name in computational linguistics',
      }),
    ),
  )
  const search = operation('search')
  const answer = await perform(search, cairn, { query: 'shared task translation' })
  const small = search.shrink(answer) as typeof answer
  expect(small.hits).toHaveLength(10)
  expect(JSON.stringify(small).length).toBeLessThanOrEqual(20_000)
  expect(small.hits[0]?.identity).toMatchObject({
    year: 2019,
    doi: expect.stringMatching(/^10\.1000/),
  })
})
