/** The tokens of a server, over SQLite. */

import type { StoredToken, TokenStorage } from '../tokens.js'
import type { Runners } from './runner.js'
import type { Statements } from './statements.js'
import { readTexts } from './stored-values.js'

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
    add: ({ namespaces, ...token }) =>
      write(() => {
        const values = { ...token, namespaces: namespaces && JSON.stringify(namespaces) }
        return statements.run(SQL.add, values).changes > 0
      }),
    list: () =>
      run(() =>
        statements.all(SQL.list).map(({ namespaces, ...row }) => {
          const seen = namespaces === null ? null : readTexts(namespaces)
          return { ...row, namespaces: seen } as unknown as StoredToken
        }),
      ),
    remove: (name) => write(() => statements.run(SQL.remove, { name }).changes > 0),
    noteUse: (names, atMs) =>
      write(() => void statements.run(SQL.noteUse, { names: JSON.stringify(names), atMs })),
  }
}
