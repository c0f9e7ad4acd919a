/**
 * In a process that has done nothing else, how long opening a file and its first answer take, and the memory after more.
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
// What is imported is not counted: every program does that, whatever the size of its file.
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
