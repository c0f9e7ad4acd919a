/** A work is found by whatever names it, and comes with what it cites. */

import { CairnError } from '../core/errors.js'
import type { CairnRecord } from '../core/record.js'
import type { Work } from '../core/work.js'
import { printIdentifier, readIdentifier } from '../literature/identifiers.js'
import { check } from '../schemas/check.js'
import { type ListInput, listRequest } from '../schemas/record-requests.js'
import type { Storage } from '../storage/storage.js'
import type { Scope } from './scope.js'
import { toWork } from './work-records.js'

export type StoredWork = { readonly record: CairnRecord; readonly work: Work }

/** Everything but how much of a list to show. */
export type ExportFilter = Omit<ListInput, 'kinds' | 'limit' | 'cursor' | 'deleted'>

const PAGE = 1000

export function createWorkFinder(storage: Storage, scope: Scope) {
  /** By id, DOI, OpenAlex id, arXiv id or citation key. Of two namespaces the one that is written to. */
  const locate = async (text: string): Promise<CairnRecord | null> => {
    const id = await scope.findId(text)
    const named = id === null ? [] : await storage.get([id])
    const [byId] = named.filter((record) => record.kind === 'work' && scope.contains(record))
    if (byId !== undefined) return byId
    const identifier = readIdentifier(text)
    const key = text.trim().replace(/^key:\s*/i, '')
    const keys = [...(identifier === null ? [] : [printIdentifier(identifier)]), `key:${key}`]
    const found = (await storage.works.find(null, keys)).filter((one) =>
      scope.includes(one.namespace),
    )
    const here = found.filter(({ namespace }) => namespace === scope.namespace)
    const candidates = here.length > 0 ? here : found
    const [first] = candidates.toSorted((a, b) => Number(a.isSuperseded) - Number(b.isSuperseded))
    if (first === undefined) return null
    const elsewhere = candidates.find(({ namespace }) => namespace !== first.namespace)
    if (elsewhere !== undefined) {
      throw new CairnError('ambiguous_id', {
        message: `"${text}" is a work of several namespaces: ${candidates.map((one) => `${one.id} in "${one.namespace}"`).join(', ')}.`,
        hint: 'Give the id of one of them.',
      })
    }
    return (await storage.get([first.id]))[0] ?? null
  }

  const locateAll = async (texts: readonly string[]): Promise<CairnRecord[]> => {
    const found = new Map<string, CairnRecord>()
    for (const text of new Set(texts)) {
      const record = await locate(text)
      if (record === null) throw noWork(text)
      found.set(text, record)
    }
    return texts.flatMap((text) => found.get(text) ?? [])
  }

  const listAll = async (filter: ExportFilter): Promise<CairnRecord[]> => {
    const { limit: _, ...request } = check(listRequest, { ...filter, kinds: 'work' })
    const within = await scope.filter(request)
    const records: CairnRecord[] = []
    let cursor: string | null = null
    do {
      const page = await storage.list({ filter: within, limit: PAGE, cursor, deleted: false })
      records.push(...page.records)
      cursor = page.next
    } while (cursor !== null)
    return records.reverse()
  }

  const withReferences = async (records: readonly CairnRecord[]): Promise<StoredWork[]> => {
    const references = await storage.works.references(records.map(({ id }) => id))
    return records.map((record) => {
      const cited = (references.get(record.id) ?? []).map(({ reference }) => reference)
      const named = [...new Set(cited.filter((reference) => reference !== null))]
      return { record, work: toWork(record, named) }
    })
  }

  return { locate, locateAll, listAll, withReferences }
}

export function noWork(text: string): CairnError {
  return new CairnError('not_found', {
    message: `No work is known as "${text}".`,
    hint: 'Give its id, DOI, OpenAlex id, arXiv id or citation key.',
  })
}
