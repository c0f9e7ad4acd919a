/** The Markdown files of a folder that is mirrored: reads them all, and replaces or removes one only if it is as it was read. */

import { Buffer } from 'node:buffer'
import { lstat, mkdir, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { writeDraft } from '../core/draft.js'
import { badInput } from '../core/errors.js'
import { decodeText, explainReadError, readText, walk } from './files.js'
import { type MirroredNote, readNote } from './markdown/mirrored-note.js'
import { isNote } from './markdown.js'
import { hashValue } from './values.js'

export type NoteFile = {
  /** Relative to the folder, with slashes. */
  readonly name: string
  readonly hash: string
  readonly text: string
  readonly note: MirroredNote
}

export type SkippedNote = { readonly name: string; readonly reason: string }

/** People do not edit longer texts as notes. */
const MAX_NOTE_BYTES = 10_000_000

/** `unread` are names of files that exist and were not read; `isWhole` is false if there may be others. */
export async function readNotes(folder: string) {
  const notes: NoteFile[] = []
  const skipped: SkippedNote[] = []
  const unread = new Set<string>()
  let isWhole = true
  // A dry run may ask about a folder that is not there yet.
  if (!(await exists(folder))) return { notes, skipped, unread, isWhole }
  for await (const found of walk(folder)) {
    const { name } = found
    if (found.kind === 'file') {
      if (!isNote(name)) continue
      const read = await readNoteFile(found).catch((error: unknown) => explainReadError(error))
      if (typeof read !== 'string') notes.push(read)
      else {
        skipped.push({ name, reason: read })
        unread.add(name)
      }
      continue
    }
    if (found.kind === 'skipped') skipped.push({ name, reason: found.reason })
    unread.add(name)
    if (!name.endsWith('/')) continue
    const below = await readdir(join(folder, name), { recursive: true }).catch(() => null)
    if (below === null) isWhole = false
    for (const one of below ?? []) unread.add(name + one.replaceAll('\\', '/'))
  }
  return { notes, skipped, unread, isWhole }
}

async function readNoteFile(file: Parameters<typeof readText>[0]): Promise<NoteFile | string> {
  if (file.bytes > MAX_NOTE_BYTES) return 'It is larger than 10 MB.'
  const text = await readText(file, {})
  const note = await readNote(text)
  if (note.problem !== null) return note.problem
  if (note.fields.body === '') return 'It has no text.'
  return { name: file.name, text, hash: hashValue(text), note }
}

/** An empty folder may be a disk that is not mounted, so it does not mean that files were deleted. */
export async function isEmptyFolder(folder: string): Promise<boolean> {
  return (await readdir(folder).catch(() => [])).length === 0
}

export function createNoteWriter(folder: string) {
  const swept = new Set<string>()
  const numbers = new Map<string, number>()

  /** Whether the file still has the text that was read; null: whether there is still none. */
  const isAsRead = async (path: string, hash: string | null): Promise<boolean> => {
    const bytes = await readFile(path).catch(() => null)
    if (bytes === null || hash === null) return hash === null && !(await exists(path))
    const text = decodeText(bytes)
    return text !== null && hashValue(text) === hash
  }

  return {
    /** Returns the hash of the new text; false if somebody has written the file meanwhile. */
    async write(name: string, text: string, expected: string | null): Promise<string | false> {
      const path = join(folder, name)
      if (Buffer.byteLength(text) > MAX_NOTE_BYTES) throw badInput('It is larger than 10 MB.')
      // A link stays one.
      const target = expected === null ? path : await realpath(path).catch(() => path)
      const within = dirname(target)
      await mkdir(within, { recursive: true })
      const isWritten = await writeDraft(
        target,
        async (draft) => {
          await writeFile(draft, text)
          if (!(await isAsRead(path, expected))) throw CHANGED
          return true
        },
        { swept: swept.has(within) },
      ).catch((error: unknown) => {
        if (error === CHANGED) return false
        throw error
      })
      swept.add(within)
      return isWritten && hashValue(text)
    },

    async remove(name: string, expected: string): Promise<boolean> {
      const path = join(folder, name)
      if (!(await isAsRead(path, expected))) return false
      await rm(path)
      return true
    },

    /** `name.md`, or `name 2.md` if that is taken. Never returns a name twice; case does not count. */
    async findFreeName(name: string): Promise<string> {
      for (;;) {
        const number = (numbers.get(name.toLowerCase()) ?? 0) + 1
        numbers.set(name.toLowerCase(), number)
        const candidate = `${name}${number === 1 ? '' : ` ${number}`}.md`
        if (!(await exists(join(folder, candidate)))) return candidate
      }
    },
  }
}

const CHANGED = new Error('the file was written meanwhile')

async function exists(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => null)) !== null
}
