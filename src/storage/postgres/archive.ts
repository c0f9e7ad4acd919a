/** Reads everything from one snapshot for an archive, and writes an archive back in batches. */

import type { RecordId } from '../../core/ids.js'
import {
  ARCHIVE_KINDS,
  type ArchiveEntry,
  type ArchiveLine,
  type ArchiveOutcome,
  type ArchiveRestore,
  type ArchiveStorage,
  type ArchiveValue,
} from '../archive.js'
import {
  ANYTHING_SQL,
  COPY_KEY,
  decideOutcome,
  getRules,
  listCitationKeys,
  listReferences,
  type Reference,
  unknownReference,
} from '../archive-rules.js'
import type { TurnPosition } from '../turn-context.js'
import { ARCHIVE_TABLES, toEntry, toLine } from './archive-tables.js'
import { forgetContexts, readTurns, refreshContexts } from './context.js'
import { foldSql } from './filter.js'
import { getRows } from './records.js'
import type { Runners } from './runner.js'
import { type Statements, toJson } from './statements.js'
import { forgetVectors, queueForVectors } from './vectors-table.js'
import { indexRecords, indexRevisions } from './words-index.js'
import { describeWorks, identify, resolveCitations } from './works.js'

const LINES_AT_ONCE = 500

const SQL = {
  /** The reader of an archive may pause as long as it likes. */
  noTimeout: 'SET LOCAL idle_in_transaction_session_timeout = 0',
  fetch: `FETCH ${LINES_AT_ONCE} FROM archived`,
  close: 'CLOSE archived',
  anyRecord: 'SELECT EXISTS (SELECT 1 FROM records)',
  copySource: `SELECT value FROM meta WHERE key = '${COPY_KEY}'`,
  endCopy: `DELETE FROM meta WHERE key = '${COPY_KEY}'`,
  beginCopy: `INSERT INTO meta (key, value) VALUES ('${COPY_KEY}', :source)
    ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
  known: {
    records: 'SELECT id FROM records WHERE id = ANY (:ids::text[])',
    facts: 'SELECT id FROM facts WHERE id = ANY (:ids::text[])',
    sessions: `SELECT id || ' ' || namespace FROM sessions WHERE id = ANY (:ids::text[])`,
  },
  addResults: `INSERT INTO recalls (namespace, query, record, fact, rank, score)
    SELECT r.namespace, q.row, r.row, f.row, l.rank, l.score
    FROM json_to_recordset(:results::json) AS l (query text, record text, fact text, rank integer, score float8, n integer)
    JOIN recalled_queries q ON q.id = l.query JOIN records r ON r.id = l.record
    LEFT JOIN facts f ON f.id = l.fact ORDER BY l.n`,
  /** With a replaced record. */
  forget: ['revisions', 'works', 'work_identities', 'record_tags'].map(
    (table) => `DELETE FROM ${table} t USING records r
      WHERE r.id = ANY (:ids::text[]) AND t.namespace = r.namespace AND t.record = r.row`,
  ),
  tag: `INSERT INTO record_tags (namespace, tag, record)
    SELECT DISTINCT r.namespace, ${foldSql('tag')}, r.row FROM records r, unnest(r.tags) tag WHERE r.id = ANY (:ids::text[])`,
} as const

export function createArchive({ run, write }: Pick<Runners, 'run' | 'write'>): ArchiveStorage {
  return {
    async *read(): AsyncGenerator<ArchiveEntry, void> {
      const { statements, end } = await holdSnapshot(run)
      try {
        await statements.run(SQL.noTimeout)
        for (const kind of ARCHIVE_KINDS) {
          await statements.run(`DECLARE archived NO SCROLL CURSOR FOR ${ARCHIVE_TABLES[kind].all}`)
          for (let more = true; more; ) {
            const rows = await statements.all(SQL.fetch)
            for (const row of rows) yield toEntry(kind, row)
            more = rows.length === LINES_AT_ONCE
          }
          await statements.run(SQL.close)
        }
      } finally {
        await end()
      }
    },
    restore: ({ dryRun }) => createRestore({ run, write }, dryRun),
    isFreeFor: (source) =>
      run(async (statements) => {
        const [any, copied] = await Promise.all([
          statements.value(ANYTHING_SQL),
          statements.value(SQL.copySource),
        ])
        return any !== true || copied === source
      }),
    noteCopy: (source) =>
      write(null, async (statements) => {
        if (source === null) await statements.run(SQL.endCopy)
        else await statements.run(SQL.beginCopy, { source })
      }),
  }
}

/** A snapshot for as long as the reader of an archive takes: its transaction ends with `end`. */
async function holdSnapshot(run: Runners['run']) {
  let release = (): void => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  let done: Promise<void> = Promise.resolve()
  const statements = await new Promise<Statements>((resolve, reject) => {
    done = run((given) => {
      resolve(given)
      return released
    })
    done.catch(reject)
  })
  return {
    statements,
    end(): Promise<void> {
      release()
      return done
    },
  }
}

type Line = ArchiveLine & { readonly n: number }
type Placed = {
  readonly line: Line
  readonly outcome: ArchiveOutcome
  readonly stored: ArchiveEntry | undefined
}

function createRestore(
  { run, write }: Pick<Runners, 'run' | 'write'>,
  dryRun: boolean,
): ArchiveRestore {
  /** Records that stayed as they were: the archive's revisions of them belong to others. */
  const kept = new Set<string>()
  /** What a dry run would have added. */
  const announced = new Set<string>()
  let isMerging: boolean | null = null

  const place = async (statements: Statements, lines: readonly Line[]): Promise<Placed[]> => {
    await assertKnown(statements, lines, announced)
    const stored = await findStored(statements, lines)
    return lines.map((line): Placed => {
      const found = stored.get(line.n)
      const outcome = decideOutcome(toStorableEntry(line.entry), found?.value ?? null, kept)
      return { line, outcome, stored: found }
    })
  }

  const restoreRun = async (statements: Statements, lines: readonly Line[]) => {
    const placed = await place(statements, lines)
    const pick = (kind: ArchiveOutcome['kind']) =>
      placed.filter(({ outcome }) => outcome.kind === kind)
    const added = pick('added').map(({ line }) => line)
    if (dryRun) {
      for (const { entry } of added) if ('id' in entry.value) announced.add(entry.value.id)
      return placed
    }
    const same = await writeLines(statements, added, pick('updated'))
    return placed.map(
      (one): Placed => (same.has(one.line.n) ? { ...one, outcome: { kind: 'same' } } : one),
    )
  }

  const restore = async (statements: Statements, batch: readonly ArchiveLine[]) => {
    isMerging ??= (await statements.value(SQL.anyRecord)) === true
    const placed: Placed[] = []
    for (const lines of splitRuns(batch)) placed.push(...(await restoreRun(statements, lines)))
    const written = placed.flatMap(({ line, outcome }) =>
      outcome.kind === 'added' || outcome.kind === 'updated' ? [line.entry] : [],
    )
    // In an empty schema every citation is as it was; beside other works it may lead to one of them.
    if (isMerging && !dryRun) await resolveCitations(statements, listCitationKeys(written))
    return placed.map(({ outcome }) => outcome)
  }

  return (batch) =>
    dryRun
      ? run((statements) => restore(statements, batch))
      : write(null, (statements) => restore(statements, batch))
}

/** Lines of one kind, each with another key, which are read and written together. */
function splitRuns(batch: readonly ArchiveLine[]): Line[][] {
  const runs: Line[][] = []
  let keys = new Set<string>()
  for (const [n, { line, entry }] of batch.entries()) {
    const given = new Map<string, unknown>(Object.entries(entry.value))
    const key = JSON.stringify(getRules(entry.kind).key.map((field) => given.get(field)))
    const current = runs.at(-1)
    if (current?.[0]?.entry.kind === entry.kind && !keys.has(key)) current.push({ line, entry, n })
    else {
      runs.push([{ line, entry, n }])
      keys = new Set()
    }
    keys.add(key)
  }
  return runs
}

async function assertKnown(
  statements: Statements,
  lines: readonly Line[],
  announced: ReadonlySet<string>,
): Promise<void> {
  const named = lines.flatMap(({ line, entry }) =>
    listReferences(entry)
      .filter(({ id }) => !announced.has(id))
      .map((reference) => ({ line, reference })),
  )
  const toKey = ({ id, namespace }: Reference): string =>
    namespace === null ? id : `${id} ${namespace}`
  const tables = [...new Set(named.map(({ reference }) => reference.table))]
  const found = await Promise.all(
    tables.map(async (table) => {
      const own = named.filter(({ reference }) => reference.table === table)
      const ids = [...new Set(own.map(({ reference }) => reference.id))]
      return [table, new Set(await statements.column(SQL.known[table], { ids }))] as const
    }),
  )
  const known = new Map(found)
  for (const { line, reference } of named) {
    if (known.get(reference.table)?.has(toKey(reference))) continue
    throw unknownReference(line, reference)
  }
}

/** The stored entries with the keys of these lines, by the numbers of the lines. */
async function findStored(statements: Statements, lines: readonly Line[]) {
  const [first] = lines
  if (first === undefined) return new Map<number, ArchiveEntry>()
  const { kind } = first.entry
  const values = { lines: toLines(lines) }
  const rows = await statements.all(ARCHIVE_TABLES[kind].find, values)
  return new Map(rows.map((row) => [Number(row.n), toEntry(kind, row)]))
}

function toLines(lines: readonly Line[]): string {
  return toJson(lines.map(({ entry, n }) => toLine(entry, n)))
}

/** As PostgreSQL can store it. */
function toStorableEntry(entry: ArchiveEntry): ArchiveEntry {
  const storable = toJson(entry.value)
  if (storable === JSON.stringify(entry.value)) return entry
  return { kind: entry.kind, value: JSON.parse(storable) } as ArchiveEntry
}

/** Returns the numbers of the lines that were not written, because an equal link has another id. */
async function writeLines(
  statements: Statements,
  added: readonly Line[],
  replaced: readonly Placed[],
): Promise<ReadonlySet<number>> {
  const updated = replaced.map(({ line }) => line)
  const kind = [...added, ...updated][0]?.entry.kind
  if (kind === undefined) return new Set()
  if (kind === 'record') {
    await writeRecords(statements, added, replaced)
    return new Set()
  }
  const { insert, update } = ARCHIVE_TABLES[kind]
  if (kind === 'link') {
    const sql = `${insert} ON CONFLICT DO NOTHING RETURNING id`
    const written = new Set(await statements.column(sql, { lines: toLines(added) }))
    // One by one: two of them may lead to the same record now, and then the second stays as it was.
    for (const line of updated) await statements.run(update, { lines: toLines([line]) })
    return new Set(added.filter(({ entry }) => !written.has(getId(entry))).map(({ n }) => n))
  }
  if (kind === 'revision') {
    const rows = await statements.column(`${insert} RETURNING row`, { lines: toLines(added) })
    await indexRevisions(statements, rows as number[])
    return new Set()
  }
  if (added.length > 0) await statements.run(insert, { lines: toLines(added) })
  if (updated.length > 0) await statements.run(update, { lines: toLines(updated) })
  const results = added.flatMap(({ entry }) =>
    entry.kind === 'recall'
      ? entry.value.results.map((result) => ({ ...result, query: entry.value.id }))
      : [],
  )
  if (results.length > 0) {
    const numbered = results.map((result, n) => ({ ...result, n }))
    await statements.run(SQL.addResults, { results: toJson(numbered) })
  }
  return new Set()
}

function getId({ value }: ArchiveEntry): RecordId {
  return ('id' in value ? value.id : '') as RecordId
}

/** The revisions of a replaced record go with it: those of the archive follow. */
async function writeRecords(
  statements: Statements,
  added: readonly Line[],
  replaced: readonly Placed[],
): Promise<void> {
  const { insert, update } = ARCHIVE_TABLES.record
  const updated = replaced.map(({ line }) => line)
  const ids = updated.map(({ entry }) => getId(entry))
  const turns = await readTurns(statements, ids)
  if (ids.length > 0) {
    await forgetContexts(statements, ids)
    for (const sql of SQL.forget) await statements.run(sql, { ids })
    await statements.run(update, { lines: toLines(updated) })
    const changed = replaced.filter(({ line, stored }) => hasOtherText(line.entry, stored))
    const stale = changed.map(({ line }) => getId(line.entry))
    await forgetVectors(statements, await getRows(statements, stale))
  }
  if (added.length > 0) {
    await statements.run(insert, { lines: toLines(added) })
    const fresh = added.map(({ entry }) => getId(entry))
    await queueForVectors(statements, await getRows(statements, fresh))
  }
  const entries = [...added, ...updated].map(({ entry }) => entry)
  await deriveRecords(statements, entries as RecordEntry[], turns)
}

type RecordEntry = Extract<ArchiveEntry, { kind: 'record' }>

function hasOtherText(entry: ArchiveEntry, stored: ArchiveEntry | undefined): boolean {
  const toText = ({ title, body }: ArchiveValue<'record'>): string => JSON.stringify([title, body])
  return (
    entry.kind === 'record' &&
    stored?.kind === 'record' &&
    toText(entry.value) !== toText(stored.value)
  )
}

/** Writes what follows from records that were stored. `turns`: where they stood before. */
async function deriveRecords(
  statements: Statements,
  entries: readonly RecordEntry[],
  turns: readonly TurnPosition[],
): Promise<void> {
  const works = entries.map(({ value }) => ({ ...value, id: value.id as RecordId }))
  const ids = works.map(({ id }) => id)
  const described = works.filter(({ work }) => work !== null)
  await Promise.all([
    statements.run(SQL.tag, { ids }),
    describeWorks(statements, described as unknown as Parameters<typeof describeWorks>[1]),
    identify(statements, works),
  ])
  const rows = await getRows(statements, ids)
  const moved = await refreshContexts(statements, [...turns, ...(await readTurns(statements, ids))])
  await queueForVectors(statements, moved)
  await indexRecords(statements, [...new Set([...rows, ...moved])])
}
