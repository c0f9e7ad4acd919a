/** What changes records, lenses and the file, and what is exported, as typed functions. */

import type { OperationInput, OperationName } from '../../../src/operations/operations.js'
import type { Answer } from './client.js'
import { ask, withParameters } from './request.js'

const post = <Name extends OperationName>(path: string, body: OperationInput<Name> | object = {}) =>
  ask<Answer<Name>>(path, { method: 'POST', body })

const record = (id: string, action: string): string =>
  `/api/records/${encodeURIComponent(id)}/${action}`

export const getRecords = (ids: readonly string[], signal?: AbortSignal) =>
  ask<Answer<'get'>>('/api/records/get', { method: 'POST', body: { ids }, signal })

export const addRecords = (records: readonly object[]) =>
  post<'add.many'>('/api/records/batch', { records })
export const importWorks = (input: object) => post<'import.works'>('/api/works', input)
export const deleteRecords = (ids: readonly string[]) =>
  post<'delete'>('/api/records/delete', { ids })
export const restoreRecords = (ids: readonly string[]) =>
  post<'restore'>('/api/records/restore', { ids })

export const reinforce = (id: string) => post<'reinforce'>(record(id, 'reinforce'))
export const deemphasize = (id: string) => post<'deemphasize'>(record(id, 'deemphasize'))
export const supersede = (older: string, newer: string) =>
  post<'supersede'>(record(older, 'supersede'), { newer })
export const link = (input: OperationInput<'link'>) => post<'link'>('/api/links', input)
export const unlink = (input: {
  readonly from: string
  readonly to: string
  readonly type: string
}) => ask<Answer<'unlink'>>(withParameters('/api/links', input), { method: 'DELETE' })

export const citeAll = (ids: readonly string[], style: string) =>
  post<'cite'>('/api/works/cite', { ids, style })
export const exportWorks = (input: object) => post<'export'>('/api/works/export', input)
export const fetchCitations = (id: string) =>
  post<'openalex.expand'>('/api/openalex/expand', { id })

export const saveLens = (name: string, sentence: string, options: object) =>
  ask<Answer<'lens.save'>>(`/api/lenses/${encodeURIComponent(name)}`, {
    method: 'PUT',
    body: { sentence, options },
  })
export const removeLens = (name: string) =>
  ask<Answer<'lens.remove'>>(`/api/lenses/${encodeURIComponent(name)}`, { method: 'DELETE' })

export const addToken = (input: OperationInput<'token.add'>) =>
  post<'token.add'>('/api/tokens', input)
export const revokeToken = (name: string) =>
  ask<Answer<'token.revoke'>>(`/api/tokens/${encodeURIComponent(name)}`, { method: 'DELETE' })

export const runDoctor = (repair: boolean) => post<'doctor'>('/api/doctor', { repair })
