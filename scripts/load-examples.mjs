// Reads the sample library that ships in examples/ as records that can be added.

import { readFileSync } from 'node:fs'

const FILES = ['team.jsonl', 'papers.jsonl']

/** All sample records, oldest file first; the sample's own key is kept in the metadata. */
export function readExamples() {
  return FILES.flatMap((name) =>
    readFileSync(new URL(`../examples/${name}`, import.meta.url), 'utf8')
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => toInput(JSON.parse(line))),
  )
}

function toInput({ key, session, supersedes, importance, metadata, ...record }) {
  return {
    ...record,
    ...(importance == null ? {} : { importance }),
    metadata: {
      key,
      ...(session == null ? {} : { session }),
      ...(supersedes == null ? {} : { supersedes }),
      ...metadata,
    },
  }
}
