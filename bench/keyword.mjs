/** Compares keyword search with plain FTS5 on the same file. */

import { join } from 'node:path'
import Database from 'better-sqlite3'
import { openCairn } from '../dist/index.js'
import { createCorpus, RARE_NAMESPACE } from './lib/corpus.mjs'
import { BATCH, batchesOf, loadFile } from './lib/load.mjs'
import { compare, labelOf, median, memoryMB, race, round } from './lib/measure.mjs'
import { measureReal } from './lib/real-keyword.mjs'
import { withTempFolder } from './lib/temp-folder.mjs'

const LIMIT = 10
const MATCH = 'FROM records_ft WHERE records_ft MATCH ?'
const BM25 = 'bm25(records_ft)'
const BY_RANK = `ORDER BY rank LIMIT ${LIMIT}`

const SQL = {
  peer: `SELECT rowid ${MATCH} ${BY_RANK}`,
  /** The plus keeps FTS5 from being asked once per row of the namespace. */
  peerFiltered: `SELECT rowid ${MATCH}
    AND +rowid IN (SELECT row FROM records WHERE namespace = ?) ${BY_RANK}`,
  byBm25: `SELECT rowid, ${BM25} AS s ${MATCH} ORDER BY s LIMIT ${LIMIT}`,
  /** FTS5 refuses bm25() with a window function, so the scores are materialised first. */
  byBm25WithTotal: `WITH scored AS MATERIALIZED (SELECT rowid AS row, ${BM25} AS s ${MATCH})
    SELECT row, s, count(*) OVER () AS total FROM scored ORDER BY s LIMIT ${LIMIT}`,
  count: `SELECT count(*) ${MATCH}`,
  countCapped: `SELECT count(*) FROM (SELECT 1 ${MATCH} LIMIT 1000)`,
}

const FULL = {
  sizes: [10_000, 100_000],
  questions: 150,
  slowQuestions: 15,
  rounds: 5,
  added: 20_000,
  real: { size: 100_000, questions: 1000 },
}
const QUICK = {
  sizes: [2000],
  questions: 40,
  slowQuestions: 10,
  rounds: 3,
  added: 3000,
  real: { size: 2000, questions: 100 },
}
/** The number of questions where `records` is given: with a million, the peer is slow. */
const questionsFor = (records) => (records > 500_000 ? 250 : 600)

/** With `records`, only the real questions, on that many records, stored in `file` for another run. */
export async function run({ quick = false, say = () => {}, records, file, ...given } = {}) {
  if (records !== undefined) {
    const asked = { size: records, questions: questionsFor(records), file, say }
    const cases = await withTempFolder((folder) => measureReal({ folder, ...asked }))
    return { name: 'keyword', cases }
  }
  const options = { ...(quick ? QUICK : FULL), ...given }
  const cases = []
  for (const size of options.sizes) {
    cases.push(...(await withTempFolder((folder) => measureSize(folder, size, options, say))))
  }
  say(`adding ${options.added} records in each of several ways`)
  cases.push(...(await withTempFolder((folder) => measureAdding(folder, options))))
  cases.push(...(await withTempFolder((folder) => measureReal({ folder, say, ...options.real }))))
  return { name: 'keyword', cases }
}

async function measureSize(folder, size, options, say) {
  const label = labelOf(size)
  const corpus = createCorpus()
  const file = join(folder, 'keyword.cairn')
  say(`${label}: adding records`)
  const { cairn, recordsPerSecond } = await loadFile(file, corpus.records(size), {
    vectors: false,
  })
  const db = new Database(file)
  try {
    const questions = await readQuestions(cairn, corpus.questions(options.questions))
    const bench = { label, cairn, db, questions, options }
    say(`${label}: searching`)
    const plain = await measurePlain(bench)
    plain[0].metrics.recordsPerSecond = recordsPerSecond
    return [
      ...plain,
      await measureAuto(bench),
      await measureFilter(bench),
      ...(await measureTotals(bench)),
    ]
  } finally {
    db.close()
    await cairn.close()
  }
}

/** The words that Cairn searches for, joined by OR for the peer. */
async function readQuestions(cairn, texts) {
  const questions = []
  for (const text of texts) {
    const { query } = await cairn.search({ query: text, match: 'any', limit: 1, highlight: false })
    questions.push({
      text,
      match: anyOf(query.readAs.split(' ')),
      matchTyped: anyOf(text.replace('?', '').split(' ')),
    })
  }
  return questions
}

function anyOf(words) {
  return words.map((word) => `"${word.replaceAll('"', '""')}"`).join(' OR ')
}

