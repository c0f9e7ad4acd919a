/** Attaches the text of a PDF to its work, and writes works whose text has changed. */

import { CairnError } from '../core/errors.js'
import { isPageSpan, mergeTexts } from '../core/full-text.js'
import type { RecordId } from '../core/ids.js'
import type { CairnRecord } from '../core/record.js'
import type { AttachedText, Work } from '../core/work.js'
import type { BatchEmbedder } from '../embedding/backoff.js'
import type { RecordEntry } from '../import/importer.js'
import { choosePaperWork, listIdentifiers, type Paper } from '../literature/match-pdf.js'
import type { ImportOutcome, ImportSource } from '../storage/imports.js'
import type { Addition, Storage } from '../storage/storage.js'
import type { WorkUpdate } from '../storage/works.js'
import { toChange, toText, toWork } from './work-records.js'
import type { StoredWork } from './works.js'

export type RewriteParts = { readonly storage: Storage; readonly indexer: BatchEmbedder }

type Rewritten = Pick<WorkUpdate, 'references' | 'absorbed'> & {
  readonly work: Work
  readonly identities: readonly string[]
}

/** Refused if the work was changed since it was read. */
export async function rewriteWork(
  { storage, indexer }: RewriteParts,
  { record, work: before }: StoredWork,
  { work, identities, ...rest }: Rewritten,
): Promise<void> {
  const { id, namespace, metadata, revision } = record
  const text = toText(work)
  const isNewText = JSON.stringify(text) !== JSON.stringify(toText(before))
  const vectors = isNewText ? await indexer.embedTexts([text]) : null
  const change = { ...toChange(before, work, metadata), identities, expectedRevision: revision }
  const updated = [{ id, change, vectors, ...rest }]
  await storage.works.write({ namespace, asked: [], seen: [], added: [], vectors: null, updated })
  await indexer.embedPending(1)
}

/** The stored work that a PDF is, or null. */
export async function findWorkOfPdf(
  { works, get }: Pick<Storage, 'works' | 'get'>,
  namespace: string,
  paper: Paper,
): Promise<RecordId | null> {
  const found = [
    ...(await works.find(namespace, listIdentifiers(paper))),
    ...(await works.titled(namespace, paper.titles)),
  ].filter(({ isSuperseded }) => !isSuperseded)
  const records = new Map((await get(found.map(({ id }) => id))).map((one) => [one.id, one]))
  const candidates = found.flatMap(({ id, identities }) => {
    const record = records.get(id)
    return record?.kind === 'work' ? [{ id, identities, work: toWork(record, []) }] : []
  })
  const distinct = [...new Map(candidates.map((one) => [one.id, one])).values()]
  return choosePaperWork(paper, distinct)?.id ?? null
}

/** How often a text is attached again because another process changed its work in between. */
const MAX_TRIES = 20

type Attached = {
  readonly id: RecordId
  readonly kind: ImportOutcome['kind'] | 'unchanged'
}

/**
 * Returns the function that attaches a text to its work: the one that the source names, else the one that the PDF is, else
 * the one that it was attached to before. It returns null if there is none. A work that was deleted here stays deleted.
 */
export function createAttacher(parts: RewriteParts, source: ImportSource, again: boolean) {
  const { storage } = parts
  const attach = async (entry: RecordEntry, record: Addition): Promise<Attached | null> => {
    const { key, textOf, paper } = entry
    const known = await storage.imports.known(source, textOf === undefined ? [key] : [key, textOf])
    const before = known.get(key)
    const id =
      known.get(textOf ?? '')?.id ??
      (paper && (await findWorkOfPdf(storage, record.namespace, paper))) ??
      before?.id
    const [found] = id ? await storage.get([id], { deleted: true }) : []
    if (found === undefined || found.kind !== 'work') return null
    if (found.supersededAt !== null) return { id: found.id, kind: 'superseded' }
    if (found.deletedAt !== null) {
      if (!again) return { id: found.id, kind: 'unchanged' }
      await storage.restore([found.id])
    }
    const pages = Array.isArray(record.metadata.pages)
      ? record.metadata.pages.filter(isPageSpan)
      : []
    const text = { path: key, text: record.body, pages }
    const [other] = before?.id && before.id !== found.id ? await storage.get([before.id]) : []
    if (other?.kind === 'work') await detachText(parts, other, key)
    const absorbed = other === undefined || other.kind === 'work' ? [] : [other.id]
    const kind = await attachText(
      parts,
      { record: found, work: toWork(found, []) },
      { text, absorbed },
    )
    if (found.deletedAt !== null) return { id: found.id, kind: 'restored' }
    return { id: found.id, kind: kind === 'updated' && before === undefined ? 'created' : kind }
  }
  return async (entry: RecordEntry, record: Addition): Promise<Attached | null> => {
    for (let tries = 1; ; tries++) {
      try {
        return await attach(entry, record)
      } catch (error) {
        const isChanged = error instanceof CairnError && error.code === 'revision_changed'
        if (!isChanged || tries === MAX_TRIES) throw error
      }
    }
  }
}

/** From a work that it was attached to before. */
async function detachText(parts: RewriteParts, record: CairnRecord, path: string): Promise<void> {
  const work = toWork(record, [])
  const texts = (work.texts ?? []).filter((text) => text.path !== path)
  const changed = { work: { ...work, texts }, identities: [], references: [] }
  if (record.supersededAt === null) await rewriteWork(parts, { record, work }, changed)
}

/** `known`: the work has this text already. */
async function attachText(
  parts: RewriteParts,
  stored: StoredWork,
  { text, absorbed }: { readonly text: AttachedText; readonly absorbed: readonly RecordId[] },
): Promise<'updated' | 'known'> {
  const before = stored.work.texts ?? []
  const texts = mergeTexts(before, [text])
  if (JSON.stringify(texts) === JSON.stringify(before)) return 'known'
  const work = { ...stored.work, texts }
  await rewriteWork(parts, stored, { work, identities: [], references: [], absorbed })
  return before.some((one) => one.text === text.text) ? 'known' : 'updated'
}
