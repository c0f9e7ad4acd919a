/** Finds, exports, cites and merges stored works, and lists their citations. */

import { badInput, CairnError } from '../core/errors.js'
import { groupBy } from '../core/group-by.js'
import type { RecordId } from '../core/ids.js'
import type { CairnRecord } from '../core/record.js'
import { type CitationStyle, EXPORT_FORMATS, type ExportFormat, type Work } from '../core/work.js'
import { type DuplicatePair, findDuplicates } from '../literature/find-duplicates.js'
import { listKeys } from '../literature/identities.js'
import { type Conflict, mergeWorks } from '../literature/merge-works.js'
import { assertList, check } from '../schemas/check.js'
import { type ListInput, listRequest } from '../schemas/record-requests.js'
import { rewriteWork } from './full-texts.js'
import { assertNotSuperseded, noteTaken } from './history.js'
import { type ImportAnswer, type ImportOptions, importWorks } from './import-works.js'
import { readPages } from './records.js'
import type { Context } from './scope.js'
import { toWork } from './work-records.js'

export type StoredWork = { readonly record: CairnRecord; readonly work: Work }

export type ExportFilter = Omit<ListInput, 'kinds' | 'limit' | 'cursor' | 'deleted'>

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
  /** References to works that are not stored, as the citation names them. */
  readonly unresolved: readonly string[]
}

export type CitedReference = {
  readonly id: RecordId
  readonly text: string
  /** The mark in the running text, such as `(Stone, 2019)`; null for `plain` and `bibtex`. */
  readonly inText: string | null
}

export type DuplicatesAnswer = {
  readonly duplicates: readonly (Pick<DuplicatePair, 'reason' | 'differs'> & {
    readonly keep: CitedWork
    readonly other: CitedWork
  })[]
}

export type MergeAnswer = {
  readonly id: RecordId
  /** It is superseded now: out of searches, and still there as it was. */
  readonly merged: RecordId
  readonly changed: readonly (keyof Work)[]
  /** If the two disagree, `stored` stays; the merged work keeps `incoming`. */
  readonly conflicts: readonly Conflict[]
}

/** Ids or other names of two works: `from` cites `to`. */
export type GivenCitation = { readonly from: string; readonly to: string }

export type Works = ReturnType<typeof createWorks>

export function createWorks(context: Context) {
  const { storage, scope, now } = context

  const locate = async (text: string): Promise<CairnRecord | null> => {
    const id = await scope.findId(text)
    const [record] = id === null ? [] : await storage.get([id])
    return record?.kind === 'work' && scope.contains(record) ? record : null
  }

  const locateAll = async (texts: readonly string[]): Promise<CairnRecord[]> => {
    assertList('ids', texts)
    const found = new Map<string, CairnRecord>()
    for (const text of new Set(texts)) {
      const record = await locate(text)
      if (record === null) throw noWork(text)
      found.set(text, record)
    }
    return texts.flatMap((text) => found.get(text) ?? [])
  }

  const listAll = async (given: ExportFilter): Promise<CairnRecord[]> => {
    const filter = await scope.filter(check(listRequest, { ...given, kinds: 'work' }, now()))
    const pages = readPages((page) => storage.list({ filter, ...page, deleted: false }))
    const records: CairnRecord[] = []
    for await (const record of pages) records.push(record)
    return records.reverse()
  }

  const withReferences = async (records: readonly CairnRecord[]): Promise<StoredWork[]> => {
    const ids = records.map(({ id }) => id)
    const references = await storage.works.references(ids, scope.pinnedNamespace)
    return records.map((record) => {
      const cited = (references.get(record.id) ?? []).flatMap(({ reference }) => reference ?? [])
      return { record, work: toWork(record, [...new Set(cited)]) }
    })
  }

  const exportWorks = async (which: readonly string[] | ExportFilter = {}): Promise<Work[]> => {
    const isNamed = Array.isArray(which)
    const records = await (isNamed ? locateAll(which) : listAll(which as ExportFilter))
    const namespace = scope.pinnedNamespace
    await noteTaken(storage, { action: 'export', namespace, subject: null })
    return (await withReferences(records)).map(({ work }) => work)
  }

  return {
    /**
     * Stores works. One that is stored already, under any of its identifiers, is extended; a field that disagrees is
     * reported and stays as it is. An import that was interrupted can be run again.
     */
    import: (works: readonly Work[], options: ImportOptions = {}): Promise<ImportAnswer> =>
      importWorks(context, works, options),

    /** By its id, DOI, OpenAlex id, arXiv id or citation key; null if there is none. */
    async get(idOrIdentifier: string): Promise<StoredWork | null> {
      const record = await locate(idOrIdentifier)
      return record === null ? null : ((await withReferences([record]))[0] ?? null)
    },

    /** Whole works with their references: those named, or all that pass the filter, oldest first. */
    export: exportWorks,

    async write(
      format: ExportFormat,
      which: readonly string[] | ExportFilter = {},
    ): Promise<{ readonly text: string; readonly works: number }> {
      const works = await exportWorks(which)
      return { text: await writeWorks(works, format), works: works.length }
    },

    /** A formatted reference for each work, in the order given. A style is a name, or the text of a CSL style. */
    async cite(
      idsOrIdentifiers: readonly string[],
      style: CitationStyle = 'plain',
    ): Promise<CitedReference[]> {
      const stored = await withReferences(await locateAll(idsOrIdentifiers))
      const idOf = new Map(stored.map(({ record, work }) => [work, record.id]))
      const { formatWorks } = await import('../literature/format-works.js')
      const references = await formatWorks([...idOf.keys()], style)
      const byWork = new Map(references.map((reference) => [reference.work, reference]))
      return stored.flatMap(({ record: { id }, work }) => {
        const reference = byWork.get(work)
        return reference === undefined ? [] : { id, text: reference.text, inText: reference.inText }
      })
    },

    /** A list of references in the order of the style, as plain text or Markdown. */
    async writeBibliography(
      style: CitationStyle,
      which: readonly string[] | ExportFilter = {},
      { markdown = false }: { readonly markdown?: boolean } = {},
    ): Promise<{ readonly text: string; readonly works: number }> {
      const works = await exportWorks(which)
      const { writeBibliography } = await import('../literature/format-works.js')
      return { text: await writeBibliography(works, style, { markdown }), works: works.length }
    },

    async citations(idOrIdentifier: string): Promise<CitationsAnswer> {
      const record = await locate(idOrIdentifier)
      if (record === null) throw noWork(idOrIdentifier)
      const { id } = record
      const cited = await storage.works.citations([id], 'references')
      const citing = await storage.works.citations([id], 'citations')
      const references = cited.map(({ to }) => to)
      const citedBy = citing.map(({ from }) => from)
      const others = (await storage.get([...references, ...citedBy])).filter(scope.contains)
      const byId = new Map(others.map((other) => [other.id, toCited(other)]))
      const show = (ids: readonly RecordId[]) => ids.flatMap((one) => byId.get(one) ?? [])
      const named = (await storage.works.references([id], scope.pinnedNamespace)).get(id) ?? []
      const unresolved = named.filter(({ isUnresolved }) => isUnresolved)
      return {
        id,
        references: show(references),
        citedBy: show(citedBy),
        unresolved: unresolved.flatMap(({ reference }) => reference ?? []),
      }
    },

    /** Pairs of works that are probably one, with the fields that differ. Does not compare works of two namespaces. */
    async duplicates(filter: ExportFilter = {}): Promise<DuplicatesAnswer> {
      return listDuplicates(await withReferences(await listAll(filter)))
    },

    /** Merges the second work into the first. The second is superseded and stays as it was. */
    async merge(idOrIdentifier: string, other: string): Promise<MergeAnswer> {
      const records = await locateAll([idOrIdentifier, other])
      const [kept, double] = await withReferences(records)
      if (kept === undefined || double === undefined) throw noWork(other)
      return mergeStored(context, kept, double)
    },

    /** Adds citations between stored works; says how many of them are new. */
    async addCitations(
      citations: readonly GivenCitation[],
    ): Promise<{ readonly added: number; readonly known: number }> {
      assertList('citations', citations)
      const from = await locateAll(citations.map((citation) => citation.from))
      const to = await locateAll(citations.map((citation) => citation.to))
      const pairs = from.map(({ id }, i) => ({ from: id, to: to[i]?.id as RecordId }))
      const self = pairs.find((pair) => pair.from === pair.to)
      if (self !== undefined) throw badInput(`The work "${self.from}" cannot cite itself.`)
      const added = await storage.works.cite(pairs)
      return { added, known: pairs.length - added }
    },
  }
}

