/** Another SQLite program writes what it likes: the index follows, odd values are refused or read, and nothing breaks. */

import { join } from 'node:path'
import Database from 'better-sqlite3'
import { attempt, expectValue } from './lib/attempt.mjs'
import { createChance } from './lib/chance.mjs'
import { LIBRARY } from './lib/children.mjs'

export const about =
  'another program updates, inserts, replaces and deletes rows, with and without constraints and recursive triggers'
export const seconds = 20
export const tell = ({ files, statements, refused, odd, operations }) =>
  `${files} files, ${statements} statements, ${refused} refused, ${odd} files with odd values, ${operations} operations on them`

const TEXTS = [
  "'quince pear'",
  "'東京 plum'",
  "'C++ and C#'",
  "''",
  "'a b c'",
  'NULL',
  "x'ff00'",
  '5',
]
const TIMES = [
  '1700000000000',
  '0',
  '-1',
  'NULL',
  "'last week'",
  "'2026-01-02'",
  '1.7e18',
  '1e300',
  '9e15',
]
const LISTS = [`'["x"]'`, `'["東京", "x y"]'`, "'[]'", `'{"a": 1}'`, "'x'", `'"x"'`, 'NULL', "'[1'"]
const OBJECTS = ["'{}'", `'{"a": [1]}'`, "'[]'", "'{a: 1}'", 'NULL', "''"]
const NUMBERS = ['0.3', '1', '7', '-1', '9e999', "'high'", 'NULL']
const VALUES = {
  ...Object.fromEntries(
    ['title', 'body', 'source', 'namespace', 'title_ix', 'body_ix', 'tags_ix', 'context'].map(
      (c) => [c, TEXTS],
    ),
  ),
  ...Object.fromEntries(
    [
      'created_at',
      'updated_at',
      'occurred_at',
      'deleted_at',
      'superseded_at',
      'accessed_at',
      'valid_from',
    ].map((c) => [c, TIMES]),
  ),
  tags: LISTS,
  people: LISTS,
  metadata: OBJECTS,
  importance: NUMBERS,
  salience: NUMBERS,
  sector: ["'semantic'", "'cellar'", 'NULL'],
  tier: ["'global'", "'attic'"],
  kind: ["'document'", "'poem'"],
}
/** What a foreign statement may fail with: it was refused, and the file is as it was. */
const REFUSED = /^(SQLITE_CONSTRAINT|SQLITE_MISMATCH|SQLITE_ERROR: malformed JSON)/
/** Whatever another program writes, these hold before any repair. */
const ALWAYS = ['format', 'pages', 'counts', 'fts', 'tags', 'past']

export async function run({ seconds: lasting, seed, folder, problem }) {
  const { openCairn } = await import(LIBRARY)
  const chance = createChance(seed)
  const figures = { files: 0, statements: 0, refused: 0, odd: 0, operations: 0 }
  const until = performance.now() + lasting * 1000
  do {
    const file = join(folder, `${figures.files++}.cairn`)
    const cairn = await openCairn({ file, cache: false })
    await fill(cairn)
    const raw = new Database(file)
    const isOn = () => chance.pick(['ON', 'OFF'])
    const settings = { recursive: isOn(), constraints: isOn(), keys: isOn() }
    raw.pragma(`recursive_triggers = ${settings.recursive}`)
    raw.pragma(`ignore_check_constraints = ${settings.constraints === 'ON' ? 'OFF' : 'ON'}`)
    raw.pragma(`foreign_keys = ${settings.keys}`)
    const written = []
    for (let i = 0; i < 25; i++) {
      const sql = chooseStatement(chance, settings)
      figures.statements += 1
      try {
        raw.exec(sql)
        written.push(sql)
      } catch (error) {
        figures.refused += 1
        if (!REFUSED.test(`${error.code}: ${error.message}`)) {
          problem(
            `"${sql}" fails with ${error.code} ${error.message} (${JSON.stringify(settings)})`,
          )
        }
      }
    }
    raw.close()
    const when = `after ${written.slice(-3).join('; ')} (${JSON.stringify(settings)})`
    await use(cairn, when, { figures, problem, settings })
    await cairn.close()
  } while (performance.now() < until)
  return figures
}

async function fill(cairn) {
  await cairn.addMany([
    { title: '梅', body: '東京 apple', tags: ['fruit', '東京'], people: ['山田'] },
    { body: 'pear C++', tags: ['fruit'], metadata: { a: 1 } },
    { body: 'plum', kind: 'document', occurredAt: '2026-01-01' },
  ])
  const [{ id }] = (await cairn.list()).records
  await cairn.edit(id, { body: 'plum jam' })
}

function chooseStatement(chance, { recursive }) {
  const set = () => {
    const column = chance.pick(Object.keys(VALUES))
    return [column, chance.pick(VALUES[column])]
  }
  const where = `row = (SELECT row FROM records ORDER BY row LIMIT 1 OFFSET ${chance.below(4)})`
  const form = chance.below(10)
  if (form === 0) return `DELETE FROM records WHERE ${where}`
  if (form <= 2) {
    const [column, value] = set()
    const given = {
      id: `'${`0${chance.below(1e9)}`.padEnd(26, '0')}'`,
      kind: "'memory'",
      namespace: "'default'",
    }
    const row = {
      ...given,
      body: "'new quince'",
      created_at: '1',
      updated_at: '1',
      [column]: value,
    }
    // Without recursive triggers a replaced row leaves its words behind, as docs/storage.md says.
    const verb = recursive === 'ON' && form === 1 ? 'INSERT OR REPLACE' : 'INSERT'
    if (verb !== 'INSERT') row.row = String(1 + chance.below(4))
    return `${verb} INTO records (${Object.keys(row)}) VALUES (${Object.values(row).join(', ')})`
  }
  const changes = new Map(Array.from({ length: 1 + chance.below(3) }, set))
  return `UPDATE records SET ${[...changes].map(([c, value]) => `${c} = ${value}`).join(', ')} WHERE ${where}`
}

async function use(cairn, when, { figures, problem, settings }) {
  const exportAll = async () => {
    const lines = []
    for await (const line of cairn.exportAll()) lines.push(line)
    return lines
  }
  const operations = {
    keywords: () =>
      cairn.search('quince 東京 plum', { mode: 'keyword', facets: true, match: 'any' }),
    hybrid: () => cairn.search('pear and plum', { explain: true, people: ['x'] }),
    past: () => cairn.search('plum', { asOf: '2026-06-01', tags: ['x'] }),
    list: () => cairn.list({ limit: 2 }),
    timeline: () => cairn.timeline({ since: '1970-01-01' }),
    stats: () => cairn.stats(),
    overview: () => cairn.overview(),
    embed: () => cairn.embed(),
    add: () => cairn.add({ body: 'a word of our own' }),
    exportAll,
  }
  for (const [name, operation] of Object.entries(operations)) {
    figures.operations += 1
    expectValue(await attempt(operation), `${name} ${when}`, problem)
  }
  const { checks } = await cairn.doctor()
  const failed = checks.filter(({ ok }) => !ok)
  if (failed.some(({ name }) => name === 'rows')) figures.odd += 1
  const never = settings.constraints === 'ON' ? [...ALWAYS, 'rows'] : ALWAYS
  for (const { name, detail } of failed) {
    if (never.includes(name)) problem(`doctor says ${name}: ${detail} ${when}`)
  }
  const repaired = await cairn.doctor({ repair: true })
  for (const { name, ok, detail } of repaired.checks) {
    if (!ok) problem(`after a repair doctor says ${name}: ${detail} ${when}`)
  }
}
