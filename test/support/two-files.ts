/** Two files with the same records of one namespace; in the second one, another namespace tries to be noticed. */

import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Cairn, type OpenOptions, openCairn } from '../../src/index.js'
import { people, work } from './works.js'

export const OWN = 'a'
const FOREIGN = 'b'
/** A word that only the other namespace has, and a spelling of it that it would be suggested for. */
export const SECRET = 'xylophone'
export const NEARLY_SECRET = 'xylophnoe'

const START = Date.UTC(2026, 2, 1)
/** Every question is asked at this time. */
export const ASKED_AT = Date.UTC(2026, 5, 1)

/** What a question may name: things of its own namespace, and things of the other, which one of the files does not have. */
export type Names = Awaited<ReturnType<typeof createTwoFiles>>['names']

/** Two seconds a step: the first eight characters of two ids differ. */
function createClock(): () => number {
  let time = START
  return () => {
    time += 2000
    return time
  }
}

export async function createTwoFiles(folder: string) {
  const notes = join(folder, 'notes')
  mkdirSync(notes)
  writeFileSync(join(notes, 'a.md'), '# Nests\n\nHerons build nests. [[b]]\n')
  writeFileSync(join(notes, 'b.md'), '# Reeds\n\nReeds hide a nest.\n')
  const alone = join(folder, 'alone.cairn')
  const vectors = { provider: 'fake', dimensions: 24 } as const
  const pin = { namespace: OWN, pinned: true } as const
  const own = await openCairn({ file: alone, vectors, ...pin, now: createClock() })
  const mine = await fillOwn(own, notes)
  await own.close()
  const among = join(folder, 'among.cairn')
  copyFileSync(alone, among)
  // The same times again: ids of both namespaces begin alike.
  const all: OpenOptions = { file: among, namespace: FOREIGN, now: createClock() }
  const foreign = await openCairn(all)
  const theirs = await fillForeign(foreign, mine, notes)
  await foreign.close()
  const late = await openCairn({ ...all, vectors: false })
  await late.add({ body: `the ${SECRET} waits for its vector` })
  await late.close()
  return { alone, among, names: { mine, theirs, notes } }
}

async function fillOwn(cairn: Cairn, notes: string) {
  const heron = await cairn.add({
    body: 'The heron stands in the lake.',
    tags: ['birds'],
    metadata: { place: 'lake', depth: 2 },
  })
  const grey = await cairn.add({ body: 'A grey heron flies over reeds.', title: 'Flight' })
  const old = await cairn.add({ body: 'The ferry leaves at eight.' })
  const newer = await cairn.add({ body: 'The ferry leaves at nine.' })
  await cairn.supersede(old.id, newer.id)
  const deleted = await cairn.add({ body: 'Forget the cormorant.' })
  await cairn.delete([deleted.id])
  await cairn.edit(grey.id, { body: 'A grey heron flies over the reeds at dawn.' })
  await cairn.sessions.start({ id: 'standup', title: 'Planning' })
  for (const body of ['Shall we sail?', 'The tide turns at nine.', 'Then we sail at ten.']) {
    await cairn.add({ body, session: 'standup' })
  }
  await cairn.search('heron tide', { recallSession: 'standup' })
  const about = { subject: 'heron', predicate: 'is', confidence: 0.8 }
  const fact = await cairn.facts.add({ ...about, record: heron.id, object: 'patient' })
  await cairn.facts.add({ ...about, record: grey.id, object: 'hasty' })
  await cairn.links.add({ from: heron.id, to: grey.id, note: 'the same bird' })
  const works = await cairn.works.import([
    work('Herons of the north', {
      authors: people('Ada Stone'),
      year: 2019,
      doi: '10.1000/own',
      citationKey: 'stone2019herons',
      references: ['doi:10.1000/cited', 'doi:10.1000/secret'],
    }),
    work('Lakes and reeds', { year: 2001, doi: '10.1000/cited', abstract: 'Where herons stand.' }),
  ])
  await cairn.lenses.save('mine', { tags: ['birds'], mode: 'keyword' })
  await cairn.import(notes, { tags: ['notes'] })
  return {
    heron: heron.id,
    grey: grey.id,
    old: old.id,
    newer: newer.id,
    deleted: deleted.id,
    fact: fact.id,
    work: works.outcomes[0]?.id ?? '',
  }
}

type Mine = Awaited<ReturnType<typeof fillOwn>>

/** Changes every count, average and order that an answer could depend on, and joins itself to what is there. */
async function fillForeign(cairn: Cairn, mine: Mine, notes: string) {
  const record = await cairn.add({
    body: `The heron and the ${SECRET} stand in the lake.`,
    title: SECRET,
    tags: ['birds', 'secret'],
    createdIn: 'standup',
  })
  const deleted = await cairn.add({ body: `A ${SECRET} that was deleted.` })
  await cairn.delete([deleted.id])
  // Common here, rare there; spelled nearly alike; nearly the same as what will be added.
  for (let i = 0; i < 12; i++) {
    await cairn.add({
      body: `heron heron number ${i}, heronry and tides, ferries leave the ${SECRET}`,
      metadata: { place: 'lake', depth: i },
    })
    await cairn.add({ body: `The kingfisher dives into the lake at dawn, time ${i}.` })
    await cairn.add({ body: 'cormorant '.repeat(100 + i) })
  }
  const old = await cairn.add({ body: `An old ${SECRET} ferry.` })
  await cairn.supersede(old.id, record.id)
  await cairn.sessions.start({ id: 'theirs', title: 'Planning' })
  await cairn.sessions.start({ id: 'standup-of-others' })
  await cairn.add({ body: `${SECRET} said in a session`, session: 'theirs' })
  await cairn.reinforce([record.id], { session: 'standup' })
  await cairn.search(`${SECRET} heron`, { recallSession: 'theirs', namespaces: FOREIGN })
  await cairn.sessions.end('theirs', { summary: `A summary with ${SECRET}.` })
  const about = { predicate: 'is', object: SECRET, confidence: 0.9 }
  const fact = await cairn.facts.add({ ...about, record: record.id, subject: 'heron' })
  await cairn.links.add({ from: mine.heron, to: record.id, note: SECRET })
  await cairn.links.add({ from: record.id, to: mine.grey, type: 'CONTRADICTS', note: SECRET })
  await cairn.works.import([
    work(`The ${SECRET} of the north`, {
      doi: '10.1000/secret',
      citationKey: 'secret2020',
      references: ['doi:10.1000/own'],
    }),
    work('Herons of the north', { doi: '10.1000/own', citationKey: 'stone2019herons' }),
  ])
  const cited = await cairn.works.get('secret2020')
  await cairn.works.addCitations([{ from: mine.work, to: cited?.record.id ?? '' }])
  await cairn.lenses.save('theirs', { tags: ['secret'], namespaces: FOREIGN })
  await cairn.lenses.save('mine', { tags: ['secret'] })
  await cairn.import(notes, { tags: ['theirs'] })
  return {
    record: record.id,
    deleted: deleted.id,
    fact: fact.id,
    work: cited?.record.id ?? '',
  }
}
