/** Keeps the words of records and of their past states in the index. */

import { Buffer } from 'node:buffer'
import type { NewRecord } from '../../core/record.js'
import { segment } from '../../text/segment.js'
import { toIndexedForm } from '../indexed-form.js'
import type { Statements } from './statements.js'
import { type IndexedColumns, type WordsPart, writeParts } from './word-parts.js'

/** Rows that are read, and characters that are written, with one statement. */
const BATCH_ROWS = 1000
const BATCH_CHARACTERS = 600_000
/** Batches that may wait to be stored. */
const MAX_PENDING = 3

type Table = 'words' | 'past_words'
type Text = Parameters<typeof toIndexedForm>[0] & {
  readonly row: number
  readonly namespace: string
  readonly context: string | null
}
const KEY = { words: 'record', past_words: 'revision' } as const satisfies Record<Table, string>

/** The key in `meta` that says that some text was indexed with its neighbours. */
export const HAS_NEIGHBOURS = 'wordsOfNeighbours'

const SQL = {
  remove: (table: Table) => `DELETE FROM ${table} WHERE ${KEY[table]} = ANY (:rows::bigint[])`,
  /** Only present records are found by their words. */
  words: `SELECT r.namespace, r.row, r.title, r.body, r.tags, r.people, r.context, w.details AS work
    FROM records r LEFT JOIN works w ON w.namespace = r.namespace AND w.record = r.row
    WHERE r.row = ANY (:rows::bigint[]) AND r.present`,
  past_words: `SELECT v.namespace, v.row, v.title, v.body, v.tags, v.people, NULL AS context, v.work
    FROM revisions v WHERE v.row = ANY (:rows::bigint[])`,
  /** Texts are joined to one, and bytes too: an array of them takes several times as long to be written and read. */
  add: (
    table: Table,
  ) => `INSERT INTO ${table} (namespace, ${KEY[table]}, part, is_whole, length, text_words, lexemes, weights,
      nearby_weights, positions)
    SELECT namespace, row, part, is_whole, length, text_words, lexemes::tsvector, weights::sparsevec,
      nearby_weights::sparsevec, substr(:positions::bytea, start, size)
    FROM unnest(:namespaces::text[], :rows::bigint[], :parts::integer[], :isWhole::boolean[], :lengths::integer[],
      :textWords::integer[], string_to_array(:lexemes, E'\\n'), string_to_array(:weights, E'\\n', '-'),
      string_to_array(:nearbyWeights, E'\\n', '-'), :starts::integer[], :sizes::integer[])
      AS one (namespace, row, part, is_whole, length, text_words, lexemes, weights, nearby_weights, start, size)`,
  /** In their order, so that two writers cannot wait for each other. */
  addTerms: `INSERT INTO terms (namespace, term)
    SELECT * FROM unnest(:namespaces::text[], :terms::text[]) AS one (namespace, term) ORDER BY 1, 2
    ON CONFLICT DO NOTHING`,
  noteNeighbours: `INSERT INTO meta (key, value) VALUES ('${HAS_NEIGHBOURS}', 'true') ON CONFLICT DO NOTHING`,
  forgetTerms: `DELETE FROM terms t WHERE NOT EXISTS (SELECT 1 FROM words w
      WHERE w.is_whole AND w.lexemes @@ quote_literal(t.term)::tsquery AND w.namespace = t.namespace)
    AND NOT EXISTS (SELECT 1 FROM words w
      WHERE NOT w.is_whole AND w.lexemes @@ quote_literal(t.term)::tsquery AND w.namespace = t.namespace)`,
} as const

/** After a change of their text, tags, people, work, neighbours or presence: those that are not present are removed. */
export function indexRecords(statements: Statements, rows: readonly number[]): Promise<void> {
  return index(statements, 'words', rows)
}

/** For records without neighbours that this transaction has added: there is nothing to replace or to read. */
export function indexNew(
  statements: Statements,
  added: readonly { readonly row: number; readonly record: NewRecord }[],
): Promise<void> {
  const texts = added.map(({ row, record }): Text => ({ ...record, row, context: null }))
  return texts.length === 0 ? Promise.resolve() : addTexts(statements, 'words', texts)
}

export function indexRevisions(statements: Statements, rows: readonly number[]): Promise<void> {
  return index(statements, 'past_words', rows)
}

