/** Adding records with words and vectors is timed beside the bare FTS5 insert of the same text. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import { openCairn } from '../dist/index.js'
import { createCorpus } from './lib/corpus.mjs'
import { batchesOf } from './lib/load.mjs'
import { compare, labelOf, median, memoryMB, round, time } from './lib/measure.mjs'
import { withTempFolder } from './lib/temp-folder.mjs'

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))
const ABSTRACTS = join('eval', 'scifact', 'corpus.jsonl')
/** The share of the bare bulk insert's records per second that Cairn is to reach with everything on. */
const BAR = { once: 0.25, long: 0.35 }
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
/** Records of one transaction, of ours and of the peers', unless the name says otherwise. */
const BATCH = 1000
/** So many are a long run, which looks at the memory: starting threads and compiling weigh little in it. */
const LONG = 100_000
/** So many records go to one, then to the other: a busy moment of the machine hits both. A slice ends with nothing under way, so it is long. */
const LONG_SLICE = 25_000
const MOST_PARTS = 10

export async function run({ quick = false, say = () => {}, ...given } = {}) {
  const options = { ...(quick ? QUICK : FULL), ...given }
  if (options.records >= LONG) {
    return { name: 'import', cases: await measureLong(options.records, say) }
  }
  const records = makeRecords(options.records, say)
  const samples = {}
  for (let turn = 0; turn < options.rounds; turn++) {
    const took = await withTempFolder((folder) => runRound(folder, records, { ...options, turn }))
    for (const [name, { ms, processorMs }] of Object.entries(took)) {
      samples[name] ??= { ms: [], processorMs: [] }
      samples[name].ms.push(ms)
      samples[name].processorMs.push(processorMs)
    }
    const shown = Object.entries(took).map(
      ([name, { ms }]) => `${name} ${Math.round((records.length / ms) * 1000)}`,
    )
    say(`round ${turn + 1} of ${options.rounds}, records a second: ${shown.join(', ')}`)
  }
  const long = quick ? [] : await measureLong(LONG, say)
  return { name: 'import', cases: [...casesOf(samples, options), ...long] }
}

/** One after the other, the other way round in every second turn: what each took for all records in a fresh file, with closing it. */
async function runRound(folder, records, { batches, turn }) {
  const contenders = listContenders(folder, batches)
  const names = Object.keys(contenders)
  const took = {}
  for (const name of turn % 2 === 0 ? names : names.toReversed()) {
    const { prepare, add, close } = await contenders[name](join(folder, name.replaceAll(' ', '-')))
    const given = prepare?.(records) ?? records
    const before = process.cpuUsage()
    const ms = await time(async () => {
      await add(given)
      await close()
    })
    const { user, system } = process.cpuUsage(before)
    took[name] = { ms, processorMs: (user + system) / 1000 }
  }
  return Object.fromEntries(names.map((name) => [name, took[name]]))
}

/** How each opens its file. */
function listContenders(folder, batches) {
  return {
    ...Object.fromEntries(
      batches.map((batch) => [`per ${batch}`, (file) => openOurs(file, { batch })]),
    ),
    'two at once': (file) => openOurs(file, { atOnce: 2 }),
    'from a file': (file) => openImport(file, folder),
    'as memories': (file) => openOurs(file, { kind: 'memory' }),
    'without vectors': (file) => openOurs(file, { vectors: false }),
    triggers: (file) => openBare(file, addByTrigger),
    bulk: (file) => openBare(file, addInBulk),
  }
}

/** `atOnce` calls are under way: the texts of one batch are read while another is written. */
async function openOurs(file, { batch = BATCH, kind = 'document', atOnce = 1, ...options }) {
  const cairn = await openCairn({ file, ...options })
  return {
    prepare: (records) => records.map((record) => ({ ...record, kind })),
    add: (inputs) => addAll(cairn, batchesOf(inputs, batch), atOnce),
    close: () => cairn.close(),
  }
}

async function addAll(cairn, batches, atOnce) {
  const underWay = []
  for (const batch of batches) {
    if (underWay.length >= atOnce) await underWay.shift()
    underWay.push(cairn.addMany(batch))
  }
  await Promise.all(underWay)
}

