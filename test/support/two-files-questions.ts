/** Inputs for every operation and every tool: about what is there, about what only the other namespace has, about nothing. */

import type { OperationName } from '../../src/operations/operations.js'
import { type Names, NEARLY_SECRET, SECRET } from './two-files.js'
import { work } from './works.js'

export type Input = Readonly<Record<string, unknown>>
/** An operation or a tool by its name, and its input. */
export type Question = { readonly of: string; readonly input: Input }

const QUERIES = [
  'heron',
  'grey heron at dawn',
  '"grey heron"',
  'her* tid*',
  'NEAR(grey heron, 3)',
  '(heron AND grey) OR (ferry AND nine)',
  'heron -lake',
  'title:flight OR tag:birds',
  'cormorant',
  'heron meta.place:lake',
  '-meta.place:*',
  'hreon',
  'ferri',
  SECRET,
  NEARLY_SECRET,
  `${SECRET.slice(0, 5)}*`,
  `heron ${SECRET}`,
  '…',
  '',
]

/** As a whole, as short as possible (the other namespace has ids that begin alike), and just long enough for theirs. */
function listIds({ mine, theirs }: Names): string[] {
  const unique = (id: string) => id.slice(0, 14)
  return [
    mine.heron,
    mine.grey.slice(0, 8),
    mine.deleted.slice(0, 8),
    theirs.record,
    unique(theirs.record),
    theirs.deleted,
    unique(theirs.deleted),
    theirs.work,
    'stone2019herons',
    'secret2020',
    'https://doi.example.org/10.1000/secret',
  ]
}

