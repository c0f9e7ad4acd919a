/** Decides what a mirror does with each record and its file, from what they are and what they were when they last agreed. */

import { parseId, type RecordId } from '../core/ids.js'
import type { CairnRecord } from '../core/record.js'
import { isSame } from '../import/markdown/mirrored-note.js'
import type { NoteFile } from '../import/mirror-folder.js'
import { hashValue } from '../import/values.js'

/** What a record and its file were when they last agreed. The name is hashed: it may quote a text that is purged later. */
export type MirrorState = {
  readonly revision: number
  readonly hash: string
  readonly nameHash: string
}

export type MirrorItem = {
  readonly id: RecordId
  readonly file: NoteFile | null
  /** Also one that is deleted or superseded. */
  readonly record: CairnRecord | null
  /** Null where they never agreed in this folder. */
  readonly state: MirrorState | null
}

type Both = { readonly file: NoteFile; readonly record: CairnRecord }

export type MirrorAction =
  | { readonly kind: 'nothing' | 'forget' }
  | { readonly kind: 'createFile' | 'deleteRecord'; readonly record: CairnRecord }
  /** `separate`: its record is superseded and cannot be edited, so the file becomes another one. */
  | { readonly kind: 'deleteFile' | 'createRecord' | 'separate'; readonly file: NoteFile }
  /** `note`: they agree, which is not noted yet. `conflict`: both were edited, and they differ. */
  | ({
      readonly kind: 'note' | 'updateFile' | 'updateRecord' | 'restoreRecord' | 'conflict'
    } & Both)

/** `isEarlier`: the file says what the record said once. An edit counts more than a deletion on the other side. */
export function decide({ file, record, state }: MirrorItem, isEarlier: boolean): MirrorAction {
  if (file === null) {
    if (record === null || !isLive(record)) return { kind: 'forget' }
    return { kind: state?.revision === record.revision ? 'deleteRecord' : 'createFile', record }
  }
  const isEdited = file.hash !== state?.hash
  if (record === null) return { kind: isEdited ? 'createRecord' : 'deleteFile', file }
  const both = { file, record }
  const agrees = isSame(file.note.fields, record)
  if (record.supersededAt !== null) {
    const isOld = state === null ? agrees : !isEdited
    return { kind: isOld ? 'deleteFile' : 'separate', file }
  }
  if (record.deletedAt !== null) {
    return isEdited ? { kind: 'restoreRecord', ...both } : { kind: 'deleteFile', file }
  }
  if (agrees) return isNoted({ ...both, state }) ? { kind: 'nothing' } : { kind: 'note', ...both }
  if (state === null) return { kind: isEarlier ? 'updateFile' : 'conflict', ...both }
  if (state.revision !== record.revision) {
    return { kind: isEdited ? 'conflict' : 'updateFile', ...both }
  }
  return isEdited ? { kind: 'updateRecord', ...both } : { kind: 'nothing' }
}

export function isLive({ deletedAt, supersededAt }: CairnRecord): boolean {
  return deletedAt === null && supersededAt === null
}

function isNoted({ file, record, state }: Both & Pick<MirrorItem, 'state'>): boolean {
  if (state?.hash !== file.hash || state.revision !== record.revision) return false
  return state.nameHash === hashValue(file.name)
}

/**
 * Finds out which file belongs to which record. Of two files with one id, the one that had it before keeps it; a file
 * that has lost its id is known by its name. `strangers` belong to no record yet.
 */
export function assignIds(
  notes: readonly NoteFile[],
  states: ReadonlyMap<RecordId, MirrorState>,
): { files: Map<RecordId, NoteFile>; strangers: NoteFile[] } {
  const files = new Map<RecordId, NoteFile>()
  const strangers: NoteFile[] = []
  for (const file of notes) {
    const id = typeof file.note.id === 'string' ? parseId(file.note.id) : null
    const other = id === null ? undefined : files.get(id)
    const isKnown = id !== null && states.get(id)?.nameHash === hashValue(file.name)
    if (id === null || (other !== undefined && !isKnown)) strangers.push(file)
    else {
      if (other !== undefined) strangers.push(other)
      files.set(id, file)
    }
  }
  const byName = new Map([...states].map(([id, { nameHash }]) => [nameHash, id]))
  const left = strangers.filter((file) => {
    const id = byName.get(hashValue(file.name))
    if (id === undefined || files.has(id)) return true
    files.set(id, file)
    return false
  })
  return { files, strangers: left }
}
