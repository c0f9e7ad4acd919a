/** The memory part of the storage interface over SQLite: sessions, links, facts, recalls and lenses. */

import type { MemoryStorage, StoredLens } from '../../memory.js'
import { noteEvent } from '../log.js'
import { type Runners, runEach } from '../runner.js'
import { convertRow, type Parts } from '../statements.js'
import { createFactReads, createFactsTable } from './facts.js'
import { createLinkReads, createLinksTable } from './links.js'
import { createRecallReads, createRecallsTable } from './recalls.js'
import { createSessionReads, createSessionsTable } from './sessions.js'

const LENS = 'namespace, name, sentence, options, created_at AS createdAt, updated_at AS updatedAt'
const LENS_TYPES = { times: ['createdAt', 'updatedAt'], objects: ['options'] }
const SQL = {
  saveLens: `INSERT INTO lenses (namespace, name, sentence, options, created_at, updated_at)
    VALUES (:namespace, :name, :sentence, :options, :now, :now)
    ON CONFLICT (namespace, name) DO UPDATE
      SET sentence = excluded.sentence, options = excluded.options, updated_at = excluded.updated_at`,
  lenses: `SELECT ${LENS} FROM lenses ORDER BY name, namespace`,
  removeLens: 'DELETE FROM lenses WHERE namespace = :namespace AND name = :name',
} as const

export type SqliteMemory = ReturnType<typeof createMemory>

export function createMemory(parts: Parts) {
  const { statements, now } = parts
  const sessions = createSessionsTable(parts)
  const links = createLinksTable(parts)
  const facts = createFactsTable(parts)
  const recalls = createRecallsTable(parts, sessions, facts)
  const reads = {
    ...createSessionReads(statements),
    ...createLinkReads(statements),
    ...createFactReads(statements),
    ...createRecallReads(statements),
    listLenses: () =>
      statements.all(SQL.lenses).map((row) => convertRow<StoredLens>(row, LENS_TYPES)),
  }
  const writes = {
    ...sessions.writes,
    ...links.writes,
    ...facts.writes,
    ...recalls.writes,
    saveLens({ namespace, name, ...lens }: Omit<StoredLens, 'createdAt' | 'updatedAt'>): void {
      statements.run(SQL.saveLens, { namespace, name, ...lens, now: now() })
      noteEvent(parts, { action: 'lens.save', namespace, subject: name })
    },
    removeLens({ namespace, name }: Pick<StoredLens, 'namespace' | 'name'>): boolean {
      const isGone = statements.run(SQL.removeLens, { namespace, name }).changes > 0
      if (isGone) noteEvent(parts, { action: 'lens.remove', namespace, subject: name })
      return isGone
    },
  }

  return {
    storage: ({ run, write }: Runners): MemoryStorage => ({
      ...runEach(run, reads),
      ...runEach(write, writes),
    }),
    /** The tables, for the transactions of other operations. */
    sessions,
    links,
    facts,
    recalls,
  }
}
