/** A clock that jumps takes nothing away: ids differ, every order holds, every signal stays within its bounds. */

import { join } from 'node:path'
import { createChance } from './lib/chance.mjs'
import { expectSound, expectStored } from './lib/checks.mjs'
import { LIBRARY } from './lib/children.mjs'

export const about =
  'the clock of the machine jumps back and forth while records are written and searched'
export const seconds = 5
export const tell = ({ jumps, back, records, searches }) =>
  `${jumps} jumps, ${back} of them back, ${records} records, ${searches} searches`

const DAY_MS = 86_400_000
const START = Date.UTC(2026, 5, 1)
/** Milliseconds that a jump may take, either way; years too: a battery that was empty. */
const JUMPS = [1, 1000, 3_600_000, DAY_MS, 400 * DAY_MS, 20 * 365 * DAY_MS]
/** All signals together ±20 %, recency at most 10 % on top (docs/ranking.md). */
const BOUNDS = { signals: [0.8, 1.2], recency: [1, 1.1] }

export async function run({ seconds: lasting, seed, folder, problem }) {
  const { openCairn } = await import(LIBRARY)
  const chance = createChance(seed)
  let clock = START
  const now = () => clock
  const cairn = await openCairn({ file: join(folder, 'clock.cairn'), now, cache: false })
  const stored = new Map()
  const figures = { records: 0, jumps: 0, back: 0, searches: 0 }
  const until = performance.now() + lasting * 1000
  do {
    const step = chance.pick(JUMPS) * (chance.share() < 0.5 ? -1 : 1)
    clock = Math.max(0, clock + Math.floor(step * chance.share()))
    figures.jumps += 1
    if (step < 0) figures.back += 1
    await writeSome(cairn, stored, chance, problem)
    await searchSome(cairn, chance, problem)
    figures.searches += 3
  } while (performance.now() < until)
  clock = START
  figures.records = stored.size
  await expectStored(cairn, stored, 'at the end', problem)
  await expectListed(cairn, stored, problem)
  await expectSound(cairn, 'at the end', problem)
  await cairn.close()
  return figures
}

async function writeSome(cairn, stored, chance, problem) {
  const session = await cairn.sessions.start({})
  const bodies = Array.from(
    { length: 3 },
    (_, i) => `apple ${stored.size + i} tree ${chance.below(1e9)}`,
  )
  const added = [
    await cairn.add({ body: bodies[0], session: session.id }),
    await cairn.add({ body: bodies[1] }),
    await cairn.add({ body: bodies[2] }),
  ]
  for (const [i, { id }] of added.entries()) {
    if (stored.has(id)) problem(`the id ${id} was given twice`)
    if (i > 0 && id <= added[i - 1].id)
      problem(`${id} was made after ${added[i - 1].id} and sorts before it`)
    stored.set(id, bodies[i])
  }
  const [first, second, third] = added.map(({ id }) => id)
  await cairn.facts.add({
    record: first,
    type: 'temporal',
    subject: 'tree',
    predicate: 'has',
    object: `${stored.size}`,
  })
  await cairn.reinforce([first])
  const changed = `${bodies[1]} changed`
  await cairn.edit(second, { body: changed })
  stored.set(second, changed)
  const { revisions } = await cairn.history(second)
  if (revisions.length !== 1 || revisions[0].body !== bodies[1])
    problem(`the history of ${second} is not whole`)
  await cairn.delete([third])
  await cairn.restore([third])
  await cairn.search('apple', { recallSession: session.id, limit: 2 })
  await cairn.sessions.end(session.id)
  const { endedAt, startedAt } = (await cairn.sessions.show(session.id)).session ?? {}
  if (endedAt !== null && endedAt < startedAt)
    problem(`the session ${session.id} ends before it starts`)
}

async function searchSome(cairn, chance, problem) {
  for (const lens of ['balanced', 'memory', 'recent']) {
    const { hits } = await cairn.search(`apple ${chance.below(50)}`, {
      lens,
      explain: true,
      limit: 20,
    })
    if (hits.length === 0) problem(`"apple" found nothing with the lens ${lens}`)
    for (const [i, { id, score, record, explanation }] of hits.entries()) {
      if (!(score >= 0 && score <= 1)) problem(`${id} scores ${score} with ${lens}`)
      if (i > 0 && score > hits[i - 1].score)
        problem(`${id} stands below a lower score with ${lens}`)
      if (!(record.salience >= 0.05 && record.salience <= 1))
        problem(`${id} has a salience of ${record.salience}`)
      if (lens === 'balanced') expectBounded(explanation, id, problem)
    }
  }
}

/** The signals multiply the score of the match; see docs/ranking.md. */
function expectBounded(explanation, id, problem) {
  const signals = partNamed(explanation, 'signals')
  const recency = partNamed(signals, 'recency')
  for (const [part, [least, most]] of [
    [signals, BOUNDS.signals],
    [recency, BOUNDS.recency],
  ]) {
    const isWithin = part?.score >= least - 1e-9 && part.score <= most + 1e-9
    if (!isWithin)
      problem(`${part?.name} of ${id} is ${part?.score}, and not within ${least} and ${most}`)
  }
}

/** The first part of this name at any depth: a score that is kept within bounds is a part of the bounded one. */
function partNamed(explanation, name) {
  for (const part of explanation?.parts ?? []) {
    const found = part.name === name ? part : partNamed(part, name)
    if (found !== undefined) return found
  }
}

/** Page by page everything comes once, newest first. */
async function expectListed(cairn, stored, problem) {
  const seen = []
  for (let cursor = null; ; ) {
    const page = await cairn.list({ limit: 50, cursor })
    seen.push(...page.records)
    cursor = page.next
    if (cursor === null) break
  }
  const ids = new Set(seen.map(({ id }) => id))
  if (seen.length !== stored.size || ids.size !== stored.size) {
    problem(`${stored.size} records are listed as ${seen.length}, ${ids.size} of them different`)
  }
  const times = seen.map(({ createdAt }) => createdAt)
  if (times.some((time, i) => i > 0 && time > times[i - 1]))
    problem('the list is not in the order of time')
}
