// Search a folder of Markdown notes by keywords and by embeddings, with filters and an explanation.
// Run it: node examples/notes-search.mjs [FOLDER]

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { openCairn } from 'cairn-search'

const NOTES = {
  'deploy.md':
    '---\ntags: [release]\n---\n# Releases\n\nWe deploy on Thursdays, never before a holiday.\n',
  'backup.md':
    '# Backups\n\nTo restore lost data, stop the writer and copy the newest snapshot back.\n',
  'lunch.md': '# Lunch\n\nThe canteen opens at noon.\n',
}

const sample = mkdtempSync(join(tmpdir(), 'cairn-notes-'))
for (const [name, text] of Object.entries(NOTES)) writeFileSync(join(sample, name), text)
const folder = process.argv[2] ?? sample

const cairn = await openCairn({ file: ':memory:' })
const report = await cairn.import(folder)
console.log('imported', report.created, 'notes')

const question = 'how do I get my data back?'
const { hits } = await cairn.search(question, { limit: 1, explain: true })
for (const { title, score, matchType, snippet, explanation } of hits) {
  console.log(`${score.toFixed(2)} ${title} (${matchType}): ${snippet.text.trim()}`)
  for (const part of explanation.parts) console.log(`  ${part.name}: ${part.score.toFixed(2)}`)
}

const tagged = await cairn.search({ query: 'deploy', tags: ['release'], facets: true })
console.log('with the tag release:', tagged.total.value, tagged.facets?.tag)

await cairn.close()
rmSync(sample, { recursive: true })
