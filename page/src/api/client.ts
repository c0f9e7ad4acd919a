/** The server's operations as typed functions. */

import type { Hit } from '../../../src/core/answer.js'
import type { Caller } from '../../../src/core/caller.js'
import type { CairnRecord } from '../../../src/core/record.js'
import type {
  OperationAnswer,
  OperationInput,
  OperationName,
} from '../../../src/operations/operations.js'
import { ask, withParameters } from './request.js'

export type Answer<Name extends OperationName> = OperationAnswer<Name>
type Input<Name extends OperationName> = OperationInput<Name>
type Signal = AbortSignal | undefined

const record = (id: string, rest = ''): string => `/api/records/${encodeURIComponent(id)}${rest}`
const work = (id: string, rest: string): string => `/api/works/${encodeURIComponent(id)}${rest}`

/** A hit as it is sent: without the text of its record. */
export type FoundHit = Omit<Hit, 'record'> & { readonly record: Omit<CairnRecord, 'body' | 'work'> }
export type SearchAnswer = Omit<Answer<'search'>, 'hits'> & { readonly hits: readonly FoundHit[] }

export const search = (input: Input<'search'>, signal?: Signal) =>
  ask<SearchAnswer>('/api/search', { method: 'POST', body: input, signal })

/** The words of a record that a query matches, as they are written, one for each place. */
export async function findMatches(query: string, id: string, signal?: Signal): Promise<string[]> {
  const body = {
    ...{ query, ids: { in: [id] }, mode: 'keyword', includeSuperseded: true, limit: 1, body: true },
  }
  const sending = { method: 'POST', body, signal } as const
  const [hit] = (await ask<Answer<'search'>>('/api/search', sending)).hits
  return hit?.highlights.body.map(({ start, end }) => hit.record.body.slice(start, end)) ?? []
}

export const listLenses = (signal?: Signal) => ask<Answer<'lens.list'>>('/api/lenses', { signal })

export const listNewest = (limit: number, signal?: Signal) =>
  ask<Answer<'list'>>(withParameters('/api/records', { limit }), { signal })

export const listWorks = (limit: number, signal?: Signal) =>
  ask<Answer<'list'>>(withParameters('/api/records', { kinds: 'work', limit }), { signal })

export const whyRecord = (id: string, signal?: Signal) =>
  ask<Answer<'why'>>(record(id, '/why'), { signal })

export const readHistory = (id: string, signal?: Signal) =>
  ask<Answer<'history'>>(record(id, '/history'), { signal })

export const findSimilar = (id: string, signal?: Signal) =>
  ask<Answer<'similar'>>(withParameters(record(id, '/similar'), { limit: 6, body: true }), {
    signal,
  })

/** Works alone, and without their texts. */
export const findNearWorks = (id: string, limit: number, signal?: Signal) =>
  ask<Answer<'similar'>>(withParameters(record(id, '/similar'), { limit, kinds: 'work' }), {
    signal,
  })

export const timelineAround = (anchor: string, signal?: Signal) =>
  ask<Answer<'timeline'>>(withParameters('/api/timeline', { anchor, before: 4, after: 4 }), {
    signal,
  })

export type Stretch = {
  readonly since?: string | undefined
  readonly until?: string | undefined
  readonly kinds?: readonly string[]
  readonly tags?: readonly string[]
  readonly cursor?: string | undefined
}

export const timelineOver = (stretch: Stretch, limit: number, signal?: Signal) =>
  ask<Answer<'timeline'>>(
    withParameters('/api/timeline', { ...stretch, newestFirst: true, limit }),
    { signal },
  )

export const addRecord = (input: Input<'add'>) =>
  ask<Answer<'add'>>('/api/records', { method: 'POST', body: input })

export type Change = Omit<Input<'edit'>, 'id'>

export const editRecord = (id: string, change: Change) =>
  ask<Answer<'edit'>>(record(id), { method: 'PATCH', body: change })

export const undoEdit = (id: string, revision?: number) =>
  ask<Answer<'undo'>>(record(id, '/undo'), {
    method: 'POST',
    body: revision === undefined ? {} : { revision },
  })

export const deleteRecord = (id: string) => ask<Answer<'delete'>>(record(id), { method: 'DELETE' })

export const restoreRecord = (id: string) =>
  ask<Answer<'restore'>>(record(id, '/restore'), { method: 'POST' })

export const readCitations = (id: string, signal?: Signal) =>
  ask<Answer<'citations'>>(work(id, '/citations'), { signal })

export const cite = (id: string, style: 'plain' | 'bibtex', signal?: Signal) =>
  ask<Answer<'cite'>>(withParameters(work(id, '/cite'), { style }), { signal })

export const explore = (input: Input<'explore'>, signal?: Signal) =>
  ask<Answer<'explore'>>('/api/explore', { method: 'POST', body: input, signal })

export const listSessions = (cursor: string | undefined, limit: number, signal?: Signal) =>
  ask<Answer<'session.list'>>(withParameters('/api/sessions', { cursor, limit }), { signal })

export const showSession = (id: string, signal?: Signal) =>
  ask<Answer<'session.show'>>(`/api/sessions/${encodeURIComponent(id)}`, { signal })

export const readStats = (signal?: Signal) => ask<Answer<'stats'>>('/api/stats', { signal })

export const readModels = (signal?: Signal) => ask<Answer<'models'>>('/api/models', { signal })

export const readOverview = (signal?: Signal) =>
  ask<Answer<'overview'>>('/api/overview', { signal })

/** Who uses the page. */
export const readCaller = (signal?: Signal) => ask<Caller>('/api/caller', { signal })

export const listTokens = (signal?: Signal) => ask<Answer<'token.list'>>('/api/tokens', { signal })
