/** Compares the bundled model with MiniLM through ONNX: texts embedded per second on one core. */

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))
const SIZES = [20, 100, 500]
const TEXTS = 200
const ROUNDS = 15
const PEER_TEXTS = 8
const PEER_ROUNDS = 3

/** @returns the shape that every benchmark gives: `{ name, cases }`. */
export async function run() {
  // Inside the project, so that the bundle finds `models/` and the optional packages; out of sight of git and lint.
  const folder = mkdtempSync(join(ROOT, 'node_modules', '.bench-embed-'))
  try {
    const { StaticEmbedder, openOnnx } = await bundle(folder)
    const { embedder, loadMs, memoryMB } = loadStatic(StaticEmbedder)
    const peer = await openPeer(openOnnx)
    const cases = []
    for (const words of SIZES)
      cases.push(await measure(words, { embedder, peer, loadMs, memoryMB }))
    await peer?.close()
    return { name: 'embed', cases }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function bundle(folder) {
  const source = join(ROOT, 'src/embedding')
  await build({
    entryPoints: {
      static: join(source, 'static/static-embedder.ts'),
      onnx: join(source, 'onnx/onnx-embedder.ts'),
    },
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    logLevel: 'error',
  })
  const load = (name) => import(pathToFileURL(join(folder, name)).href)
  return { ...(await load('static.mjs')), ...(await load('onnx.mjs')) }
}

function loadStatic(StaticEmbedder) {
  const before = process.memoryUsage.rss()
  const started = performance.now()
  const embedder = new StaticEmbedder()
  embedder.embedSync(['load'])
  const loadMs = performance.now() - started
  return { embedder, loadMs, memoryMB: (process.memoryUsage.rss() - before) / 2 ** 20 }
}

/** Null, with the reason on stderr, where the model or the packages are missing. */
async function openPeer(openOnnx) {
  const bases = [process.env.CAIRN_SHARED, join(ROOT, '..', 'shared')]
  const folders = bases.filter(Boolean).map((base) => join(base, 'models/all-MiniLM-L6-v2'))
  const path = folders.find((folder) => existsSync(join(folder, 'tokenizer.json')))
  if (path === undefined) return skipped('the folder all-MiniLM-L6-v2 is not there')
  try {
    const peer = await openOnnx({ path, threads: 1 })
    await peer.embed(['load'], { as: 'passage' })
    return peer
  } catch (error) {
    return skipped(error.message)
  }
}

function skipped(reason) {
  console.error(`MiniLM is left out: ${reason}`)
  return null
}

async function measure(words, { embedder, peer, loadMs, memoryMB }) {
  const texts = makeTexts(words)
  for (let round = 0; round < 5; round++) embedder.embedSync(texts)
  const ours = []
  for (let round = 0; round < ROUNDS; round++) ours.push(timeEach(embedder, texts))
  const summary = summarise(ours.flat())
  const theirs = peer === null ? null : summarise(await timePeer(peer, texts.slice(0, PEER_TEXTS)))
  return {
    case: `${words} words`,
    ours: summary,
    peer: theirs === null ? null : { name: 'MiniLM ONNX', ...theirs },
    ratio: theirs === null ? null : rounded(theirs.medianMs / summary.medianMs, 0),
    metrics: {
      textsPerSecond: rounded(1000 / summary.medianMs, 0),
      tokens: embedder.countTokens(texts[0]),
      distinctTokens: new Set(embedder.listIds(texts[0])).size,
      loadMs: rounded(loadMs, 0),
      memoryMB: rounded(memoryMB, 1),
    },
  }
}

function timeEach(embedder, texts) {
  return texts.map((text) => {
    const started = performance.now()
    embedder.embedSync([text])
    return performance.now() - started
  })
}

/** One text at a time, as a query comes; a batch is no faster on one core. MiniLM reads only the first 256 tokens. */
async function timePeer(peer, texts) {
  const times = []
  await peer.embed(texts, { as: 'passage' })
  for (let round = 0; round < PEER_ROUNDS; round++) {
    for (const text of texts) {
      const started = performance.now()
      await peer.embed([text], { as: 'passage' })
      times.push(performance.now() - started)
    }
  }
  return times
}

function rounded(number, digits) {
  return Number(number.toFixed(digits))
}

function summarise(times) {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
  return { medianMs: rounded(at(0.5), 4), p95Ms: rounded(at(0.95), 4) }
}

/**
 * The same texts every time, with the habits of prose: words drawn by Zipf's law from the whole pieces of the model
 * (so a long text repeats some and not others), a tenth of them inflected, capitals and full stops.
 */
function makeTexts(words) {
  const vocabulary = wholeWords()
  let state = 12345
  const next = () => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff
    return (state >>> 7) / 2 ** 24
  }
  const word = (i) => {
    const drawn = vocabulary[Math.floor(vocabulary.length ** next()) - 1]
    const each = next() < 0.1 ? `${drawn}ings` : drawn
    if (i % 12 === 0) return each[0].toUpperCase() + each.slice(1)
    return i % 12 === 11 ? `${each}.` : each
  }
  return Array.from({ length: TEXTS }, () =>
    Array.from({ length: words }, (_, i) => word(i)).join(' '),
  )
}

/** The list is in order of frequency, as Zipf wants it. */
function wholeWords() {
  const pieces = readFileSync(join(ROOT, 'models/cairn-static-v2/vocab.txt'), 'utf8').split('\n')
  return pieces.filter((piece) => /^[a-z]{2,}$/.test(piece))
}
