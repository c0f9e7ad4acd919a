/** The memory part of the storage interface over PostgreSQL: sessions, links, facts, recalls and lenses. */

import type { MemoryStorage } from '../../memory.js'
import { noteEvent } from '../log.js'
import type { Parts } from '../open-postgres.js'
import type { Runners } from '../runner.js'
import { convertTimes, toJson } from '../statements.js'
import { createFacts } from './facts.js'
import { createLinks } from './links.js'
import { createRecalls } from './recalls.js'
import { createSessions } from './sessions.js'

const SQL = {
  saveLens: `INSERT INTO lenses (namespace, name, sentence, options, created_at, updated_at)
    VALUES (:namespace, :name, :sentence, :options, :now, :now)
    ON CONFLICT (namespace, name) DO UPDATE
      SET sentence = excluded.sentence, options = excluded.options, updated_at = excluded.updated_at`,
  lenses: `SELECT namespace, name, sentence, options, created_at AS "createdAt", updated_at AS "updatedAt"
    FROM lenses ORDER BY name COLLATE "C", namespace COLLATE "C"`,
  removeLens: 'DELETE FROM lenses WHERE namespace = :namespace AND name = :name',
} as const

/** Every write here locks the rows that it reads before it changes them, so it may run beside other writes. */
export function createMemory(parts: Parts, runners: Runners): MemoryStorage {
  const { now } = parts
  const { run, amend } = runners
  return {
    ...createSessions(parts, runners),
    ...createLinks(parts, runners),
    ...createFacts(parts, runners),
    ...createRecalls(parts, runners),

    saveLens: ({ options, ...lens }) =>
      amend(lens.namespace, async (statements) => {
        await statements.run(SQL.saveLens, { ...lens, options: toJson(options), now: now() })
        const { namespace, name: subject } = lens
        await noteEvent(statements, { action: 'lens.save', namespace, subject }, now())
      }),
    listLenses: () =>
      run(async (statements) =>
        (await statements.all(SQL.lenses)).map((row) =>
          convertTimes(row, ['createdAt', 'updatedAt']),
        ),
      ),
    removeLens: ({ namespace, name }) =>
      amend(namespace, async (statements) => {
        const isGone = (await statements.run(SQL.removeLens, { namespace, name })) > 0
        const event = { action: 'lens.remove', namespace, subject: name } as const
        if (isGone) await noteEvent(statements, event, now())
        return isGone
      }),
  }
}