export function listInputs(names: Names): Readonly<Record<OperationName, readonly Input[]>> {
  const { mine, theirs, notes } = names
  const ids = listIds(names)
  const one = ids.map((id) => ({ id }))
  const several = ids.map((id) => ({ ids: [id] }))
  const works = ['stone2019herons', '10.1000/own', 'secret2020', '10.1000/secret', theirs.work]
  const work1 = works.map((id) => ({ id }))
  const sessions = ['standup', 'Planning', 'theirs', 'standup-o']
  const facts = [mine.fact, mine.fact.slice(0, 8), theirs.fact, theirs.fact.slice(0, 14)]
  const lenses = ['balanced', 'mine', 'theirs', 'nobodys']
  const everywhere = [{}, { namespaces: ['a'] }, { namespaces: ['b'] }, { namespaces: ['nobodys'] }]
  return {
    ask: QUERIES.filter((query) => query.trim() !== '').flatMap((question) => [
      { question, dryRun: true },
      { question },
    ]),
    search: [
      ...QUERIES.flatMap((query) =>
        ['keyword', 'semantic', 'hybrid'].flatMap((mode, i) => [
          { query, mode, explain: true, facets: true, context: 2 },
          ...(i === 0 ? [{ query, mode, includeSuperseded: true, limit: 3 }] : []),
        ]),
      ),
      ...QUERIES.map((query) => ({ query, asOf: '2026-04-01', facets: true, explain: true })),
      ...lenses.map((lens) => ({ query: 'heron', lens })),
      ...sessions.map((session) => ({ query: 'tide', sessions: [session] })),
      ...sessions.map((session) => ({ sessions: [session], usages: ['recalled', 'reinforced'] })),
      ...ids.flatMap((id) => [{ ids: { in: [id] } }, { query: 'heron', ids: { out: [id] } }]),
      ...everywhere.map((where) => ({ query: 'heron', ...where })),
      { query: 'heron', includeGlobal: true },
      { where: { place: 'lake', depth: { gte: 2 } }, facets: true },
      { query: 'heron', threshold: -1, limit: 50 },
    ],
    similar: ids.map((id) => ({ id, threshold: -1 })),
    timeline: [
      ...ids.map((anchor) => ({ anchor, includeSuperseded: true })),
      ...everywhere,
      { limit: 2, newestFirst: true },
      { kinds: ['work'], tags: ['birds', SECRET] },
    ],
    'lens.list': [{}],
    'lens.show': lenses.map((name) => ({ name })),
    'lens.save': lenses.slice(1).map((name) => ({ name, options: { limit: 3 } })),
    'lens.remove': lenses.map((name) => ({ name })),
    add: [
      { body: 'The kingfisher dives into the lake at dawn.' },
      { body: 'The kingfisher dives into the lake at dusk.' },
      { body: `The heron and the ${SECRET} stand in the lake.`, title: SECRET },
      { body: 'A turn in their session.', session: 'theirs' },
      { body: 'A turn in our session.', session: 'standup' },
      { body: 'Created in theirs.', createdIn: 'theirs' },
      { body: 'Created in ours.', createdIn: 'standup', extractFacts: true },
      { body: 'Elsewhere.', namespace: 'b' },
      { body: 'heron: shy', extractFacts: true },
      { body: 'The heron is in Porto.' },
      { body: 'The heron is in Lisbon.' },
    ],
    'add.many': [
      { records: [{ body: 'First of two.' }, { body: 'Second.', session: 'theirs-2' }] },
    ],
    get: [...several, { ids }],
    list: [...everywhere, { deleted: true }, { includeSuperseded: true, limit: 3 }],
    edit: [
      ...ids.map((id) => ({ id, tags: ['edited'] })),
      { id: mine.work, work: { doi: '10.1000/secret' } },
      { id: 'secret2020', work: { year: 1999 } },
      ...ids.map((id) => ({ id, tags: ['late'], expectedRevision: 99 })),
    ],
    history: one,
    undo: [...one, { id: mine.grey, revision: 1 }],
    delete: [{ ids: [mine.newer] }, ...several.slice(3)],
    restore: [{ ids: [mine.newer] }, ...several],
    purge: [{ ids: [mine.newer] }, ...several.slice(3), { deleted: true }],
    'session.start': ['standup-of-others', 'theirs', 'standup'].map((id) => ({
      id,
      title: 'Planning',
    })),
    'session.end': sessions.map((id) => ({ id })),
    'session.summarise': sessions.map((id) => ({ id })),
    'session.list': [...everywhere, { state: 'open' }, { state: 'ended' }],
    'session.show': sessions.map((id) => ({ id })),
    'fact.add': ids.map((record) => ({ record, subject: 'heron', predicate: 'is', object: 'shy' })),
    'fact.list': [
      ...everywhere,
      { contradictions: true },
      { recent: true },
      { about: SECRET },
      ...ids.map((id) => ({ records: [id] })),
    ],
    'fact.reinforce': facts.map((id) => ({ id })),
    'fact.remove': facts.map((id) => ({ id })),
    supersede: ids.map((older) => ({ older, newer: mine.newer })),
    link: ids.map((to) => ({ from: mine.newer, to })),
    unlink: ids.map((to) => ({ from: mine.heron, to })),
    links: one,
    reinforce: [...several, ...sessions.map((session) => ({ ids: [mine.heron], session }))],
    deemphasize: several,
    why: one,
    briefing: everywhere,
    log: [{}, ...['a', 'b', 'nobodys'].map((namespace) => ({ namespace }))],
    replay: [{}, ...sessions.map((session) => ({ session }))],
    cite: works.map((id, i) => ({ ids: [id], ...(i % 2 === 0 && { style: 'apa' }) })),
    citations: work1,
    explore: [...works, 'herons of the north', SECRET].map((from) => ({ from })),
    export: [
      { format: 'csl' },
      {},
      ...works.map((id) => ({ works: [id] })),
      ...['herons', SECRET, 'north'].map((query) => ({ query, style: 'ieee' })),
    ],
    'works.duplicates': everywhere,
    'works.merge': works.map((other) => ({ id: mine.work, other })),
    'import.works': [
      { works: [work('Another', { doi: '10.1000/secret', references: ['doi:10.1000/own'] })] },
      { works: [work('Herons of the north', { doi: '10.1000/own', year: 2020 })] },
    ],
    'openalex.get': [...works, '10.1000/unknown'].map((id) => ({ ids: [id] })),
    'openalex.search': [{ query: SECRET }],
    'openalex.expand': works.map((id) => ({ id })),
    import: [
      { path: notes, dryRun: true },
      { path: notes },
      { path: notes, tags: ['notes'] },
      { path: notes, source: `markdown:${notes}`, prune: true, tags: ['theirs'] },
    ],
    embed: [{}],
    models: [{}],
    'models.remove': [{ id: 'fake' }, { id: 'nobodys' }],
    stats: [{}, { sizes: true }],
    mirror: [
      { folder: notes, dryRun: true },
      { folder: notes, dryRun: true, namespaces: ['b'] },
    ],
    backup: [{ file: 'copies/nowhere.cairn' }],
    copy: [{ to: 'copies/nowhere.cairn' }],
    overview: everywhere,
    doctor: [{}, { repair: true }],
    optimize: [{}],
    'token.list': [{}],
    'token.add': [{ name: 'theirs', namespaces: ['b'] }],
    'token.revoke': [{ name: 'theirs' }],
  }
}