async function measurePlain({ label, cairn, db, questions, options }) {
  const byRank = db.prepare(SQL.peer)
  const byBm25 = db.prepare(SQL.byBm25)
  const samples = await race(
    {
      ours: ({ text }) => searchAny(cairn, text),
      byBm25: ({ match }) => byBm25.all(match),
      byRank: ({ match }) => byRank.all(match),
      typed: ({ matchTyped }) => byRank.all(matchTyped),
    },
    questions,
    options,
  )
  return [
    compare(`${label} search`, {
      ours: samples.ours,
      peer: samples.byRank,
      peerName: 'FTS5 ORDER BY rank, ids only',
      metrics: { memoryMB: memoryMB() },
    }),
    compare(`${label} search, function words kept by the peer`, {
      ours: samples.ours,
      peer: samples.typed,
      peerName: 'FTS5, every word typed',
    }),
    compare(`${label} ranking only, ORDER BY bm25()`, {
      ours: samples.byBm25,
      peer: samples.byRank,
      peerName: 'FTS5 ORDER BY rank, ids only',
    }),
  ]
}

function searchAny(cairn, query, more = {}) {
  return cairn.search({
    query,
    match: 'any',
    mode: 'keyword',
    limit: LIMIT,
    highlight: false,
    ...more,
  })
}

async function measureAuto({ label, cairn, db, questions, options }) {
  const byRank = db.prepare(SQL.peer)
  const samples = await race(
    {
      ours: ({ text }) => searchAny(cairn, text, { match: 'auto' }),
      peer: ({ match }) => byRank.all(match),
    },
    questions,
    options,
  )
  let relaxed = 0
  for (const { text } of questions) {
    const { query } = await searchAny(cairn, text, { match: 'auto' })
    if (query.relaxed) relaxed++
  }
  return compare(`${label} search, match auto`, {
    ours: samples.ours,
    peer: samples.peer,
    peerName: 'FTS5 ORDER BY rank, any word',
    metrics: { relaxedShare: round(relaxed / questions.length) },
  })
}

async function measureFilter({ label, cairn, db, questions, options }) {
  const filtered = db.prepare(SQL.peerFiltered)
  const samples = await race(
    {
      ours: ({ text }) => searchAny(cairn, text, { namespaces: [RARE_NAMESPACE] }),
      peer: ({ match }) => filtered.all(match, RARE_NAMESPACE),
    },
    questions.slice(0, options.slowQuestions),
    { ...options, rounds: Math.min(3, options.rounds) },
  )
  return compare(`${label} search, a filter that passes 1 %`, {
    ours: samples.ours,
    peer: samples.peer,
    peerName: 'FTS5 MATCH … AND +rowid IN (…)',
  })
}

/** The cost of counting all matches besides ranking, in three ways. */
async function measureTotals({ label, db, questions, options }) {
  const byBm25 = db.prepare(SQL.byBm25)
  const withTotal = db.prepare(SQL.byBm25WithTotal)
  const count = db.prepare(SQL.count)
  const capped = db.prepare(SQL.countCapped)
  const samples = await race(
    {
      apart: ({ match }) => [byBm25.all(match), count.get(match)],
      none: ({ match }) => byBm25.all(match),
      over: ({ match }) => withTotal.all(match),
      capped: ({ match }) => [byBm25.all(match), capped.get(match)],
    },
    questions,
    options,
  )
  const matches = median(questions.map(({ match }) => count.pluck().get(match)))
  const against = (peer, peerName) =>
    compare(`${label} ranking and count(*) apart, against ${peerName}`, {
      ours: samples.apart,
      peer,
      peerName,
      metrics: { medianMatches: Math.round(matches) },
    })
  return [
    against(samples.none, 'no count'),
    against(samples.over, 'count(*) OVER ()'),
    against(samples.capped, 'count up to 1000'),
  ]
}

/** Each has its own file; batches go to both in turn. */
async function measureAdding(folder, { added }) {
  const batches = [...batchesOf(createCorpus().records(added), BATCH)]
  const ours = await openCairn({ file: join(folder, 'ours.cairn'), vectors: false })
  const bare = createBareIndex(join(folder, 'bare.db'))
  try {
    const samples = await race(
      { ours: (batch) => ours.addMany(batch), bare: (batch) => bare.add(batch) },
      batches,
      { rounds: 1, warmUp: 0 },
    )
    const perSecond = (times) => round((added / times.reduce((sum, ms) => sum + ms, 0)) * 1000)
    const one = compare(`adding ${added / 1000}k, per ${BATCH}, against bare FTS5 table`, {
      ours: samples.ours,
      peer: samples.bare,
      peerName: 'bare FTS5 table',
      metrics: {
        recordsPerSecond: perSecond(samples.ours),
        peerRecordsPerSecond: perSecond(samples.bare),
      },
    })
    return [one]
  } finally {
    bare.close()
    await ours.close()
  }
}

/** The minimum that makes the same texts searchable: no ids, no filters, no check for duplicates. */
function createBareIndex(file) {
  const db = new Database(file)
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = NORMAL')
  db.exec(`CREATE VIRTUAL TABLE ft USING fts5 (title, body, tags,
    tokenize = 'porter unicode61 remove_diacritics 2')`)
  const insert = db.prepare('INSERT INTO ft VALUES (?, ?, ?)')
  return {
    add: db.transaction((batch) => {
      for (const { title, body, tags } of batch) insert.run(title, body, tags.join(' '))
    }),
    close: () => db.close(),
  }
}
