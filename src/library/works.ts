/** Promise: works come in, go out and cite each other, each of them once however it is named. */

import { badInput, CairnError } from '../core/errors.js'
import type { RecordId } from '../core/ids.js'
import type { CairnRecord } from '../core/record.js'
import type { Work } from '../core/work.js'
import { printIdentifier, readIdentifier } from '../literature/identifiers.js'
import { check } from '../requests/check.js'
import { type ListInput, listRequest } from '../requests/record-requests.js'
import {
  type ImportAnswer,
  type ImportOptions,
  type ImportParts,
  importWorks,
} from './import-works.js'
import { toWork } from './work-records.js'

export type StoredWork = { readonly record: CairnRecord; readonly work: Work }

export type CitedWork = {
  readonly id: RecordId
  readonly title: string | null
  readonly year: number | null
}

export type CitationsAnswer = {
  readonly id: RecordId
  /** Stored works that it cites, and that cite it. */
  readonly references: readonly CitedWork[]
  readonly citedBy: readonly CitedWork[]
  /** What it cites and is not stored, as the citation names it. */
  readonly unresolved: readonly string[]
}

/** Ids or other names of two works: `from` cites `to`. */
export type GivenCitation = { readonly from: string; readonly to: string }

/** Everything but how much of a list to show. */
export type ExportFilter = Omit<ListInput, 'kinds' | 'limit' | 'cursor' | 'deleted'>

export type Works = ReturnType<typeof createWorks>

const PAGE = 1000

export function createWorks(parts: ImportParts) {
  const { storage, reach } = parts

  /** By id, DOI, OpenAlex id, arXiv id or citation key. Of two namespaces the one that is written to. */
  const locate = async (text: string): Promise<CairnRecord | null> => {
    const id = await reach.find(text)
    const named = id === null ? [] : await storage.get([id])
    const [byId] = named.filter((record) => record.kind === 'work' && reach.contains(record))
    if (byId !== undefined) return byId
    const identifier = readIdentifier(text)
    const key = text.trim().replace(/^key:\s*/i, '')
    const keys = [...(identifier === null ? [] : [printIdentifier(identifier)]), `key:${key}`]
    const found = (await storage.works.find(null, keys)).filter((one) =>
      reach.includes(one.namespace),
    )
    const here = found.filter(({ namespace }) => namespace === reach.namespace)
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
    const within = await reach.filter(request)
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

  return {
    /**
     * Stores works. One that is there already, under whichever of its identifiers, is filled and extended; what
     * disagrees is reported and left as it is. Can be broken off at any moment and run again.
     */
    import: (works: readonly Work[], options: ImportOptions = {}): Promise<ImportAnswer> =>
      importWorks(parts, works, options),

    /** By its id, DOI, OpenAlex id, arXiv id or citation key; null where there is none. */
    async get(idOrIdentifier: string): Promise<StoredWork | null> {
      const record = await locate(idOrIdentifier)
      return record === null ? null : ((await withReferences([record]))[0] ?? null)
    },

    /** Whole works with what they cite: those named, or all that pass the filter, the oldest first. */
    async export(which: readonly string[] | ExportFilter = {}): Promise<Work[]> {
      const records = isList(which) ? await locateAll(which) : await listAll(which)
      return (await withReferences(records)).map(({ work }) => work)
    },

    async citations(idOrIdentifier: string): Promise<CitationsAnswer> {
      const [record] = await locateAll([idOrIdentifier])
      if (record === undefined) throw noWork(idOrIdentifier)
      const { id } = record
      const cited = await storage.works.citations([id], 'references')
      const citing = await storage.works.citations([id], 'citations')
      const references = cited.map(({ to }) => to)
      const citedBy = citing.map(({ from }) => from)
      const others = new Map(
        (await storage.get([...references, ...citedBy])).map((one) => [one.id, one]),
      )
      const show = (ids: readonly RecordId[]): CitedWork[] =>
        ids.flatMap((one) => {
          const other = others.get(one)
          return other === undefined || !reach.contains(other) ? [] : [toCited(other)]
        })
      const named = (await storage.works.references([id])).get(id) ?? []
      return {
        id,
        references: show(references),
        citedBy: show(citedBy),
        unresolved: named.flatMap(({ reference, isUnresolved }) =>
          isUnresolved && reference !== null ? [reference] : [],
        ),
      }
    },

    /** For citations that come apart from the works; gives how many of them are new. */
    async addCitations(
      citations: readonly GivenCitation[],
    ): Promise<{ readonly added: number; readonly known: number }> {
      const ends = await locateAll(citations.flatMap(({ from, to }) => [from, to]))
      const pairs = citations.map((_, i) => ({
        from: ends[2 * i]?.id as RecordId,
        to: ends[2 * i + 1]?.id as RecordId,
      }))
      const self = pairs.find(({ from, to }) => from === to)
      if (self !== undefined) throw badInput(`The work "${self.from}" cannot cite itself.`)
      const added = await storage.works.cite(pairs)
      return { added, known: pairs.length - added }
    },
  }
}

export function noWork(text: string): CairnError {
  return new CairnError('not_found', {
    message: `No work is known as "${text}".`,
    hint: 'Give its id, DOI, OpenAlex id, arXiv id or citation key.',
  })
}

export function toCited(record: CairnRecord): CitedWork {
  const { id, title, work, occurredAt } = record
  const year = work?.year ?? (occurredAt === null ? null : new Date(occurredAt).getUTCFullYear())
  return { id, title, year }
}

function isList(which: readonly string[] | ExportFilter): which is readonly string[] {
  return Array.isArray(which)
}