export function listToolCalls(names: Names): Question[] {
  const { mine, theirs } = names
  const inputs = listInputs(names)
  const ids = listIds(names)
  const call = (of: string) => (input: Input) => ({ of, input })
  const update = (action: string, input: Input) => ({ of: 'update', input: { action, ...input } })
  const relations = ['similar', 'related', 'citations', 'around', 'history', 'why']
  const pages = ['status', 'sessions', 'lenses', 'health', 'replay']
  return [
    ...pages.map((page) => ({ of: 'resource', input: { uri: `cairn://${page}` } })),
    ...ids.map((id) => ({ of: 'resource', input: { uri: `cairn://record/${id}` } })),
    ...inputs.search.filter((_, i) => i % 3 === 0).map(call('search')),
    ...inputs.timeline.map(call('timeline')),
    ...inputs.briefing.map(call('briefing')),
    ...inputs.log.map(call('log')),
    ...inputs.get.map(call('get')),
    ...[...ids, 'secret2020', 'stone2019herons'].flatMap((id) =>
      relations.map((relation) => ({ of: 'explore', input: { id, relation } })),
    ),
    ...['heron', SECRET].map((id) => call('explore')({ id, relation: 'facts' })),
    ...['standup', 'theirs'].map((id) => call('explore')({ id, relation: 'session' })),
    ...['The kingfisher dives into the lake at dawn.', `The ${SECRET}.`].map((text) =>
      call('remember')({ text, extractFacts: true }),
    ),
    ...ids.flatMap((id) => [
      call('remember')({ text: `Instead of ${id}.`, supersedes: id }),
      update('edit', { id, tags: ['edited'] }),
      update('undo', { id }),
      update('link', { id: mine.newer, to: id }),
      update('unlink', { id: mine.newer, to: id }),
      update('reinforce', { ids: [id] }),
      update('deemphasize', { ids: [id] }),
      update('add_fact', { id, subject: 'heron', predicate: 'is', object: 'shy' }),
      update('supersede', { id, text: `In place of ${id}.` }),
      update('forget', { ids: [id] }),
      update('restore', { ids: [id] }),
      call('forget')({ ids: [id] }),
    ]),
    ...[mine.fact, theirs.fact, theirs.fact.slice(0, 14)].flatMap((factId) => [
      update('reinforce_fact', { factId }),
      update('end_fact', { factId }),
    ]),
    update('summarise', { text: 'A summary.' }),
    ...['mine', 'theirs'].flatMap((name) => [
      update('save_lens', { name, options: { limit: 2 } }),
      update('remove_lens', { name }),
      update('remove_lens', { name }),
    ]),
  ]
}
