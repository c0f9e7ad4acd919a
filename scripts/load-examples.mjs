// Reads the sample library that ships in examples/ and adds it: with its sessions, what corrects what, and what cites what.

import { readFileSync } from 'node:fs'
import { NO_DETAILS } from '../dist/index.js'

const FILES = ['team.jsonl', 'papers.jsonl']

/** All sample records, oldest file first. */
function readExamples() {
  return FILES.flatMap((name) =>
    readFileSync(new URL(`../examples/data/${name}`, import.meta.url), 'utf8')
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
  const all = readExamples()
  const examples = all.filter(({ kind }) => kind !== 'work')
  const papers = all.filter(({ kind }) => kind === 'work')
  const added = await cairn.addMany(examples.map(toInput))
  const stored = await cairn.works.import(papers.map(toWork), { namespace: papers[0]?.namespace })
  const idOf = new Map([
    ...examples.map(({ key }, i) => [key, added[i].id]),
    ...papers.map(({ key }, i) => [key, stored.outcomes[i].id]),
  ])
  const corrections = examples.filter(({ supersedes }) => supersedes != null)
  for (const { key, supersedes } of corrections) {
    await cairn.supersede(idOf.get(supersedes), idOf.get(key))
  }
  const sessions = new Set(examples.flatMap(({ session }) => session ?? []))
  return {
    records: all.length,
    works: papers.length,
    sessions: sessions.size,
    corrections: corrections.length,
    idOf,
  }
}

function toInput({ key, supersedes: _, importance, metadata, ...record }) {
  return {
    ...record,
    ...(importance == null ? {} : { importance }),
    metadata: { key, ...metadata },
  }
}

/** A paper with what it cites: `cites` holds the keys of others. */
function toWork({ title, body, tags, people, key, metadata }) {
  const { venue, year, publishedAt, doi, arxiv, bibtexKey, cites } = metadata
  return {
    ...NO_DETAILS,
    title,
    abstract: body,
    tags,
    type: arxiv == null ? 'article' : 'preprint',
    authors: people.map(toName),
    venue: venue ?? null,
    year: year ?? null,
    published: publishedAt ?? null,
    doi: doi ?? null,
    arxivId: arxiv ?? null,
    citationKey: bibtexKey ?? key,
    references: (cites ?? []).map((cited) => `key:${cited}`),
  }
}

function toName(name) {
  const parts = name.split(' ')
  return { family: parts.at(-1), given: parts.slice(0, -1).join(' ') || null }
}
