/** Searches a small library for texts that nobody would write, until the time is up. */

import process from 'node:process'
import { createFreshLibraries } from '../lib/fresh-library.mjs'
import { tellFigures, tryInputs } from '../lib/fuzz.mjs'
import { mutateBytes, mutateValue } from '../lib/mutate.mjs'

const task = JSON.parse(process.argv[2])
const { seconds, seed } = task
const libraries = await createFreshLibraries(task)

const TEXTS = [
  'The deployment process runs on Thursdays; see foo-bar and user@host for v2026.4.10.',
  'C++ and C# are languages. "Quotes", (parentheses) and NEAR( here.',
  '東京都に住んでいます。 데이터베이스 백업. 我们在北京部署服务。',
  'naïve café Zoë — ½ 🎉 \u0000 control',
]
const QUERIES = [
  'deploy* NOT staging',
  'title:"solid state" OR body:c++',
  'NEAR(process thursdays, 5) -foo',
  '(a OR (b AND "c d")) tag:x',
  '東京 백업',
  'user@host v2026.4.10',
]
const SYNTAX = [
  '"',
  '(',
  ')',
  '*',
  '-',
  'AND',
  'OR',
  'NOT',
  'NEAR(',
  ',',
  ':',
  'title:',
  'tag:',
  'body:',
  '^',
  '+',
  '{',
  '}',
  "'",
  '\\',
  ';',
  '--',
  '\u0000',
  ' ',
  '東',
  'deploy',
  '\ud800',
  '%',
  '_',
]
const OPTIONS = [
  {},
  { mode: 'semantic', threshold: 0.2 },
  { mode: 'keyword', match: 'any', fields: ['title'] },
  { lens: 'memory', explain: true, facets: true },
  { limit: 3, offset: 2, tags: ['x'], kinds: 'memory' },
  { asOf: '2026-01-01', includeSuperseded: true, namespaces: ['default'] },
  { alpha: 0.3, k: 10, recencyWeight: 0.5, minSalience: 0.1 },
  { since: '7d', until: 'today', ids: ['01ARZ3NDEKTSV4RRFFQ69G5FAV'] },
]

const cairn = await libraries.open({ cache: false })
await cairn.addMany(TEXTS.map((body) => ({ body, tags: ['x'] })))

function inputs(chance) {
  const query = chance.pick([
    () =>
      Array.from({ length: chance.below(20) }, () => chance.pick(SYNTAX)).join(
        chance.pick(['', ' ']),
      ),
    () => mutateBytes(Buffer.from(chance.pick(QUERIES)), chance).toString(),
    () =>
      String.fromCodePoint(...Array.from({ length: chance.below(30) }, () => chance.below(0xd800))),
    () => chance.pick(QUERIES).repeat(chance.below(50)),
  ])()
  const options = chance.pick(OPTIONS)
  return { query, options: chance.share() < 0.3 ? mutateValue(options, chance) : options }
}

async function tryOne({ query, options }) {
  const { hits, total } = await cairn.search(query, options)
  const counted = hits.filter(({ weak }) => !weak).length
  if (counted > total.value) throw new Error(`${counted} hits of ${total.value}`)
  for (const { score } of hits)
    if (!(score >= 0 && score <= 1)) throw new Error(`a score of ${score}`)
}

await tellFigures((telling) => tryInputs({ seconds, seed, inputs, tryOne, ...telling }))
await libraries.close()
