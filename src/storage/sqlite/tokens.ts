/** The tokens of a server, over SQLite. */

import type { NewToken, StoredToken, TokenStorage } from '../tokens.js'
import { type Runners, runEach } from './runner.js'
import { convertRow, type Statements } from './statements.js'

const SQL = {
  add: `INSERT INTO tokens (name, hash, namespaces, role, created_at, expires_at)
    VALUES (:name, :hash, :namespaces, :role, :createdAtMs, :expiresAtMs) ON CONFLICT (name) DO NOTHING`,
  list: `SELECT name, hash, namespaces, role, created_at AS createdAtMs, expires_at AS expiresAtMs,
    used_at AS usedAtMs FROM tokens ORDER BY name`,
  remove: 'DELETE FROM tokens WHERE name = :name',
  noteUse: `UPDATE tokens SET used_at = :atMs WHERE name IN (SELECT value FROM json_each(:names))`,
} as const

export function createTokens(statements: Statements, { run, write }: Runners): TokenStorage {
  return {
    ...runEach(run, {
      list: () =>
        statements
          .all(SQL.list)
          .map((row) => convertRow<StoredToken>(row, { texts: ['namespaces'] })),
    }),
    ...runEach(write, {
      add: (token: NewToken) => statements.run(SQL.add, token).changes > 0,
      remove: (name: string) => statements.run(SQL.remove, { name }).changes > 0,
      noteUse: (names: readonly string[], atMs: number) =>
        void statements.run(SQL.noteUse, { names, atMs }),
    }),
  }
}
