/** Brings the schema of a Cairn in PostgreSQL to the version of this program; processes that start together wait for each other. */

import { CairnError } from '../../core/errors.js'
import { TABLES } from './migrations/0001-tables.js'
import type { Statements } from './statements.js'

/** Migration n leads from version n to n + 1. A migration that was released never changes. */
const MIGRATIONS = [TABLES] as const
export const SCHEMA_VERSION = MIGRATIONS.length

const SQL = {
  lock: `SELECT pg_advisory_xact_lock(hashtextextended('cairn migration ' || :schema, 0))`,
  hasMeta: `SELECT to_regclass(format('%I.meta', :schema::text)) IS NOT NULL`,
  version: `SELECT value::integer FROM meta WHERE key = 'schemaVersion'`,
  setVersion: `INSERT INTO meta (key, value) VALUES ('schemaVersion', :version)
    ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
} as const

/** To be run inside a transaction whose `search_path` begins with the schema. */
export async function migrate(statements: Statements, schema: string): Promise<void> {
  await statements.run(SQL.lock, { schema })
  const before = await readSchemaVersion(statements, schema)
  if (before === SCHEMA_VERSION) return
  if (before > SCHEMA_VERSION) {
    throw new CairnError('newer_format', {
      message: `The schema ${schema} has version ${before}; this Cairn knows versions up to ${SCHEMA_VERSION}.`,
      hint: 'Update Cairn. Nothing was changed.',
    })
  }
  for (const migration of MIGRATIONS.slice(before)) {
    for (const sql of splitStatements(migration)) await statements.run(sql)
  }
  await statements.run(SQL.setVersion, { version: String(SCHEMA_VERSION) })
}

/** 0 where there is no Cairn in the schema. */
export async function readSchemaVersion(statements: Statements, schema: string): Promise<number> {
  const hasMeta = await statements.value(SQL.hasMeta, { schema })
  return hasMeta === true ? Number((await statements.value(SQL.version)) ?? 0) : 0
}

/** Each statement ends with a semicolon at the end of a line. */
function splitStatements(sql: string): string[] {
  return sql
    .replaceAll(/^\s*--.*$/gm, '')
    .split(/;\n/)
    .filter((statement) => statement.trim() !== '')
}
