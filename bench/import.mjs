/** Promise: adding records with words and vectors is timed beside the bare FTS5 insert of the same text. */

import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import { openCairn } from '../dist/index.js'
import { createCorpus } from './lib/corpus.mjs'
import { batchesOf } from './lib/load.mjs'
import { compare, median, round, time } from './lib/measure.mjs'
import { withTempFolder } from './lib/temp-folder.mjs'

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))
const ABSTRACTS = join('eval', 'scifact', 'corpus.jsonl')
/** The share of the bare insert's records per second that Cairn has to reach with everything on. */
const BAR = 0.4
/** Generated records are short: so many of them make the length of an abstract. */
const RECORDS_PER_ABSTRACT = 3

const TABLES = `
  CREATE TABLE records (id INTEGER PRIMARY KEY, title TEXT, body TEXT, tags TEXT);
  CREATE VIRTUAL TABLE ft USING fts5 (title, body, tags, content = 'records', content_rowid = 'id',
    tokenize = 'porter unicode61 remove_diacritics 2');`
const TRIGGER = `
  CREATE TRIGGER added AFTER INSERT ON records BEGIN
    INSERT INTO ft (rowid, title, body, tags) VALUES (new.id, new.title, new.body, new.tags);
  END;`
const SQL = {
  insert: 'INSERT INTO records (title, body, tags) VALUES (?, ?, ?)',
  last: 'SELECT coalesce(max(id), 0) FROM records',
  fill: `INSERT INTO ft (rowid, title, body, tags)
    SELECT id, title, body, tags FROM records WHERE id > ?`,
}

const FULL = { records: 20_000, batches: [256, 1000], rounds: 5 }
const QUICK = { records: 2000, batches: [1000], rounds: 3 }
/**
 * So many records go to one contender, then to the next: a busy moment of the machine hits them alike. Also one
 * transaction of the peers; ours in batches of 256 make four of it, the last a little smaller.
 */
const SLICE = 1000

export async function run({ quick = false, say = () => {}, ...given } = {}) {
  const options = { ...(quick ? QUICK : FULL), ...given }
  const records = makeRecords(options.records, say)
  const samples = new Map()
  for (let turn = 0; turn < options.rounds; turn++) {
    const took = await withTempFolder((folder) => runRound(folder, records, options))
    for (const [name, ms] of Object.entries(took)) {
      samples.set(name, [...(samples.get(name) ?? []), ms])
    }
    const shown = Object.entries(took).map(
      ([name, ms]) => `${name} ${Math.round((records.length / ms) * 1000)}`,
    )
    say(`round ${turn + 1} of ${options.rounds}, records a second: ${shown.join(', ')}`)
  }
  return { name: 'import', cases: casesOf(Object.fromEntries(samples), options) }
}

/** Fresh files; the milliseconds that each contender took for all records, without opening and closing. */
async function runRound(folder, records, options) {
  const contenders = await openContenders(folder, options)
  const names = Object.keys(contenders)
  const took = Object.fromEntries(names.map((name) => [name, 0]))
  try {
    for (const [i, slice] of [...batchesOf(records, SLICE)].entries()) {
      for (const name of i % 2 === 0 ? names : names.toReversed()) {
        took[name] += await time(() => contenders[name].add(slice))
      }
    }
    return took
  } finally {
    for (const contender of Object.values(contenders)) await contender.close()
  }
}

async function openContenders(folder, { batches }) {
  const file = (name) => join(folder, name.replaceAll(' ', '-'))
  const largest = Math.max(...batches)
  const contenders = {}
  for (const batch of batches) {
    contenders[`per ${batch}`] = await openOurs(file(`per ${batch}`), { batch })
  }
  contenders['as memories'] = await openOurs(file('memories'), { batch: largest, kind: 'memory' })
  contenders['without vectors'] = await openOurs(file('words'), { batch: largest, vectors: false })
  contenders.triggers = openBare(file('triggers'), addByTrigger)
  contenders.bulk = openBare(file('bulk'), addInBulk)
  return contenders
}

