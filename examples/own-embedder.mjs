// Search with an embedding model of your own: here, counts of three-letter pieces, so that misspelt words still match.
// Run it: node examples/own-embedder.mjs

import { openCairn } from 'cairn-search'

const DIMENSIONS = 512

function embedText(text) {
  const vector = new Float32Array(DIMENSIONS)
  const letters = ` ${text.toLowerCase().replace(/[^a-z]+/g, ' ')} `
  for (let i = 0; i + 3 <= letters.length; i++) {
    let hash = 7
    for (const letter of letters.slice(i, i + 3)) hash = (hash * 31 + letter.charCodeAt(0)) >>> 0
    vector[hash % DIMENSIONS] += 1
  }
  return vector
}

const cairn = await openCairn({
  file: ':memory:',
  embedder: {
    id: 'three-letter-pieces@1',
    dimensions: DIMENSIONS,
    embed: async (texts, _role) => texts.map(embedText),
    floor: 0.2,
  },
})

await cairn.addMany([
  { body: 'The deployment runs every Thursday.' },
  { body: 'Lunch is at noon in the canteen.' },
])
const { hits } = await cairn.search('deploymnet', { mode: 'semantic', limit: 1 })
console.log(hits[0]?.record.body)
console.log((await cairn.models()).models[0]?.id)

await cairn.close()