/** As `cairn import` does it: also reads the file, and remembers every line. */
async function openImport(file, folder) {
  const cairn = await openCairn({ file })
  return {
    prepare(records) {
      const path = join(folder, 'records.jsonl')
      const lines = records.map((record) => JSON.stringify({ ...record, kind: 'document' }))
      writeFileSync(path, `${lines.join('\n')}\n`)
      return path
    },
    add: (path) => cairn.import(path, { batch: BATCH }),
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
  return inBatches(
    db.transaction((group) => {
      for (const { title, body, tags } of group) insert.run(title, body, tags.join(' '))
    }),
  )
}

/** What a careful program writes: the index is filled once per transaction. */
function addInBulk(db) {
  const insert = db.prepare(SQL.insert)
  const last = db.prepare(SQL.last).pluck()
  const fill = db.prepare(SQL.fill)
  return inBatches(
    db.transaction((group) => {
      const before = last.get()
      for (const { title, body, tags } of group) insert.run(title, body, tags.join(' '))
      fill.run(before)
    }),
  )
}

function inBatches(add) {
  return (slice) => {
    for (const group of batchesOf(slice, BATCH)) add(group)
  }
}

function casesOf(samples, { records, batches }) {
  const against = (ours, peer, peerName) =>
    caseOf(`${records / 1000}k ${ours}`, samples[ours], samples[peer], { peerName, records })
  const inBulk = (ours) => against(ours, 'bulk', 'bare FTS5 in bulk')
  return [
    inBulk('two at once'),
    inBulk('from a file'),
    ...batches.map((batch) => inBulk(`per ${batch}`)),
    inBulk('as memories'),
    inBulk('without vectors'),
    against('two at once', 'triggers', 'bare FTS5 by triggers'),
    against('from a file', 'triggers', 'bare FTS5 by triggers'),
  ]
}

/** Two batches at once beside the bulk insert: how fast it goes and what memory it takes, part by part. */
function measureLong(count, say) {
  return withTempFolder(async (folder) => {
    const ours = await openOurs(join(folder, 'long.cairn'), { atOnce: 2 })
    const peer = openBare(join(folder, 'long.db'), addInBulk)
    const records = eachRecord(count, say)
    const partCount = Math.min(MOST_PARTS, Math.ceil(count / LONG_SLICE))
    const parts = []
    for (let i = 1; i <= partCount; i++) {
      parts.push(await timePart({ ours, peer }, records, Math.round(count / partCount)))
      say(`part ${i} of ${partCount}, ${count} records: ${JSON.stringify(parts.at(-1))}`)
    }
    const closing = { ours: await time(() => ours.close()), peer: await time(() => peer.close()) }
    return [longCase(count, parts, closing)]
  })
}

async function timePart({ ours, peer }, records, count) {
  const took = { ours: 0, peer: 0 }
  const memory = []
  for (let left = count; left > 0; left -= LONG_SLICE) {
    const slice = [...taken(records, Math.min(left, LONG_SLICE))]
    const inputs = ours.prepare(slice)
    took.ours += await time(() => ours.add(inputs))
    memory.push(memoryMB())
    took.peer += await time(() => peer.add(slice))
  }
  return { ...took, memoryMB: median(memory) }
}

function longCase(count, parts, closing) {
  const sum = (name) => parts.reduce((all, part) => all + part[name], closing[name])
  const perSecond = (ms) => round((count / parts.length / ms) * 1000)
  const [first, last] = [parts[0], parts.at(-1)]
  const share = round(sum('peer') / sum('ours'))
  const metrics = {
    recordsPerSecond: round((count / sum('ours')) * 1000),
    peerRecordsPerSecond: round((count / sum('peer')) * 1000),
    share,
    recordsPerSecondFirst: perSecond(first.ours),
    recordsPerSecondLast: perSecond(last.ours),
    memoryMBFirst: first.memoryMB,
    memoryMBLast: last.memoryMB,
  }
  const one = compare(
    `${labelOf(count)} two at once, a ${NAME_OF_PART[parts.length] ?? 'part'} of them`,
    {
      ours: parts.map((part) => part.ours),
      peer: parts.map((part) => part.peer),
      peerName: 'bare FTS5 in bulk',
      metrics,
    },
  )
  return { ...one, bar: describeBar(share, BAR.long) }
}

function describeBar(share, least) {
  return { says: `at least ${least * 100} % of the peer’s speed`, met: share >= least }
}

const NAME_OF_PART = { 4: 'quarter', 10: 'tenth' }

function* taken(records, count) {
  for (let i = 0; i < count; i++) yield records.next().value
}

/**
 * Times are those of all records; `share` is the median of the rounds, each within itself. Processor time is that of all
 * threads: where other programs want the same cores, it says more than the clock.
 */
function caseOf(name, ours, peer, { peerName, records }) {
  const perSecond = ({ ms }) => round((records / median(ms)) * 1000)
  const processorMicros = ({ processorMs }) => round((median(processorMs) / records) * 1000)
  const share = round(median(ours.ms.map((ms, i) => peer.ms[i] / ms)))
  const metrics = {
    recordsPerSecond: perSecond(ours),
    peerRecordsPerSecond: perSecond(peer),
    share,
    processorMicros: processorMicros(ours),
    peerProcessorMicros: processorMicros(peer),
  }
  const one = compare(name, { ours: ours.ms, peer: peer.ms, peerName, metrics })
  return name.endsWith(`per ${BATCH}`) ? { ...one, bar: describeBar(share, BAR.once) } : one
}

function makeRecords(count, say) {
  return [...eachRecord(count, say)]
}

/** Real abstracts where they are there. */
function* eachRecord(count, say) {
  const bases = [process.env.CAIRN_SHARED, join(ROOT, '..', 'shared')].filter(Boolean)
  const file = bases.map((base) => join(base, ABSTRACTS)).find((path) => existsSync(path))
  if (file === undefined) {
    say('no abstracts are there: the texts are generated')
    yield* generateAbstracts(count)
    return
  }
  const abstracts = readFileSync(file, 'utf8').trimEnd().split('\n').map(readAbstract)
  for (let i = 0; i < count; i++) {
    yield vary(abstracts[i % abstracts.length], Math.floor(i / abstracts.length))
  }
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

function* generateAbstracts(count) {
  const groups = batchesOf(
    createCorpus().records(count * RECORDS_PER_ABSTRACT),
    RECORDS_PER_ABSTRACT,
  )
  for (const [first, ...others] of groups) {
    const body = [first, ...others].map((record) => record.body).join(' ')
    yield { title: first.title, body, tags: first.tags }
  }
}
