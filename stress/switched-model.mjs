/** While another process puts one model after the other in charge, every answer is of one model alone, and none fails. */

import { join } from 'node:path'
import { attempt, expectValue } from './lib/attempt.mjs'
import { createChance } from './lib/chance.mjs'
import { LIBRARY, pause, startChild } from './lib/children.mjs'

export const about =
  'another process changes the embedding model, and forgets the old one, while this one searches'
export const seconds = 20
export const tell = ({ switches, searches, by64, by48, by96 }) =>
  `${switches} switches, ${searches} searches: ${by64}, ${by48} and ${by96} answered by each of three models, none by two`

const MODELS = [
  { provider: 'fake', dimensions: 64 },
  { provider: 'fake', dimensions: 48 },
  { provider: 'fake', dimensions: 96 },
]
const MODES = ['semantic', 'hybrid']
const RECORDS = 150
const QUERIES = ['red apple basket', 'green pear market', 'old harbour ledger', 'number 17 basket']
/** Those of words alone are compared by one byte a dimension, the nearest by two. */
const SAME = 0.015

export async function run({ seconds: lasting, seed, folder, problem }) {
  const { openCairn } = await import(LIBRARY)
  const chance = createChance(seed)
  const bodies = Array.from({ length: RECORDS }, (_, i) => {
    const words = QUERIES.join(' ').split(' ')
    return `${chance.pick(words)} ${chance.pick(words)} ${chance.pick(words)} note ${i}`
  })
  const expected = await measureAlone({ openCairn, folder, bodies })
  const figures = {
    switches: 0,
    searches: 0,
    ...Object.fromEntries(MODELS.map(({ dimensions }) => [`by${dimensions}`, 0])),
  }
  for (const forget of [false, true]) {
    const file = join(folder, `switched-${forget}.cairn`)
    const cairn = await openCairn({ file, vectors: MODELS[0], cache: false })
    await cairn.addMany(bodies.map((body) => ({ body })))
    const switcher = startChild('switch-models', { file, models: MODELS, forget })
    while (switcher.out() === '' && switcher.child.exitCode === null) await pause(20)
    const until = performance.now() + (lasting * 1000) / 2
    while (performance.now() < until) {
      const query = chance.pick(QUERIES)
      const mode = chance.pick(MODES)
      const asked = await attempt(() => cairn.search(query, { mode, limit: 30, threshold: -1 }))
      const answer = expectValue(asked, `a search (${mode})`, problem)
      figures.searches += 1
      if (answer === undefined) continue
      const by = judge(answer, expected.get(`${mode} ${query}`))
      if (by.length === 0)
        problem(`an answer to "${query}" (${mode}) is of no single model: ${describe(answer)}`)
      else figures[`by${by[0]}`] += 1
      // Lets what happens outside come in.
      await pause(0)
    }
    if (switcher.child.exitCode !== null)
      problem(`the switching ended: ${(await switcher.done).err.slice(0, 500)}`)
    switcher.child.kill('SIGKILL')
    await switcher.done
    figures.switches += switcher.out().length
    if (!(await cairn.doctor()).ok) problem('the file is not sound')
    await cairn.close()
  }
  if (figures.switches < 2) problem('the model was not switched')
  return figures
}

/** What each model alone says of every record: mode and query → dimensions → body → similarity. */
async function measureAlone({ openCairn, folder, bodies }) {
  const expected = new Map()
  for (const vectors of MODELS) {
    const cairn = await openCairn({
      file: join(folder, `alone-${vectors.dimensions}.cairn`),
      vectors,
    })
    await cairn.addMany(bodies.map((body) => ({ body })))
    for (const [mode, query] of MODES.flatMap((one) => QUERIES.map((each) => [one, each]))) {
      const { hits } = await cairn.search(query, { mode, limit: RECORDS, threshold: -1 })
      const similarities = new Map(hits.map(({ record, similarity }) => [record.body, similarity]))
      const key = `${mode} ${query}`
      expected.set(key, (expected.get(key) ?? new Map()).set(vectors.dimensions, similarities))
    }
    await cairn.close()
  }
  return expected
}

/** The models that every hit of an answer agrees with. */
function judge({ hits }, expected) {
  if (hits.length === 0) return []
  return [...expected.keys()].filter((dimensions) =>
    hits.every(({ record, similarity }) => {
      const alone = expected.get(dimensions).get(record.body) ?? null
      if (similarity === null || alone === null) return similarity === alone
      return Math.abs(similarity - alone) < SAME
    }),
  )
}

function describe({ hits, degraded }) {
  const first = hits.slice(0, 3).map(({ record, similarity }) => `${record.body}: ${similarity}`)
  return JSON.stringify({ degraded, count: hits.length, first }).slice(0, 300)
}
