import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Cairn } from '../src/cairn/cairn.js'
import { openCairn } from '../src/cairn/open.js'

const open = (more: object = {}) => openCairn({ file: ':memory:', vectors: false, ...more })

/** A name that no option has, as a caller of JavaScript may write it. */
const UNKNOWN = { limitt: 3 } as object

let cairn: Cairn
let id: string
beforeAll(async () => {
  cairn = await open()
  id = (await cairn.add({ body: 'We deploy on Thursdays.' })).id
  await cairn.sessions.start({ id: 'standup' })
})
afterAll(() => cairn.close())

const read = async (lines: AsyncIterable<string>): Promise<void> => {
  for await (const _ of lines);
}

/** Every method of the library that takes options. */
const METHODS: Readonly<Record<string, () => unknown>> = {
  open: () => open(UNKNOWN),
  'open memory': () => open({ memory: UNKNOWN }),
  'open search': () => open({ search: UNKNOWN }),
  'open cache': () => open({ cache: UNKNOWN }),
  add: () => cairn.add({ body: 'x', ...UNKNOWN }),
  addMany: () => cairn.addMany([{ body: 'x', ...UNKNOWN }]),
  list: () => cairn.list(UNKNOWN),
  edit: () => cairn.edit(id, { body: 'x', ...UNKNOWN }),
  reinforce: () => cairn.reinforce([id], UNKNOWN),
  deemphasize: () => cairn.deemphasize([id], UNKNOWN),
  search: () => cairn.search('x', UNKNOWN),
  searchDocuments: () => cairn.searchDocuments('x', UNKNOWN as never),
  similar: () => cairn.similar(id, UNKNOWN),
  supersede: () => cairn.supersede(id, id, UNKNOWN),
  replay: () => cairn.replay(UNKNOWN),
  timeline: () => cairn.timeline(UNKNOWN),
  briefing: () => cairn.briefing(UNKNOWN),
  explore: () => cairn.explore({ query: 'x' }, UNKNOWN),
  import: () => cairn.import('nowhere', UNKNOWN),
  watch: () => cairn.watch('docs', UNKNOWN),
  mirror: () => cairn.mirror('nowhere', UNKNOWN),
  watchMirror: () => cairn.watchMirror('nowhere', UNKNOWN),
  exportAll: () => read(cairn.exportAll(UNKNOWN)),
  importAll: () => cairn.importAll([] as never, UNKNOWN),
  backup: () => cairn.backup('nowhere', UNKNOWN),
  copy: () => cairn.copy('nowhere', UNKNOWN),
  stats: () => cairn.stats(UNKNOWN),
  overview: () => cairn.overview(UNKNOWN),
  doctor: () => cairn.doctor(UNKNOWN),
  optimize: () => cairn.optimize(UNKNOWN),
  'sessions.start': () => cairn.sessions.start(UNKNOWN),
  'sessions.end': () => cairn.sessions.end('standup', UNKNOWN),
  'sessions.list': () => cairn.sessions.list(UNKNOWN),
  'facts.add': () =>
    cairn.facts.add({ record: id, subject: 'a', predicate: 'b', object: 'c', ...UNKNOWN }),
  'facts.list': () => cairn.facts.list(UNKNOWN),
  'links.add': () => cairn.links.add({ from: id, to: id, ...UNKNOWN }),
  'links.remove': () => cairn.links.remove({ from: id, to: id, ...UNKNOWN }),
  'lenses.save': () => cairn.lenses.save('mine', UNKNOWN),
  'works.import': () => cairn.works.import([], UNKNOWN),
  'works.export': () => cairn.works.export(UNKNOWN),
  'openalex.get': () => cairn.openalex.get([], UNKNOWN),
  'openalex.search': () => cairn.openalex.search('x', UNKNOWN),
  'openalex.expand': () => cairn.openalex.expand('x', UNKNOWN),
}

test.each([[undefined], [null], ['notes.cairn']])(
  'openCairn(%j) says what to write',
  async (given) => {
    await expect(openCairn(given as never)).rejects.toMatchObject({
      code: 'bad_input',
      hint: "Write openCairn({ file: 'notes.cairn' }).",
    })
  },
)

describe('an option that does not exist is refused', () => {
  test.each(Object.entries(METHODS))('by %s', async (_, call) => {
    await expect((async () => call())()).rejects.toMatchObject({
      code: 'bad_input',
      message: expect.stringContaining('limitt'),
    })
  })
})

/** What a caller of JavaScript may pass by mistake before the options. */
const WRONG: Readonly<Record<string, readonly [() => unknown, string]>> = {
  get: [() => cairn.get('x' as never), 'ids must be a list, not "x".'],
  'get without ids': [() => cairn.get(undefined as never), 'ids is missing.'],
  delete: [() => cairn.delete([3] as never), 'id must be text, not "3".'],
  history: [() => cairn.history(3 as never), 'id must be text, not "3".'],
  search: [() => cairn.search(3 as never), 'search takes a text and options, or one object.'],
  'search of years': [
    () => cairn.search('x', { years: '2019..2018' }),
    'years must be in order, such as 2018..2019.',
  ],
  import: [() => cairn.import(['a', 'b'] as never), 'path must be text, not "["a","b"]".'],
  'import of no path': [() => cairn.import(''), 'path must not be empty.'],
  watch: [() => cairn.watch(''), 'folder must not be empty.'],
  mirror: [() => cairn.mirror(''), 'folder must not be empty.'],
  'sessions.find': [() => cairn.sessions.find(3 as never), 'id must be text, not "3".'],
  'facts.remove': [() => cairn.facts.remove(3 as never), 'id must be text, not "3".'],
  'works.import': [() => cairn.works.import({} as never), 'works must be a list, not "{}".'],
  'works.cite': [() => cairn.works.cite('x' as never), 'ids must be a list, not "x".'],
  'works.addCitations': [
    () => cairn.works.addCitations({} as never),
    'citations must be a list, not "{}".',
  ],
  'openalex.get': [() => cairn.openalex.get('x' as never), 'ids must be a list, not "x".'],
}

test.each(Object.entries(WRONG))('%s names a wrong argument', async (_, [call, message]) => {
  await expect((async () => call())()).rejects.toMatchObject({ code: 'bad_input', message })
})
