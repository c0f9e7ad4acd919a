/** Remembers, among the imports, what each record and its file were when they last agreed in a folder. */

import type { RecordId } from '../core/ids.js'
import type { CairnRecord } from '../core/record.js'
import type { NoteFile } from '../import/mirror-folder.js'
import { hashValue } from '../import/values.js'
import type { Imported, ImportSource, ImportStorage } from '../storage/imports.js'
import type { MirrorState } from './mirror-plan.js'

const PAGE = 1000
/** A transaction for each would take most of the time of a run. What is not written yet is found out again. */
const BATCH = 100

export function createMirrorStates(
  imports: ImportStorage,
  source: ImportSource,
  { dryRun }: { readonly dryRun: boolean },
) {
  const notes: { key: string; hash: string; id: null }[] = []
  const flush = async (): Promise<void> => {
    if (notes.length > 0) await imports.note(source, notes.splice(0))
  }

  return {
    flush,

    async load(): Promise<Map<RecordId, MirrorState>> {
      const states = new Map<RecordId, MirrorState>()
      let after: string | null = null
      do {
        const page: Imported[] = await imports.page(source, after, PAGE)
        for (const { key, hash: noted } of page) {
          const [revision, hash = '', nameHash = ''] = noted?.split(' ') ?? []
          const state = { revision: Number(revision), hash, nameHash }
          if (noted !== null) states.set(key as RecordId, state)
        }
        after = page.length < PAGE ? null : (page.at(-1)?.key ?? null)
      } while (after !== null)
      return states
    },

    async note(
      { id, revision }: CairnRecord,
      file: Pick<NoteFile, 'name' | 'hash'>,
    ): Promise<void> {
      if (dryRun) return
      const hash = `${revision} ${file.hash} ${hashValue(file.name)}`
      notes.push({ key: id, hash, id: null })
      if (notes.length >= BATCH) await flush()
    },

    async forget(id: RecordId): Promise<void> {
      if (dryRun) return
      await flush()
      await imports.forget(source, [id])
    },
  }
}