function listDuplicates(stored: readonly StoredWork[]): DuplicatesAnswer {
  const recordOf = new Map(stored.map(({ record, work }) => [work, record]))
  const groups = groupBy(stored, ({ record }) => record.namespace)
  const pairs = [...groups.values()].flatMap((group) =>
    findDuplicates(group.map(({ work }) => work)),
  )
  const show = (work: Work): CitedWork => toCited(recordOf.get(work) as CairnRecord)
  const duplicates = pairs.map(({ reason, keep, other, differs }) => {
    return { reason, keep: show(keep), other: show(other), differs }
  })
  return { duplicates }
}

/** Fills the first work from the second: fields, tags, names, texts, references, citations and links. */
async function mergeStored(
  context: Context,
  kept: StoredWork,
  other: StoredWork,
): Promise<MergeAnswer> {
  const { id, namespace } = kept.record
  const { id: merged, namespace: otherNamespace } = other.record
  if (id === merged) throw badInput(`"${id}" cannot be merged with itself.`)
  if (namespace !== otherNamespace) {
    throw badInput(
      `The works are in two namespaces, "${namespace}" and "${otherNamespace}".`,
      'Move one of them: `cairn edit ID --namespace NAME`.',
    )
  }
  for (const { record } of [kept, other]) assertNotSuperseded(record, record.id)
  const { work, changed, conflicts } = mergeWorks(kept.work, other.work)
  const identities = [...new Set([...listKeys(work), ...listKeys(other.work)])]
  const known = new Set([...kept.work.references, ...identities])
  const references = work.references.filter((one) => !known.has(one))
  await rewriteWork(context, kept, { work, identities, references, absorbed: [merged] })
  return { id, merged, changed, conflicts }
}

/** The text of a file in that format; the writers are loaded when they are first used. */
async function writeWorks(works: readonly Work[], format: ExportFormat): Promise<string> {
  if (!EXPORT_FORMATS.includes(format)) {
    throw badInput(`There is no format "${format}".`, `There are ${EXPORT_FORMATS.join(', ')}.`)
  }
  const { FORMATS } = await import('../literature/formats.js')
  const text = FORMATS[format].write(works)
  return text === '' || text.endsWith('\n') ? text : `${text}\n`
}

export function toCited(record: CairnRecord): CitedWork {
  const { id, title, work, occurredAt } = record
  const year = work?.year ?? (occurredAt === null ? null : new Date(occurredAt).getUTCFullYear())
  return { id, title, year }
}

export function noWork(text: string): CairnError {
  return new CairnError('not_found', {
    message: `No work is known as "${text}".`,
    hint: 'Give its id, DOI, OpenAlex id, arXiv id or citation key.',
  })
}
