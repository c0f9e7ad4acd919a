/** Stores, among the imports, the state in which each record and its file last agreed, and assigns files to records by it. */

import type { RecordId } from '../core/ids.js'
import type { CairnRecord } from '../core/record.js'
import type { NoteFile } from '../import/mirror-folder.js'
import { hashValue } from '../import/values.js'
import type { Imported, ImportSource, ImportStorage } from '../storage/imports.js'

/** The name is hashed: it may quote a text that is purged later. */
export type MirrorState = {
  readonly revision: number
  readonly hash: string
  readonly nameHash: string
}

const PAGE = 1000
/** One transaction per state would take most of the time of a run. A state that is lost is found again by the next run. */
const BATCH = 100

export function createMirrorStates(
  imports: ImportStorage,
  source: ImportSource,
  { dryRun }: { readonly dryRun: boolean },
) {
  const stored = new Map<RecordId, string>()
  const unwritten: { key: string; hash: string; id: null }[] = []
  const flush = async (): Promise<void> => {
    if (unwritten.length > 0) await imports.note(source, unwritten.splice(0))
  }

  return {
    flush,

    async load(): Promise<Map<RecordId, MirrorState>> {
      let after: string | null = null
      do {
        const page: Imported[] = await imports.page(source, after, PAGE)
        for (const { key, hash } of page) if (hash !== null) stored.set(key as RecordId, hash)
        after = page.length < PAGE ? null : (page.at(-1)?.key ?? null)
      } while (after !== null)
      return new Map([...stored].map(([id, text]) => [id, parseState(text)]))
    },

    async note({ id, revision }: CairnRecord, { name, hash }: Pick<NoteFile, 'name' | 'hash'>) {
      const text = `${revision} ${hash} ${hashValue(name)}`
      if (dryRun || stored.get(id) === text) return
      stored.set(id, text)
      unwritten.push({ key: id, hash: text, id: null })
      if (unwritten.length >= BATCH) await flush()
    },

    async forget(id: RecordId): Promise<void> {
      if (dryRun) return
      stored.delete(id)
      await flush()
      await imports.forget(source, [id])
    },
  }
}

function parseState(text: string): MirrorState {
  const [revision, hash = '', nameHash = ''] = text.split(' ')
  return { revision: Number(revision), hash, nameHash }
}

/**
 * Assigns files to records. Of two files with one id, the file that had the id before keeps it. A file that has lost its
 * id is recognised by its name. `strangers` belong to no record yet.
 */
export function assignIds(
  notes: readonly NoteFile[],
  states: ReadonlyMap<RecordId, MirrorState>,
): { files: Map<RecordId, NoteFile>; strangers: NoteFile[] } {
  const files = new Map<RecordId, NoteFile>()
  const unassigned: NoteFile[] = []
  for (const file of notes) {
    const { id } = file.note
    const other = id === null ? undefined : files.get(id)
    const hadId = id !== null && states.get(id)?.nameHash === hashValue(file.name)
    if (id === null || (other !== undefined && !hadId)) unassigned.push(file)
    else {
      if (other !== undefined) unassigned.push(other)
      files.set(id, file)
    }
  }
  const idByName = new Map([...states].map(([id, { nameHash }]) => [nameHash, id]))
  const strangers = unassigned.filter((file) => {
    const id = idByName.get(hashValue(file.name))
    if (id === undefined || files.has(id)) return true
    files.set(id, file)
    return false
  })
  return { files, strangers }
}
