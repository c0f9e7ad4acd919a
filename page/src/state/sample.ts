/** Loads the sample library into an empty file: records, sessions, works that cite each other, and corrections. */

import papersUrl from '../../../examples/data/papers.jsonl?url'
import teamUrl from '../../../examples/data/team.jsonl?url'
import { NO_DETAILS } from '../../../src/core/work.js'
import { addRecords, importWorks, supersede } from '../api/client.js'

type Sample = {
  readonly key: string
  readonly namespace: string
  readonly title: string
  readonly body: string
  readonly tags: readonly string[]
  readonly people: readonly string[]
  readonly importance: number | null
  readonly supersedes: string | null
  readonly metadata: Readonly<Record<string, unknown>>
}

async function read(url: string): Promise<Sample[]> {
  const text = await (await fetch(url)).text()
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return lines.map((line) => JSON.parse(line) as Sample)
}

/** How many records it added. */
export async function loadSample(): Promise<number> {
  const [notes, papers] = await Promise.all([read(teamUrl), read(papersUrl)])
  const { added } = await addRecords(notes.map(toInput))
  await importWorks({ works: papers.map(toWork), namespace: papers[0]?.namespace })
  const idOf = new Map(notes.map(({ key }, i) => [key, added[i]?.id ?? '']))
  for (const { key, supersedes } of notes) {
    if (supersedes != null) await supersede(idOf.get(supersedes) ?? '', idOf.get(key) ?? '')
  }
  return notes.length + papers.length
}

function toInput({ key, supersedes: _, importance, metadata, ...record }: Sample): object {
  return { ...record, ...(importance != null && { importance }), metadata: { key, ...metadata } }
}

/** `cites` holds the keys of other papers. */
function toWork({ key, title, body, tags, people, metadata }: Sample): object {
  const { venue = null, year = null, publishedAt = null, doi = null, arxiv = null } = metadata
  const cites = (metadata.cites ?? []) as readonly string[]
  return {
    ...NO_DETAILS,
    ...{ title, abstract: body, tags, venue, year, published: publishedAt, doi, arxivId: arxiv },
    type: arxiv === null ? 'article' : 'preprint',
    authors: people.map(toName),
    citationKey: metadata.bibtexKey ?? key,
    references: cites.map((cited) => `key:${cited}`),
  }
}

function toName(name: string) {
  const [family = '', ...given] = name.split(' ').reverse()
  return { family, given: given.reverse().join(' ') || null }
}
