/** Works come in, go out and cite each other, each of them once however it is named. */

import { badInput } from '../core/errors.js'
import type { RecordId } from '../core/ids.js'
import type { CairnRecord } from '../core/record.js'
import type { CitationStyle, ExportFormat, Work } from '../core/work.js'
import { createWorkFinder, type ExportFilter, noWork, type StoredWork } from './find-works.js'
import {
  type ImportAnswer,
  type ImportOptions,
  type ImportParts,
  importWorks,
} from './import-works.js'
import { citeWorks, writeWorks } from './write-works.js'

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

export type CitedReference = { readonly id: RecordId; readonly text: string }

/** Ids or other names of two works: `from` cites `to`. */
export type GivenCitation = { readonly from: string; readonly to: string }

export type Works = ReturnType<typeof createWorks>

export function createWorks(parts: ImportParts) {
  const { storage, scope } = parts

  const { locate, locateAll, listAll, withReferences } = createWorkFinder(storage, scope)

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

    /** The same as the text of a file. */
    async write(
      format: ExportFormat,
      which: readonly string[] | ExportFilter = {},
    ): Promise<{ readonly text: string; readonly works: number }> {
      const records = isList(which) ? await locateAll(which) : await listAll(which)
      const works = (await withReferences(records)).map(({ work }) => work)
      return { text: await writeWorks(works, format), works: works.length }
    },

    /** A reference for each of them, in their order. */
    async cite(
      idsOrIdentifiers: readonly string[],
      style: CitationStyle = 'plain',
    ): Promise<CitedReference[]> {
      const stored = await withReferences(await locateAll(idsOrIdentifiers))
      const texts = await citeWorks(
        stored.map(({ work }) => work),
        style,
      )
      return stored.map(({ record }, i) => ({ id: record.id, text: texts[i] ?? '' }))
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
          return other === undefined || !scope.contains(other) ? [] : [toCited(other)]
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

export function toCited(record: CairnRecord): CitedWork {
  const { id, title, work, occurredAt } = record
  const year = work?.year ?? (occurredAt === null ? null : new Date(occurredAt).getUTCFullYear())
  return { id, title, year }
}

function isList(which: readonly string[] | ExportFilter): which is readonly string[] {
  return Array.isArray(which)
}
