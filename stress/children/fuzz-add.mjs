/** Adds and edits what nobody would write, until the time is up; what was taken is read again. */

import process from 'node:process'
import { createFreshLibraries } from '../lib/fresh-library.mjs'
import { tellFigures, tryInputs } from '../lib/fuzz.mjs'
import { mutateValue } from '../lib/mutate.mjs'

const task = JSON.parse(process.argv[2])
const { seconds, seed } = task
const libraries = await createFreshLibraries(task)
/** After so many a new library, so that each input costs the same. */
const AT_ONCE = 500

const RECORDS = [
  { body: 'We deploy on Thursdays.', title: 'Release plan', tags: ['ops'], people: ['Ada'] },
  { body: 'Ada prefers tea.', kind: 'memory', sector: 'semantic', importance: 0.7, salience: 0.4 },
  { body: 'naïve café Zoë — ½ 🎉', occurredAt: '2026-03-01', source: 'notes', tier: 'global' },
  {
    body: '東京都に住んでいます。',
    metadata: { pages: [{ page: 1 }], doi: '10.1/x' },
    extractFacts: true,
  },
  {
    body: '# A heading\n\n- a list\n- of two\n\n```\ncode\n```',
    namespace: 'shop',
    session: 's-1',
  },
]
const WORK = {
  title: 'A work',
  authors: [{ family: 'Lovelace', given: 'Ada' }],
  year: 2020,
  doi: '10.1000/1',
  tags: ['x'],
}
const FACT = { subject: 'Ada', predicate: 'prefers', object: 'tea', confidence: 0.8 }

let cairn = null
let added = 0
let first = null
let last = null

function inputs(chance) {
  const kind = chance.pick(['add', 'add', 'addMany', 'edit', 'work', 'fact', 'link'])
  const record = chance.pick(RECORDS)
  const given = {
    add: record,
    addMany: [record, chance.pick(RECORDS)],
    edit: record,
    work: WORK,
    fact: FACT,
    link: { type: 'CITES', note: 'why' },
  }[kind]
  return { kind, given: mutateValue(given, chance) }
}

async function tryOne({ kind, given }) {
  if (added++ % AT_ONCE === 0) {
    cairn = await libraries.open()
    first = await cairn.add({ body: 'The first record.' })
    last = await cairn.add({ body: 'The second record.' })
  }
  const { id } = last
  if (kind === 'edit') return void (await cairn.edit(id, given))
  if (kind === 'work') return void (await cairn.works.import([given]))
  if (kind === 'fact') return void (await cairn.facts.add({ record: id, ...given }))
  if (kind === 'link') return void (await cairn.links.add({ from: id, to: first.id, ...given }))
  const answers = kind === 'add' ? [await cairn.add(given)] : await cairn.addMany(given)
  const ids = [...new Set(answers.map((answer) => answer.id))]
  const { records } = await cairn.get(ids)
  if (records.length !== ids.length) throw new Error('a record that was taken is not there')
  last = answers[0] ?? last
}

await tellFigures((telling) => tryInputs({ seconds, seed, inputs, tryOne, ...telling }))
await libraries.close()
