/** The memory part of the storage interface over PostgreSQL: sessions, links, facts, recalls and lenses. */

import type { RecordId } from '../../../core/ids.js'
import type { NotedAction } from '../../log.js'
import { type MemoryStorage, nameChange } from '../../memory.js'
import { noteEvent, noteLink, noteRecords } from '../log.js'
import type { Parts } from '../open-postgres.js'
import type { Runners } from '../runner.js'
import { convertTimes, type Statements, toJson } from '../statements.js'
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
  const noteOf = (statements: Statements, action: NotedAction, record: RecordId | undefined) =>
    noteRecords(statements, action, { ids: record === undefined ? [] : [record], at: now() })

  return {
    startSession: ({ id: given, startedAtMs, ...session }) =>
      amend(session.namespace, async (statements) => {
        const id = given ?? makeId()
        const start = startedAtMs ?? now()
        const named = {
          action: 'session.start',
          namespace: session.namespace,
          subject: id,
        } as const
        const started = { ...session, id, startedAtMs: start }
        const answer = await sessions.startSession(statements, started)
        await noteEvent(statements, named, now())
        return answer
      }),
    changeSession: (row, change) =>
      amend(null, async (statements) => {
        const changed = await sessions.changeSession(statements, row, change)
        if (changed === null) return null
        const { id: subject, namespace } = changed
        await noteEvent(statements, { action: nameChange(change), namespace, subject }, now())
        return changed
      }),
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
        await noteLink(statements, 'link', { ...link, at: now() })
        return links.readLink(statements, id)
      }),
    unlink: (id) =>
      amend(null, async (statements) => {
        const removed = await links.unlink(statements, id)
        if (removed !== null) await noteLink(statements, 'unlink', { ...removed, at: now() })
        return removed
      }),
    findLink: async (source, target, type) => {
      const all = await run((statements) => links.listBetween(statements, { source, target }))
      return all.filter((link) => type === null || link.type === type)
    },
    listLinks: (record) => run((statements) => links.listLinks(statements, record)),

    addFacts: (id, added) =>
      amend(null, async (statements) => {
        const given = [{ id, facts: added }]
        const ids = await facts.addFacts(statements, given, { makeId, now: now() })
        await noteOf(statements, 'fact.add', id)
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
        const [fact] = await facts.readFacts(statements, [id])
        await noteOf(statements, 'fact.reinforce', fact?.recordId)
        return fact ?? null
      }),
    endFact: (id) =>
      amend(null, async (statements) => {
        const fact = await facts.endFact(statements, id, now())
        await noteOf(statements, 'fact.remove', fact?.recordId)
        return fact
      }),

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
      amend(null, async (statements) => {
        await noteRecords(statements, how.kind, { ids: records, at: now() })
        return recalls.strengthen(statements, records, { ...how, atMs: now() })
      }),

    ...createLenses(now, { run, amend }),
  }
}

function createLenses(
  now: () => number,
  { run, amend }: Pick<Runners, 'run' | 'amend'>,
): Pick<MemoryStorage, 'saveLens' | 'listLenses' | 'removeLens'> {
  return {
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
