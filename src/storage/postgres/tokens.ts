/** The tokens of a server, over PostgreSQL. */

import type { StoredToken, TokenStorage } from '../tokens.js'
import type { Runners } from './runner.js'

const SQL = {
  add: `INSERT INTO tokens (name, hash, namespaces, role, created_at, expires_at)
    VALUES (:name, :hash, :namespaces::text[], :role, :createdAtMs, :expiresAtMs) ON CONFLICT (name) DO NOTHING`,
  list: `SELECT name, hash, to_json(namespaces) AS namespaces, role, created_at AS "createdAtMs",
    expires_at AS "expiresAtMs", used_at AS "usedAtMs" FROM tokens ORDER BY name COLLATE "C"`,
  remove: 'DELETE FROM tokens WHERE name = :name',
  noteUse: 'UPDATE tokens SET used_at = :atMs WHERE name = ANY (:names::text[])',
} as const

/** No search depends on a token, so none of these writes changes the version. */
export function createTokens({ run, runAlone }: Pick<Runners, 'run' | 'runAlone'>): TokenStorage {
  return {
    add: (token) => runAlone(async (statements) => (await statements.run(SQL.add, token)) > 0),
    list: () => run(async (statements) => (await statements.all(SQL.list)) as StoredToken[]),
    remove: (name) =>
      runAlone(async (statements) => (await statements.run(SQL.remove, { name })) > 0),
    noteUse: (names, atMs) =>
      runAlone(async (statements) => void (await statements.run(SQL.noteUse, { names, atMs }))),
  }
}
