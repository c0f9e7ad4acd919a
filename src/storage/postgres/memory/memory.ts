/** The memory part of the storage interface over PostgreSQL: sessions, links, facts, recalls and lenses. */

import type { MemoryStorage } from '../../memory.js'
import type { Parts } from '../open-postgres.js'
import type { Runners } from '../runner.js'
import { convertTimes, toJson } from '../statements.js'
import * as facts from './facts.js'
import * as links from './links.js'
import * as recalls from './recalls.js'
import * as sessions from './sessions.js'

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
export function createMemory(
  { now, makeId }: Pick<Parts, 'now' | 'makeId'>,
  { run, amend }: Runners,
): MemoryStorage {
  return {
    startSession: ({ id, startedAtMs, ...session }) =>
      amend(session.namespace, (statements) =>
        sessions.startSession(statements, {
          ...session,
          id: id ?? makeId(),
          startedAtMs: startedAtMs ?? now(),
        }),
      ),
    changeSession: (row, change) =>
      amend(null, (statements) => sessions.changeSession(statements, row, change)),
    findSession: (text, home, namespace = null) =>
      run((statements) => sessions.findSession(statements, { text, home, namespace })),
    listSessions: (listing) => run((statements) => sessions.listSessions(statements, listing)),
    listOwnedSessions: () => run(sessions.listOwned),
    listSessionRecords: (row, namespace = null) =>
      run((statements) => sessions.listSessionRecords(statements, row, namespace)),
    lastTouch: (record, namespace = null) =>
      run((statements) => sessions.findLastTouch(statements, record, namespace)),

    link: (link) =>
      amend(null, async (statements) => {
        const signed = { ...link, author: statements.author ?? link.author }
        const [id = ''] = await links.addLinks(statements, [signed], { makeId, now: now() })
        return links.readLink(statements, id)
      }),
    unlink: (id) => amend(null, (statements) => links.unlink(statements, id)),
    findLink: async (source, target, type) => {
      const all = await run((statements) => links.listBetween(statements, { source, target }))
      return all.filter((link) => type === null || link.type === type)
    },
    listLinks: (record) => run((statements) => links.listLinks(statements, record)),

    addFacts: (id, added) =>
      amend(null, async (statements) => {
        const given = [{ id, facts: added }]
        const ids = await facts.addFacts(statements, given, { makeId, now: now() })
        return facts.readFacts(statements, ids)
      }),
    findFact: (text, namespace = null) =>
      run((statements) => facts.findFact(statements, text, namespace)),
    listFacts: (listing) => run((statements) => facts.listFacts(statements, listing)),
    contradicting: (ids) => run((statements) => facts.listContradicting(statements, ids)),
    listFactsOn: (topics, namespace) =>
      run((statements) => facts.listFactsOn(statements, topics, namespace)),
    reinforceFact: (id, amount) =>
      amend(null, async (statements) => {
        const locked = await facts.lockFacts(statements, [id])
        await facts.reinforceFacts(statements, locked, { amount, now: now() })
        return (await facts.readFacts(statements, [id]))[0] ?? null
      }),
    endFact: (id) => amend(null, (statements) => facts.endFact(statements, id, now())),

    logRecall: (recall) =>
      amend(recall.session.namespace, (statements) =>
        recalls.logRecall(statements, makeId(), recall),
      ),
    listRecalls: (record, limit, namespaces = null) =>
      run((statements) => recalls.listRecalls(statements, record, { limit, namespaces })),
    listQueries: ({ session, limit, namespaces = null }) =>
      run((statements) => recalls.listQueries(statements, { session, limit, namespaces })),
    listUsed: (request) => run((statements) => recalls.listUsed(statements, request)),
    listCorrections: (namespaces, limit) =>
      run((statements) => recalls.listCorrections(statements, namespaces, limit)),
    strengthen: (records, how) =>
      amend(null, (statements) => recalls.strengthen(statements, records, { ...how, atMs: now() })),

    saveLens: ({ options, ...lens }) =>
      amend(lens.namespace, async (statements) => {
        await statements.run(SQL.saveLens, { ...lens, options: toJson(options), now: now() })
      }),
    listLenses: () =>
      run(async (statements) =>
        (await statements.all(SQL.lenses)).map((row) =>
          convertTimes(row, ['createdAt', 'updatedAt']),
        ),
      ),
    removeLens: ({ namespace, name }) =>
      amend(namespace, async (statements) => {
        return (await statements.run(SQL.removeLens, { namespace, name })) > 0
      }),
  }
}
