// An agent's memory: what is said in a session is remembered, corrected and recalled later.
// Run it: node examples/agent-memory.mjs

import { openCairn } from 'cairn-search'

const cairn = await openCairn({ file: ':memory:' })

// One session a conversation. Facts are extracted by rules, without a language model.
const monday = await cairn.sessions.start({ id: 'monday' })
const port = await cairn.add({
  body: 'The staging database listens on port 5432.',
  createdIn: monday.id,
  extractFacts: true,
})
await cairn.add({
  body: 'Priya prefers tabs over spaces.',
  people: ['Priya'],
  createdIn: monday.id,
})
await cairn.sessions.end(monday.id)

// A correction replaces what it corrects. Both stay in the history.
const moved = await cairn.add({ body: 'The staging database listens on port 6543.' })
console.log('near-duplicate, with what changed:', moved.nearDuplicates[0]?.changed)
await cairn.supersede(port.id, moved.id, { note: 'moved in March' })

// A search with a recall session is logged and reinforces what it returned.
const tuesday = await cairn.sessions.start({ id: 'tuesday' })
const { hits } = await cairn.search('which port does staging use?', {
  recallSession: tuesday.id,
  limit: 1,
})
console.log('recalled:', hits[0]?.record.body)

// Where does a memory come from, and who used it?
const { recalls } = await cairn.why(moved.id)
console.log(
  'recalled for:',
  recalls.map(({ query }) => query),
)

await cairn.close()
