/**
 * Measures, in a new process, opening a file and its first search, and the memory after further searches.
 *
 *   node first-search.mjs ours|peer FILE BUNDLE MODEL QUESTIONS
 *
 * BUNDLE holds the model's code for the peer, QUESTIONS is a list in JSON. Prints `{ coldMs, memoryMB }`.
 */

import process from 'node:process'
import { pathToFileURL } from 'node:url'
import { memoryMB, round, time } from './measure.mjs'

const LIMIT = 10
const [side, file, bundle, model, questions] = process.argv.slice(2)
const openers = { ours: prepareOurs, peer: preparePeer }
// Imports are not counted: they do not depend on the file.
const open = await openers[side]()
const [first, ...others] = JSON.parse(questions)
let opened = null
const coldMs = await time(async () => {
  opened = await open()
  await opened.search(first)
})
for (const question of others) await opened.search(question)
process.stdout.write(JSON.stringify({ coldMs: round(coldMs), memoryMB: memoryMB() }))
await opened.close()

async function prepareOurs() {
  const { openCairn } = await import('../../dist/index.js')
  return async () => {
    const cairn = await openCairn({ file })
    return {
      search: (query) => cairn.search({ query, limit: LIMIT, highlight: false }),
      close: () => cairn.close(),
    }
  }
}

async function preparePeer() {
  const { openPeer } = await import('./hybrid-peer.mjs')
  const { StaticEmbedder } = await import(pathToFileURL(bundle).href)
  return () => openPeer(file, new StaticEmbedder({ folder: model }))
}
