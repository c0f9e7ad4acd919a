/** Compares vector search with sqlite-vec on the same vectors: time and recall. */

import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import Database from 'better-sqlite3'
import { build } from 'esbuild'
import * as sqliteVec from 'sqlite-vec'
import { makeClusters } from './lib/vector-data.mjs'

const DIMENSIONS = 256
const K = 20
/** As the product stores them. */
const BLOCK_SLOTS = 128
const OUR_QUERIES = 100
/** The share of the records that a filter passes. */
const FILTERS = [0.5, 0.01, 0.0001]
/** sqlite-vec allows no more candidates than this. */
const MOST_CANDIDATES = 4096

/** Sizes are numbers of vectors. Gives the shape that `npm run bench -- vector --json` prints. */
export async function run({ quick = false, say = () => {}, records } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-bench-'))
  try {
    const bundle = await bundleOurs(folder)
    const cases = []
    for (const size of records ? [records] : quick ? [20_000] : [100_000, 1_000_000]) {
      say(`vector: ${size} vectors`)
      cases.push(...(await measure(size, { folder, bundle })))
    }
    return { name: 'vector', cases }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function measure(size, { folder, bundle }) {
  const ours = await import(pathToFileURL(bundle).href)
  const { vectors, queries } = makeClusters({ size, dimensions: DIMENSIONS, queries: OUR_QUERIES })
  const file = join(folder, `${size}.db`)
  const { db, index, peerLoadMs } = fill(file, { ours, vectors, size })
  const peerQueries = queries.slice(0, size > 300_000 ? 5 : 20)
  const judged = queries.slice(0, size > 300_000 ? 20 : 50)
  const label = size >= 1e6 ? `${size / 1e6}M` : `${size / 1000}k`
  const exact = exactFrom(db, ours)
  const search = (allow) => (query) => index.search({ query, k: K, allow, exact: exact(query) })
  const rounded = (query) => index.search({ query, k: K })
  const cases = []
  for (const share of [1, ...FILTERS]) {
    const passed = passing(size, share)
    const truth = (query) => exactBest(vectors, query, passed)
    const peer = peerFloat(db, share < 1 ? passed : null)
    const allow = share < 1 ? bitmapOf(passed, size) : undefined
    const our = search(allow)
    const oursTimes = timed(queries, our)
    const peerTimes = timed(peerQueries, peer, 1)
    const metrics = { vectors: size, dimensions: DIMENSIONS, passedShare: share }
    if (share === 1) {
      const bits = peerBits(db, size)
      Object.assign(metrics, loadInChild(file, bundle), {
        int8MedianMs: timed(queries, rounded).medianMs,
        'int8Recall@20': recall(judged, rounded, truth),
        peerLoadMs,
        peerBitMedianMs: timed(peerQueries, bits, 1).medianMs,
        'peerBitRecall@20': recall(peerQueries, bits, truth),
      })
    }
    cases.push({
      case: share === 1 ? label : `${label}, filter passes ${share * 100} %`,
      ours: oursTimes,
      peer: { name: 'sqlite-vec f32', ...peerTimes },
      ratio: round(peerTimes.medianMs / oursTimes.medianMs),
      'recall@20': recall(judged, our, truth),
      metrics,
    })
  }
  db.close()
  return cases
}

/** Cairn's index and blocks, the full vectors for exact scores, and the peer's table, from the same vectors. */
function fill(file, { ours, vectors, size }) {
  const db = new Database(file)
  sqliteVec.load(db)
  db.pragma('journal_mode = off')
  db.pragma('synchronous = off')
  db.exec(`CREATE TABLE vector_blocks (id INTEGER PRIMARY KEY, bytes BLOB);
    CREATE TABLE vectors (place INTEGER PRIMARY KEY, scale REAL, codes BLOB);
    CREATE VIRTUAL TABLE peer USING vec0(numbers float[${DIMENSIONS}], bits bit[${DIMENSIONS}]);
    CREATE TEMP TABLE passed (id INTEGER PRIMARY KEY)`)
  const addBlock = db.prepare('INSERT INTO vector_blocks (bytes) VALUES (?)')
  const addVector = db.prepare('INSERT INTO vectors VALUES (?, ?, ?)')
  const addPeer = db.prepare(
    'INSERT INTO peer (rowid, numbers, bits) VALUES (?, ?, vec_quantize_binary(?))',
  )
  const index = new ours.VectorIndex(DIMENSIONS)
  const vectorAt = (i) => vectors.subarray(i * DIMENSIONS, (i + 1) * DIMENSIONS)
  db.transaction(() => {
    for (let first = 0; first < size; first += BLOCK_SLOTS) {
      const bytes = ours.createBlock(DIMENSIONS)
      const block = new ours.Block(bytes)
      for (let i = first; i < Math.min(size, first + BLOCK_SLOTS); i++) {
        const { codes, fine } = ours.quantiseVector(vectorAt(i))
        block.write(i - first, { owner: i, codes })
        addVector.run(i, fine.scale, bytesOf(fine.codes))
      }
      addBlock.run(bytes)
      index.loadBlock(first / BLOCK_SLOTS, bytes)
    }
  })()
  const start = performance.now()
  db.transaction(() => {
    for (let i = 0; i < size; i++) {
      const bytes = bytesOf(vectorAt(i))
      addPeer.run(BigInt(i), bytes, bytes)
    }
  })()
  return { db, index, peerLoadMs: round(performance.now() - start) }
}

/** Rescores the best of the scan from two bytes a dimension, as Cairn does from its database. */
function exactFrom(db, ours) {
  const read = db.prepare(`SELECT place, scale, codes FROM vectors
    WHERE place IN (SELECT value FROM json_each(?))`)
  return (query) => (slots) => {
    const kept = new Map(
      read.all(JSON.stringify(slots)).map(({ place, scale, codes }) => {
        const bytes = Uint8Array.from(codes)
        return [place, { scale, codes: new Int16Array(bytes.buffer) }]
      }),
    )
    return slots.map((slot) => ours.cosineFine(query, kept.get(slot)))
  }
}

function peerFloat(db, passed) {
  db.exec('DELETE FROM passed')
  if (passed === null) {
    const all = db.prepare('SELECT rowid AS owner FROM peer WHERE numbers MATCH ? AND k = ?')
    return (query) => all.all(bytesOf(query), K)
  }
  const add = db.prepare('INSERT INTO passed VALUES (?)')
  db.transaction(() => {
    for (const [i, pass] of passed.entries()) if (pass) add.run(i)
  })()
  const some = db.prepare(`SELECT rowid AS owner FROM peer
    WHERE numbers MATCH ? AND k = ? AND rowid IN (SELECT id FROM passed)`)
  return (query) => some.all(bytesOf(query), K)
}

/** The peer's two-stage search: sign bits first, then the full vectors of 3 %. */
function peerBits(db, size) {
  const candidates = Math.min(MOST_CANDIDATES, Math.ceil(size * 0.03))
  const read = db.prepare(`WITH near AS MATERIALIZED (
      SELECT rowid, numbers FROM peer WHERE bits MATCH vec_quantize_binary(?) AND k = ?)
    SELECT rowid AS owner FROM near ORDER BY vec_distance_L2(numbers, ?) LIMIT ?`)
  return (query) => read.all(bytesOf(query), candidates, bytesOf(query), K)
}

function timed(queries, search, warmUps = queries.length) {
  for (const query of queries.slice(0, warmUps)) search(query)
  const times = queries.map((query) => {
    const start = performance.now()
    search(query)
    return performance.now() - start
  })
  times.sort((a, b) => a - b)
  const at = (share) => round(times[Math.min(times.length - 1, Math.floor(times.length * share))])
  return { medianMs: at(0.5), p95Ms: at(0.95) }
}

function recall(queries, search, truth) {
  let sum = 0
  for (const query of queries) {
    const wanted = new Set(truth(query))
    const found = search(query).filter((hit) => wanted.has(hit.owner)).length
    sum += wanted.size === 0 ? 1 : found / wanted.size
  }
  return Math.round((sum / queries.length) * 1e4) / 1e4
}

function exactBest(vectors, query, passed) {
  const best = []
  let least = Number.NEGATIVE_INFINITY
  for (let i = 0; i < passed.length; i++) {
    if (passed[i] === 0) continue
    const similarity = dot(vectors, i * DIMENSIONS, query)
    if (similarity <= least) continue
    best.push({ i, similarity })
    if (best.length < 4 * K) continue
    best.sort((a, b) => b.similarity - a.similarity).splice(K)
    least = best[K - 1].similarity
  }
  best.sort((a, b) => b.similarity - a.similarity)
  return best.slice(0, K).map((hit) => hit.i)
}

function dot(vectors, from, query) {
  let sum = 0
  for (let d = 0; d < DIMENSIONS; d++) sum += vectors[from + d] * query[d]
  return sum
}

/** Which records pass: spread evenly by a multiplicative hash. */
function passing(size, share) {
  return Uint8Array.from({ length: size }, (_, i) =>
    (Math.imul(i + 1, 0x9e3779b1) >>> 0) / 2 ** 32 < share ? 1 : 0,
  )
}

function bitmapOf(passed, size) {
  const bits = new Uint8Array(Math.ceil(size / 8))
  for (const [i, pass] of passed.entries()) bits[i >> 3] |= pass << (i & 7)
  return bits
}

function bytesOf(vector) {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength)
}

async function bundleOurs(folder) {
  const outfile = join(folder, 'vectors.mjs')
  const from = (name) => `export * from './src/vectors/${name}.ts'`
  await build({
    stdin: {
      contents: ['vector-index', 'quantise', 'block'].map(from).join('\n'),
      resolveDir: fileURLToPath(new URL('..', import.meta.url)),
    },
    bundle: true,
    format: 'esm',
    platform: 'node',
    outfile,
  })
  return outfile
}

/** Loads the blocks and searches once in a new process, to measure its memory alone. */
function loadInChild(file, bundle) {
  const script = `
    const [file, bundle] = process.argv.slice(1)
    const { default: Database } = await import('better-sqlite3')
    const { VectorIndex } = await import(bundle)
    const db = new Database(file, { readonly: true })
    const start = performance.now()
    const index = new VectorIndex(${DIMENSIONS})
    let block = 0
    for (const bytes of db.prepare('SELECT bytes FROM vector_blocks ORDER BY id').pluck().iterate())
      index.loadBlock(block++, bytes)
    const loadMs = performance.now() - start
    const query = new Float32Array(${DIMENSIONS}).fill(1)
    index.search({ query, k: 20, exclude: [0] })
    console.log(JSON.stringify({ loadMs: Math.round(loadMs), processMB: process.memoryUsage.rss() >> 20 }))`
  const args = ['--input-type=module', '-e', script, file, pathToFileURL(bundle).href]
  const root = fileURLToPath(new URL('..', import.meta.url))
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8', cwd: root }))
}

function round(number) {
  return Math.round(number * 1000) / 1000
}
