// Reads the sample library that ships in examples/ and adds it: with its sessions, and with what corrects what.

import { readFileSync } from 'node:fs'

const FILES = ['team.jsonl', 'papers.jsonl']

/** All sample records, oldest file first. */
function readExamples() {
  return FILES.flatMap((name) =>
    readFileSync(new URL(`../examples/${name}`, import.meta.url), 'utf8')
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => JSON.parse(line)),
  )
}

/**
 * Adds the sample library; the sample's own key is kept in the metadata.
 * @param {import('../dist/index.js').Cairn} cairn
 */
export async function loadExamples(cairn) {
  const examples = readExamples()
  const added = await cairn.addMany(examples.map(toInput))
  const idOf = new Map(examples.map(({ key }, i) => [key, added[i].id]))
  const corrections = examples.filter(({ supersedes }) => supersedes != null)
  for (const { key, supersedes } of corrections) {
    await cairn.supersede(idOf.get(supersedes), idOf.get(key))
  }
  const sessions = new Set(examples.flatMap(({ session }) => session ?? []))
  return { records: added.length, sessions: sessions.size, corrections: corrections.length, idOf }
}

function toInput({ key, supersedes: _, importance, metadata, ...record }) {
  return {
    ...record,
    ...(importance == null ? {} : { importance }),
    metadata: { key, ...metadata },
  }
}
