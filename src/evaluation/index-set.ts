/** The documents of a set are added as a user would add them, and each is found again by its record. */

import type { Cairn } from '../cairn/cairn.js'
import { CairnError } from '../core/errors.js'
import type { RecordId } from '../core/ids.js'
import { type Document, type JudgedSet, readDocuments } from './judged-set.js'

type RecordInput = Parameters<Cairn['addMany']>[0][number]

/** Which documents a record stands for: the same text twice is one record. */
export type Documents = {
  readonly ofRecord: ReadonlyMap<RecordId, readonly string[]>
  /** By the document's id, and for a part of a work by the work as well. */
  readonly toRecords: ReadonlyMap<string, readonly RecordId[]>
}

const BATCH = 256
const FIRST_AT = Date.UTC(2020, 0, 1)
const APART_MS = 1000

export async function indexSet(
  cairn: Cairn,
  set: JudgedSet,
  onProgress: (done: number) => void,
): Promise<Documents> {
  const ofRecord = new Map<RecordId, string[]>()
  const toRecords = new Map<string, RecordId[]>()
  const addBatch = async (batch: readonly Document[]): Promise<void> => {
    const answers = await addAll(cairn, set.corpusFile, batch)
    for (const [i, { id }] of answers.entries()) {
      const { id: document = '', paper = null } = batch[i] ?? {}
      for (const name of paper === null || paper === document ? [document] : [document, paper]) {
        toRecords.set(name, [...(toRecords.get(name) ?? []), id])
      }
      ofRecord.set(id, [...(ofRecord.get(id) ?? []), document])
    }
  }
  let batch: Document[] = []
  let done = 0
  onProgress(0)
  for await (const document of readDocuments(set.corpusFile)) {
    done++
    // A document without any text cannot be stored, so it cannot be found; it still counts where it is judged.
    if (`${document.title}${document.text}`.trim() !== '') batch.push(document)
    if (batch.length < BATCH) continue
    await addBatch(batch)
    batch = []
    onProgress(done)
  }
  if (batch.length > 0) await addBatch(batch)
  onProgress(done)
  return { ofRecord, toRecords }
}

async function addAll(cairn: Cairn, file: string, batch: readonly Document[]) {
  try {
    return await cairn.addMany(batch.map(toInput))
  } catch (error) {
    if (!(error instanceof CairnError) || error.code !== 'bad_input') throw error
    const lines = `lines ${batch[0]?.line} to ${batch.at(-1)?.line}`
    throw new CairnError('bad_input', {
      message: `${file}, ${lines}, cannot be added: ${error.message}`,
      cause: error,
    })
  }
}

/** What was said at one time follows in the order of its lines. A document that has only a title is that text. */
function toInput({ title, text, session, speaker, at, paper, line }: Document): RecordInput {
  const hasBoth = title.trim() !== '' && text.trim() !== ''
  const input = {
    title: hasBoth ? title : null,
    body: text.trim() === '' ? title : text,
    people: speaker === null ? [] : [speaker],
    occurredAt: (at ?? FIRST_AT) + line * APART_MS,
    ...(paper === null ? {} : { source: paper }),
    ...(session === null ? {} : { session }),
  }
  // A library that knows no sessions refuses the field by name.
  return input as RecordInput
}