export async function unindexRecords(
  statements: Statements,
  rows: readonly number[],
): Promise<void> {
  if (rows.length > 0) await statements.run(SQL.remove('words'), { rows })
}

/** Terms of texts that are gone; they are never shown, as a term is shown with the number of its records. */
export async function forgetTerms(statements: Statements): Promise<void> {
  await statements.run(SQL.forgetTerms)
}

async function index(statements: Statements, table: Table, rows: readonly number[]): Promise<void> {
  for (let from = 0; from < rows.length; from += BATCH_ROWS) {
    const some = rows.slice(from, from + BATCH_ROWS)
    const [, texts] = await Promise.all([
      statements.run(SQL.remove(table), { rows: some }),
      statements.all(SQL[table], { rows: some }),
    ])
    await addTexts(statements, table, texts as unknown as Text[])
  }
}

async function addTexts(
  statements: Statements,
  table: Table,
  texts: readonly Text[],
): Promise<void> {
  const terms = new Map<string, Set<string>>()
  const pending: Promise<unknown>[] = []
  let batch: IndexedRow[] = []
  let characters = 0
  let hasNeighbours = false
  let sent = 0
  const flush = (): void => {
    const inserted = batch.length > 0 ? insert(statements, table, batch) : Promise.resolve()
    // It is awaited below; an error may come before.
    inserted.catch(() => {})
    pending.push(inserted)
    batch = []
    characters = 0
  }
  for (const text of texts) {
    const { namespace, row } = text
    const found = writeParts(toIndexedColumns(text), (part) => {
      batch.push({ ...part, namespace, row })
      hasNeighbours ||= part.nearbyWeights !== null
      characters += part.lexemes.length + part.positions.length
      if (characters > BATCH_CHARACTERS) flush()
    })
    const known = terms.get(namespace)
    if (known === undefined) terms.set(namespace, new Set(found))
    else for (const term of found) known.add(term)
    // The server stores one batch while the next is made.
    if (pending.length > sent) await new Promise(setImmediate)
    if (pending.length > MAX_PENDING) await Promise.all(pending.splice(0))
    sent = pending.length
  }
  flush()
  if (table === 'words') pending.push(addTerms(statements, terms))
  if (hasNeighbours) pending.push(statements.run(SQL.noteNeighbours))
  await Promise.all(pending)
}

type IndexedRow = WordsPart & { readonly namespace: string; readonly row: number }

function insert(statements: Statements, table: Table, parts: readonly IndexedRow[]) {
  let end = 1
  return statements.run(SQL.add(table), {
    namespaces: parts.map(({ namespace }) => namespace),
    rows: parts.map(({ row }) => row),
    parts: parts.map(({ part }) => part),
    isWhole: parts.map(({ isWhole }) => String(isWhole)),
    lengths: parts.map(({ length }) => length),
    textWords: parts.map(({ textWords }) => textWords),
    // Not empty: no text at all is no list of one.
    lexemes: parts.map(({ lexemes }) => `${lexemes} `).join('\n'),
    weights: parts.map(({ weights }) => weights ?? '-').join('\n'),
    nearbyWeights: parts.map(({ nearbyWeights }) => nearbyWeights ?? '-').join('\n'),
    starts: parts.map(({ positions }) => {
      end += positions.length
      return end - positions.length
    }),
    sizes: parts.map(({ positions }) => positions.length),
    positions: Buffer.concat(parts.map(({ positions }) => positions)),
  })
}

async function addTerms(
  statements: Statements,
  terms: ReadonlyMap<string, ReadonlySet<string>>,
): Promise<void> {
  const namespaces: string[] = []
  const all: string[] = []
  for (const [namespace, own] of terms) {
    for (const term of own) {
      namespaces.push(namespace)
      all.push(term)
    }
  }
  if (all.length > 0) await statements.run(SQL.addTerms, { namespaces, terms: all })
}

function toIndexedColumns(text: Text): IndexedColumns {
  const { title, body, people, context } = text
  const { titleIx, bodyIx, tagsIx, peopleIx, citationIx } = toIndexedForm(text)
  return {
    title: titleIx ?? title,
    body: bodyIx ?? body,
    tags: tagsIx,
    people: peopleIx ?? people.join(' ; '),
    context: context === null ? null : (segment(context)?.text ?? context),
    ...{ venue: null, key: null, doi: null, year: null },
    ...(citationIx === null ? {} : JSON.parse(citationIx)),
  }
}
