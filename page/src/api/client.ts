/** The server's operations as typed functions. */

import type { Hit } from '../../../src/core/answer.js'
import type { Caller } from '../../../src/core/caller.js'
import type { CairnRecord } from '../../../src/core/record.js'
import type {
  OperationAnswer,
  OperationInput,
  OperationName,
} from '../../../src/operations/operations.js'
import { ask, type Parameters, withParameters } from './request.js'

export type Answer<Name extends OperationName> = OperationAnswer<Name>
type Input<Name extends OperationName> = OperationInput<Name>
type Signal = AbortSignal | undefined

const get = <Name extends OperationName>(
  path: string,
  signal: Signal,
  parameters: Parameters = {},
) => ask<Answer<Name>>(withParameters(path, parameters), { signal })

const post = <Name extends OperationName>(path: string, body: object = {}, signal?: Signal) =>
  ask<Answer<Name>>(path, { method: 'POST', body, signal })

const record = (id: string, rest = ''): string => `/api/records/${encodeURIComponent(id)}${rest}`
const work = (id: string, rest: string): string => `/api/works/${encodeURIComponent(id)}${rest}`
const lens = (name: string): string => `/api/lenses/${encodeURIComponent(name)}`

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
  const [hit] = (await post<'search'>('/api/search', body, signal)).hits
  return hit?.highlights.body.map(({ start, end }) => hit.record.body.slice(start, end)) ?? []
}

export const listNewest = (limit: number, signal?: Signal) =>
  get<'list'>('/api/records', signal, { limit })
export const listWorks = (limit: number, signal?: Signal) =>
  get<'list'>('/api/records', signal, { kinds: 'work', limit })

export const getRecords = (ids: readonly string[], signal?: Signal) =>
  post<'get'>('/api/records/get', { ids }, signal)
export const whyRecord = (id: string, signal?: Signal) => get<'why'>(record(id, '/why'), signal)
export const readHistory = (id: string, signal?: Signal) =>
  get<'history'>(record(id, '/history'), signal)
export const findSimilar = (id: string, signal?: Signal) =>
  get<'similar'>(record(id, '/similar'), signal, { limit: 6, body: true })
/** Works alone, and without their texts. */
export const findNearWorks = (id: string, limit: number, signal?: Signal) =>
  get<'similar'>(record(id, '/similar'), signal, { limit, kinds: 'work' })

export const addRecord = (input: Input<'add'>) => post<'add'>('/api/records', input)
export const addRecords = (records: readonly object[]) =>
  post<'add.many'>('/api/records/batch', { records })

export type Change = Omit<Input<'edit'>, 'id'>

export const editRecord = (id: string, change: Change) =>
  ask<Answer<'edit'>>(record(id), { method: 'PATCH', body: change })
export const undoEdit = (id: string, revision?: number) =>
  post<'undo'>(record(id, '/undo'), revision === undefined ? {} : { revision })
export const deleteRecord = (id: string) => ask<Answer<'delete'>>(record(id), { method: 'DELETE' })
export const deleteRecords = (ids: readonly string[]) =>
  post<'delete'>('/api/records/delete', { ids })
export const restoreRecord = (id: string) => post<'restore'>(record(id, '/restore'))
export const restoreRecords = (ids: readonly string[]) =>
  post<'restore'>('/api/records/restore', { ids })

export const reinforce = (id: string) => post<'reinforce'>(record(id, '/reinforce'))
export const deemphasize = (id: string) => post<'deemphasize'>(record(id, '/deemphasize'))
export const supersede = (older: string, newer: string) =>
  post<'supersede'>(record(older, '/supersede'), { newer })
export const link = (input: Input<'link'>) => post<'link'>('/api/links', input)
export const unlink = (input: Readonly<Record<'from' | 'to' | 'type', string>>) =>
  ask<Answer<'unlink'>>(withParameters('/api/links', input), { method: 'DELETE' })

export const timelineAround = (anchor: string, signal?: Signal) =>
  get<'timeline'>('/api/timeline', signal, { anchor, before: 4, after: 4 })

export type Stretch = {
  readonly since?: string | undefined
  readonly until?: string | undefined
  readonly kinds?: readonly string[]
  readonly tags?: readonly string[]
  readonly cursor?: string | undefined
}

export const timelineOver = (stretch: Stretch, limit: number, signal?: Signal) =>
  get<'timeline'>('/api/timeline', signal, { ...stretch, newestFirst: true, limit })

export const listSessions = (cursor: string | undefined, limit: number, signal?: Signal) =>
  get<'session.list'>('/api/sessions', signal, { cursor, limit })
export const showSession = (id: string, signal?: Signal) =>
  get<'session.show'>(`/api/sessions/${encodeURIComponent(id)}`, signal)

export const importWorks = (input: object) => post<'import.works'>('/api/works', input)
export const exportWorks = (input: object) => post<'export'>('/api/works/export', input)
export const citeAll = (ids: readonly string[], style: string) =>
  post<'cite'>('/api/works/cite', { ids, style })
export const readCitations = (id: string, signal?: Signal) =>
  get<'citations'>(work(id, '/citations'), signal)
export const fetchCitations = (id: string) =>
  post<'openalex.expand'>('/api/openalex/expand', { id })
export const explore = (input: Input<'explore'>, signal?: Signal) =>
  post<'explore'>('/api/explore', input, signal)

export const listLenses = (signal?: Signal) => get<'lens.list'>('/api/lenses', signal)
export const saveLens = (name: string, sentence: string, options: object) =>
  ask<Answer<'lens.save'>>(lens(name), { method: 'PUT', body: { sentence, options } })
export const removeLens = (name: string) =>
  ask<Answer<'lens.remove'>>(lens(name), { method: 'DELETE' })

export const listTokens = (signal?: Signal) => get<'token.list'>('/api/tokens', signal)
export const addToken = (input: Input<'token.add'>) => post<'token.add'>('/api/tokens', input)
export const revokeToken = (name: string) =>
  ask<Answer<'token.revoke'>>(`/api/tokens/${encodeURIComponent(name)}`, { method: 'DELETE' })

export const readStats = (signal?: Signal) => get<'stats'>('/api/stats', signal)
export const readModels = (signal?: Signal) => get<'models'>('/api/models', signal)
export const readOverview = (signal?: Signal) => get<'overview'>('/api/overview', signal)
/** Who uses the page. */
export const readCaller = (signal?: Signal) => ask<Caller>('/api/caller', { signal })
export const runDoctor = (repair: boolean) => post<'doctor'>('/api/doctor', { repair })
