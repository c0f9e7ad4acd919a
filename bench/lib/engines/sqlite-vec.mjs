/** The hybrid pipeline that most people write: two indexes, the best hundred of each, fused by rank. */

import Database from 'better-sqlite3'
import * as sqliteVec from 'sqlite-vec'
import { BATCH, batchesOf } from '../load.mjs'
import { DEPTH, LIMIT } from './engines.mjs'

export const name = 'FTS5 any word + sqlite-vec f32 + RRF'
const DIMENSIONS = 256
const RRF_K = 60
/** The same page cache as Cairn, and the file memory-mapped, as guides to SQLite advise. */
const CACHE_KIB = 65_536
const MMAP_BYTES = 268_435_456

const SQL = {
  tables: `
    CREATE TABLE docs (row INTEGER PRIMARY KEY, title TEXT, body TEXT, tags TEXT, namespace TEXT);
    CREATE VIRTUAL TABLE words USING fts5 (title, body, content = 'docs', content_rowid = 'row',
      tokenize = 'porter unicode61');
    CREATE VIRTUAL TABLE meaning USING vec0 (namespace TEXT, vector float[${DIMENSIONS}])`,
  addDoc: 'INSERT INTO docs VALUES (?, ?, ?, ?, ?)',
  addWords: 'INSERT INTO words (rowid, title, body) VALUES (?, ?, ?)',
  addVector: 'INSERT INTO meaning (rowid, namespace, vector) VALUES (?, ?, ?)',
  byWords: `SELECT rowid AS row FROM words WHERE words MATCH ? ORDER BY rank LIMIT ${DEPTH}`,
  byMeaning: `SELECT rowid AS row FROM meaning WHERE vector MATCH ? AND k = ${DEPTH}
    ORDER BY distance`,
  byWordsIn: `SELECT docs.row FROM words JOIN docs ON docs.row = words.rowid
    WHERE words MATCH ? AND docs.namespace = ? ORDER BY rank LIMIT ${DEPTH}`,
  byMeaningIn: `SELECT rowid AS row FROM meaning WHERE vector MATCH ? AND namespace = ? AND k = ${DEPTH}
    ORDER BY distance`,
  doc: 'SELECT * FROM docs WHERE row = ?',
}

/** Statements are prepared once; ten whole records are loaded, as a program would show them. */
export function open(file, embedder) {
  const db = connect(file)
  const all = [db.prepare(SQL.byMeaning), db.prepare(SQL.byWords)]
  const filtered = [db.prepare(SQL.byMeaningIn), db.prepare(SQL.byWordsIn)]
  const doc = db.prepare(SQL.doc)
  return {
    search: (text, namespace) => {
      const [vector] = embedder.embedSync([text])
      const [byMeaning, byWords] = namespace === undefined ? all : filtered
      const more = namespace === undefined ? [] : [namespace]
      const near = byMeaning.all(bytesOf(vector), ...more)
      const matching = byWords.all(anyOf(text), ...more)
      return fuse(near, matching).map((row) => doc.get(row))
    },
    close: () => db.close(),
  }
}

export function fill(file, records, embedder) {
  const db = connect(file)
  db.exec(SQL.tables)
  const [addDoc, addWords, addVector] = [SQL.addDoc, SQL.addWords, SQL.addVector].map((sql) =>
    db.prepare(sql),
  )
  let row = 0
  const add = db.transaction((batch) => {
    for (const { title, body, tags = [], namespace = 'main' } of batch) {
      row++
      addDoc.run(row, title, body, tags.join(' '), namespace)
      addWords.run(row, title, body)
      const [vector] = embedder.embedSync([title ? `${title}\n${body}` : body])
      addVector.run(BigInt(row), namespace, bytesOf(vector))
    }
  })
  for (const batch of batchesOf(records, BATCH)) add(batch)
  db.close()
}

function connect(file) {
  const db = new Database(file)
  sqliteVec.load(db)
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = NORMAL')
  db.pragma(`cache_size = -${CACHE_KIB}`)
  db.pragma(`mmap_size = ${MMAP_BYTES}`)
  return db
}

function anyOf(text) {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  return words.map((word) => `"${word}"`).join(' OR ')
}

function fuse(...lists) {
  const scores = new Map()
  for (const list of lists) {
    for (const [i, { row }] of list.entries()) {
      scores.set(row, (scores.get(row) ?? 0) + 1 / (RRF_K + i + 1))
    }
  }
  const best = [...scores].sort(([, a], [, b]) => b - a)
  return best.slice(0, LIMIT).map(([row]) => row)
}

function bytesOf(vector) {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength)
}