async function openOurs(file, { batch, kind = 'document', ...options }) {
  const cairn = await openCairn({ file, ...options })
  return {
    async add(slice) {
      const inputs = slice.map((record) => ({ ...record, kind }))
      for (const group of batchesOf(inputs, batch)) await cairn.addMany(group)
    },
    close: () => cairn.close(),
  }
}

function openBare(file, createAdd) {
  const db = new Database(file)
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = NORMAL')
  db.exec(TABLES)
  return { add: createAdd(db), close: () => db.close() }
}

/** What most people write: the index follows the table row by row. */
function addByTrigger(db) {
  db.exec(TRIGGER)
  const insert = db.prepare(SQL.insert)
  return db.transaction((group) => {
    for (const { title, body, tags } of group) insert.run(title, body, tags.join(' '))
  })
}

/** What a careful program writes: the index is filled once per transaction. */
function addInBulk(db) {
  const insert = db.prepare(SQL.insert)
  const last = db.prepare(SQL.last).pluck()
  const fill = db.prepare(SQL.fill)
  return db.transaction((group) => {
    const before = last.get()
    for (const { title, body, tags } of group) insert.run(title, body, tags.join(' '))
    fill.run(before)
  })
}

function casesOf(samples, { records, batches }) {
  const against = (ours, peer, peerName, bar) =>
    caseOf(`${records / 1000}k ${ours}`, samples[ours], samples[peer], { peerName, records, bar })
  const largest = `per ${Math.max(...batches)}`
  return [
    ...batches.map((batch) => against(`per ${batch}`, 'triggers', 'bare FTS5 by triggers', BAR)),
    against(largest, 'bulk', 'bare FTS5 in bulk'),
    against('as memories', 'triggers', 'bare FTS5 by triggers'),
    against('without vectors', 'triggers', 'bare FTS5 by triggers'),
  ]
}

/** Times are those of all records; `share` is the median of the rounds, each within itself. */
function caseOf(name, ours, peer, { peerName, records, bar }) {
  const perSecond = (ms) => round((records / median(ms)) * 1000)
  const share = round(median(ours.map((ms, i) => peer[i] / ms)))
  const metrics = {
    recordsPerSecond: perSecond(ours),
    peerRecordsPerSecond: perSecond(peer),
    share,
  }
  const one = compare(name, { ours, peer, peerName, metrics })
  if (bar === undefined) return one
  return { ...one, bar: { says: `at least ${bar * 100} % of the peer’s speed`, met: share >= bar } }
}

function makeRecords(count, say) {
  const bases = [process.env.CAIRN_SHARED, join(ROOT, '..', 'shared')].filter(Boolean)
  const file = bases.map((base) => join(base, ABSTRACTS)).find((path) => existsSync(path))
  if (file === undefined) {
    say('no abstracts are there: the texts are generated')
    return generateAbstracts(count)
  }
  const abstracts = readFileSync(file, 'utf8').trimEnd().split('\n').map(readAbstract)
  return Array.from({ length: count }, (_, i) =>
    vary(abstracts[i % abstracts.length], Math.floor(i / abstracts.length)),
  )
}

function readAbstract(line, i) {
  const { title, text } = JSON.parse(line)
  return { title, body: text, tags: ['abstract', `shelf-${i % 50}`] }
}

/** The same words in another order of sentences, so that no text is there twice. */
function vary({ title, body, tags }, turn) {
  if (turn === 0) return { title, body, tags }
  const sentences = body.split(/(?<=\.) /)
  const at = turn % sentences.length
  const turned = [...sentences.slice(at), ...sentences.slice(0, at)].join(' ')
  return { title: `${title} (${turn + 1})`, body: turned, tags }
}

function generateAbstracts(count) {
  const groups = batchesOf(
    createCorpus().records(count * RECORDS_PER_ABSTRACT),
    RECORDS_PER_ABSTRACT,
  )
  return Array.from(groups, ([first, ...others]) => ({
    title: first.title,
    body: [first, ...others].map(({ body }) => body).join(' '),
    tags: first.tags,
  }))
}
