/** Brings the schema of a Cairn in PostgreSQL to the version of this program; processes that start together wait for each other. */

import { CairnError } from '../../core/errors.js'
import { noCairn, noVectors } from './errors.js'
import { TABLES } from './migrations/0001-tables.js'
import type { Runner } from './runner.js'
import type { Statements } from './statements.js'

/** Migration n leads from version n to n + 1. A migration that was released never changes. */
const MIGRATIONS = [TABLES] as const
export const SCHEMA_VERSION = MIGRATIONS.length

const SQL = {
  lock: `SELECT pg_advisory_xact_lock(hashtextextended('cairn migration', 0))`,
  // to_regclass would not see the table of a process that has just committed: it reads the catalogue's cache.
  hasMeta: `SELECT EXISTS (SELECT FROM pg_tables WHERE schemaname = :schema AND tablename = 'meta')`,
  version: `SELECT value::integer FROM meta WHERE key = 'schemaVersion'`,
  setVersion: `INSERT INTO meta (key, value) VALUES ('schemaVersion', :version)
    ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
  addVectors: 'CREATE EXTENSION IF NOT EXISTS vector',
  hasVectors: `SELECT string_to_array(extversion, '.')::integer[] >= '{0,8}' FROM pg_extension WHERE extname = 'vector'`,
  addSchema: (schema: string) => `CREATE SCHEMA IF NOT EXISTS "${schema}"`,
} as const

type SchemaOptions = { readonly schema: string; readonly mayChange: boolean }

/** The `search_path` of every connection begins with the schema. */
export async function prepareSchema(
  { run, runInside }: Pick<Runner, 'run' | 'runInside'>,
  server: string,
  { schema, mayChange }: SchemaOptions,
): Promise<void> {
  const before = await run((statements) => readSchemaVersion(statements, schema))
  if (before === SCHEMA_VERSION) return
  if (before > SCHEMA_VERSION) throw newerSchema(server, schema, before)
  if (!mayChange) throw before === 0 ? noCairn(server, schema) : olderSchema(server, schema)
  await runInside(async (statements) => {
    await statements.run(SQL.lock)
    const version = await readSchemaVersion(statements, schema)
    if (version > SCHEMA_VERSION) throw newerSchema(server, schema, version)
    if (version === 0) await addExtension(statements, server)
    await statements.run(SQL.addSchema(schema))
    for (const migration of MIGRATIONS.slice(version)) {
      for (const sql of splitStatements(migration)) await statements.run(sql)
    }
    await statements.run(SQL.setVersion, { version: String(SCHEMA_VERSION) })
  })
}

async function addExtension(statements: Statements, server: string): Promise<void> {
  try {
    await statements.run(SQL.addVectors)
  } catch (error) {
    throw noVectors(server, error)
  }
  if ((await statements.value(SQL.hasVectors)) !== true) throw noVectors(server, null)
}

/** 0 where there is no Cairn in the schema. */
export async function readSchemaVersion(statements: Statements, schema: string): Promise<number> {
  const hasMeta = await statements.value(SQL.hasMeta, { schema })
  return hasMeta === true ? Number((await statements.value(SQL.version)) ?? 0) : 0
}

function newerSchema(server: string, schema: string, version: number): CairnError {
  return new CairnError('newer_format', {
    message: `The schema ${schema} of ${server} has version ${version}; this Cairn knows versions up to ${SCHEMA_VERSION}.`,
    hint: 'Update Cairn. Nothing was changed.',
  })
}

function olderSchema(server: string, schema: string): CairnError {
  return new CairnError('read_only', {
    message: `The schema ${schema} of ${server} is of an earlier version and cannot be updated while it is only read.`,
    hint: 'Open it once for writing.',
  })
}

/** Each statement ends with a semicolon at the end of a line. */
function splitStatements(sql: string): string[] {
  return sql
    .replaceAll(/^\s*--.*$/gm, '')
    .split(/;\n/)
    .filter((statement) => statement.trim() !== '')
}
