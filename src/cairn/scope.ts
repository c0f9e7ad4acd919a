/** Which records a caller means, and whether they are in scope, is decided in one place. */

import { CairnError } from '../core/errors.js'
import type { Filter } from '../core/filter.js'
import { parseId, parseIdPrefix, type RecordId, SHORTEST_PREFIX } from '../core/ids.js'
import type { CairnRecord } from '../core/record.js'
import {
  type FilterRequest,
  filterOf,
  type NamedIds,
  type SalienceClock,
} from '../schemas/search-request.js'
import type { Storage } from '../storage/storage.js'

export type Scope = ReturnType<typeof createScope>

export type ScopeParts = {
  readonly storage: Storage
  readonly namespace: string
  readonly pinned: boolean
  /** What a filter on salience and confidence is seen from. */
  readonly moment: () => SalienceClock
}

export function createScope({ storage, namespace, pinned, moment }: ScopeParts) {
  const includes = (asked: string): boolean => !pinned || asked === namespace
  const contains = (record: CairnRecord): boolean => includes(record.namespace)

  const assertContains = (asked: string): void => {
    if (includes(asked)) return
    throw new CairnError('outside_namespace', {
      message: `This session is kept to the namespace "${namespace}" and cannot reach "${asked}".`,
      hint: 'Leave the namespace out, or open the file without the pin.',
    })
  }

  /** The record whose id begins so, or null. */
  const find = async (text: string): Promise<RecordId | null> => {
    const prefix = parseIdPrefix(text)
    if (prefix === null || prefix.length < SHORTEST_PREFIX) return null
    const resolution = await storage.resolve(prefix)
    if (resolution.kind === 'ambiguous') {
      throw new CairnError('ambiguous_id', {
        message: `Several records have ids that begin with "${text}": ${resolution.ids.join(', ')}.`,
        hint: 'Give more characters of the id.',
      })
    }
    return resolution.kind === 'found' ? resolution.id : null
  }

  /** A whole id may name a record that is gone; a beginning must name one that is there. */
  const nameOne = async (text: string): Promise<RecordId> => {
    const id = parseId(text) ?? (await find(text))
    if (id === null) throw noRecord(text)
    return id
  }
  const nameAll = (texts: readonly string[]): Promise<RecordId[]> => Promise.all(texts.map(nameOne))

  return {
    namespace,
    /** The only namespace in scope, or null. */
    pinnedNamespace: pinned ? namespace : null,
    contains,
    includes,
    assertContains,

    /** Those of the namespaces that are in scope; null: all. */
    narrow(asked: readonly string[] | undefined): readonly string[] | null {
      for (const one of asked ?? []) assertContains(one)
      return asked ?? (pinned ? [namespace] : null)
    },

    find,

    /** All of them, each in the state asked for; otherwise an error that names the first that is not. */
    async findAll(
      texts: readonly string[],
      state: 'live' | 'deleted' | 'any',
    ): Promise<CairnRecord[]> {
      const ids = await Promise.all(texts.map(find))
      const records = await storage.get(
        ids.filter((id) => id !== null),
        { deleted: true },
      )
      const byId = new Map(records.map((record) => [record.id, record]))
      return texts.map((text, i) => {
        const record = byId.get(ids[i] ?? ('' as RecordId))
        if (record === undefined || !contains(record)) throw noRecord(text)
        const isDeleted = record.deletedAt !== null
        if (state === 'live' && isDeleted) throw wasDeleted(text)
        if (state === 'deleted' && !isDeleted) throw notDeleted(text)
        return record
      })
    },

    /** What a request lets pass, with its ids in full, and never more than what is in scope. */
    async filter(request: Parameters<typeof filterOf>[0] & FilterRequest): Promise<Filter> {
      const ids: NamedIds = {
        ...(request.ids?.in && { in: await nameAll(request.ids.in) }),
        ...(request.ids?.out && { out: await nameAll(request.ids.out) }),
      }
      const filter = filterOf(request, ids, moment())
      if (!pinned) return filter
      for (const asked of filter.namespaces ?? []) assertContains(asked)
      if (filter.includeGlobal) assertContains('every namespace')
      return { ...filter, namespaces: [namespace], isPinned: true }
    },
  }
}

export function noRecord(text: string): CairnError {
  return new CairnError('not_found', {
    message: `No record has the id "${text}".`,
    hint:
      text.length < SHORTEST_PREFIX
        ? `Give at least ${SHORTEST_PREFIX} characters of an id; \`cairn list\` shows them.`
        : '`cairn list` shows the ids there are.',
  })
}

function wasDeleted(text: string): CairnError {
  return new CairnError('not_found', {
    message: `The record "${text}" was deleted.`,
    hint: `Bring it back with \`cairn restore ${text}\`.`,
  })
}

function notDeleted(text: string): CairnError {
  return new CairnError('bad_input', {
    message: `The record "${text}" is not deleted.`,
    hint: '`cairn list --deleted` shows what can be restored.',
  })
}
