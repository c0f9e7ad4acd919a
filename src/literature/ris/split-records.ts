/** A RIS file is taken apart into its records and tags, however it ends its lines and records. */

import { plainLines } from '../read-works.js'

export type RisRecord = {
  readonly line: number
  /** Each tag with its values in their order; the lines of a value are joined by line ends. */
  readonly values: ReadonlyMap<string, readonly string[]>
}

/** Two spaces tell a tag from a line of prose that begins like `AI - based`; the frame of a record is certain. */
const TAG = /^(?:([A-Z][A-Z0-9]) {2}-(?:\s|$)|(TY|ER)\s*-(?:\s|$))(.*)$/

type Growing = { readonly line: number; readonly values: Map<string, string[]> }

export function splitRecords(text: string): RisRecord[] {
  const records: RisRecord[] = []
  let record: Growing | null = null
  let last: string[] = []
  for (const [i, content] of plainLines(text).split('\n').entries()) {
    const found = TAG.exec(content)
    const tag = found?.[1] ?? found?.[2]
    if (tag === undefined) {
      // What stands before the first record is the greeting of whoever wrote the file.
      if (last.length > 0) last.push(`${last.pop()}\n${content}`)
      continue
    }
    if (tag === 'ER' || tag === 'TY') {
      if (record !== null) records.push(record)
      record = null
      last = []
    }
    if (tag === 'ER') continue
    record ??= { line: i + 1, values: new Map() }
    last = record.values.get(tag) ?? []
    last.push(found?.[3] ?? '')
    record.values.set(tag, last)
  }
  return record === null ? records : [...records, record]
}
