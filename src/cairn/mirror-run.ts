/** One run of a mirror: carries the changes of each side to the other, and reports them. */

import { badInput, CairnError, type ErrorCode } from '../core/errors.js'
import { parseId, type RecordId } from '../core/ids.js'
import { type Fields, omitUndefined, textAt } from '../core/json-fields.js'
import type { CairnRecord } from '../core/record.js'
import { toIso } from '../core/time.js'
import {
  findChanges,
  isSame,
  type MirroredNote,
  readNote,
  relabelNote,
  suggestName,
  writeNote,
} from '../import/markdown/mirrored-note.js'
import {
  createNoteWriter,
  isEmptyFolder,
  type NoteFile,
  readNotes,
  type SkippedNote,
} from '../import/mirror-folder.js'
import { hashValue, titleFromPath } from '../import/values.js'
import type { MirrorRequest, RecordInput, RecordPatch } from '../schemas/record-requests.js'
import type { RecordPage } from '../storage/storage.js'
import type {
  MirrorChange,
  MirrorConflict,
  MirrorCounts,
  MirrorParts,
  MirrorReport,
} from './mirror.js'
import { assignIds, decide, isLive, type MirrorItem } from './mirror-plan.js'
import { createMirrorStates } from './mirror-states.js'
import { toAddition } from './records.js'

const PAGE = 1000

/**
 * Every step lets record and file agree before it notes that they do. So the next run continues one that was killed: what
 * agrees is only noted.
 */
export class MirrorRun {
  readonly #parts: MirrorParts
  readonly #root: string
  readonly #request: MirrorRequest
  readonly #states: ReturnType<typeof createMirrorStates>
  readonly #writer: ReturnType<typeof createNoteWriter>
  readonly #changes: MirrorChange[] = []
  readonly #conflicts: MirrorConflict[] = []
  readonly #skipped: SkippedNote[] = []
  /** Files that have the record's version of a conflict, by their text. */
  readonly #copies = new Map<string, string>()
  /** Live records by their text, and the file of each that has one. */
  readonly #byText = new Map<string, RecordId>()
  readonly #names = new Map<RecordId, string>()
  #unchanged = 0

  constructor(parts: MirrorParts, root: string, request: MirrorRequest) {
    this.#parts = parts
    this.#root = root
    this.#request = request
    const { pinnedNamespace } = parts.scope
    const source = { source: `mirror:${root}`, pinnedNamespace }
    this.#states = createMirrorStates(parts.storage.imports, source, request)
    this.#writer = createNoteWriter(root)
  }

  async run(): Promise<Omit<MirrorReport, 'durationMs'>> {
    const { notes, skipped, unread, isWhole } = await readNotes(this.#root)
    this.#skipped.push(...skipped)
    const own = notes.filter(({ note }) => note.conflict === null)
    for (const { note, text, name } of notes) {
      if (note.conflict !== null) this.#copies.set(text, name)
    }
    // A disk that is not mounted looks like an empty folder: nobody has deleted these files.
    const states = (await isEmptyFolder(this.#root)) ? new Map() : await this.#states.load()
    const { files, strangers } = assignIds(own, states)
    const records = await this.#loadRecords([...states.keys(), ...files.keys()])
    for (const [id, { name }] of files) this.#names.set(id, name)
    for (const record of records.values()) {
      if (isLive(record)) this.#byText.set(toTextKey(record), record.id)
    }
    const ids = new Set([...files.keys(), ...states.keys(), ...records.keys()])
    const items = [...ids].map((id): MirrorItem => {
      const [record, state] = [records.get(id) ?? null, states.get(id) ?? null]
      return { id, file: files.get(id) ?? null, record, state }
    })
    for (const item of items) {
      const { file } = item
      if (file !== null) await this.#attempt(file.name, () => this.#match(item, file))
    }
    // After the records say what their files say, and before those without a file get one: it may be one of these.
    for (const file of strangers) await this.#attempt(file.name, () => this.#adopt(file))
    const hidden = new Set([...unread].map(hashValue))
    for (const item of items) {
      const { id, record, state } = item
      const isUnseen = state !== null && (!isWhole || hidden.has(state.nameHash))
      if (this.#names.has(id) || isUnseen) continue
      const name = record === null ? id : suggestName(record)
      await this.#attempt(name, () => this.#synchronise(item))
    }
    await this.#states.flush()
    return {
      folder: this.#root,
      files: countChanges(this.#changes, 'file'),
      records: countChanges(this.#changes, 'record'),
      unchanged: this.#unchanged,
      changes: this.#changes.sort((a, b) => a.name.localeCompare(b.name, 'en')),
      conflicts: this.#conflicts,
      unresolved: [...this.#copies.values()],
      skipped: this.#skipped,
      dryRun: this.#request.dryRun,
    }
  }

  /** What passes the filters, and whatever was mirrored before. */
  async #loadRecords(known: readonly RecordId[]): Promise<Map<RecordId, CairnRecord>> {
    const { storage, list, scope } = this.#parts
    const { dryRun: _, ...filter } = this.#request
    const records = new Map<RecordId, CairnRecord>()
    let cursor: string | null = null
    do {
      const page: RecordPage = await list({ ...filter, limit: PAGE, cursor })
      for (const record of page.records) {
        // Nobody edits the turns of a conversation as notes.
        if (record.sessionId === null) records.set(record.id, record)
      }
      cursor = page.next
    } while (cursor !== null)
    const others = known.filter((id) => !records.has(id))
    for (const record of await storage.get(others, { deleted: true })) {
      if (scope.contains(record)) records.set(record.id, record)
    }
    return records
  }

  /** What is refused does not stop the rest. */
  async #attempt(name: string, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      const reason = explainRefusal(error)
      if (reason === null) throw error
      this.#skipped.push({ name, reason })
    }
  }

  /** A file without a record becomes one, and gets its id. */
  async #adopt(file: NoteFile): Promise<void> {
    const { name, note } = file
    if (note.id !== null && (typeof note.id !== 'string' || parseId(note.id) === null)) {
      throw badInput('The id in its front matter is not that of a record; rename that field.')
    }
    // What a person calls a new file is its title; a copy of a file says itself what it is.
    const isUntitled = note.id === null && note.fields.title === null
    const title = isUntitled ? titleFromPath(name) : note.fields.title
    const fields = { ...note.fields, title }
    const text = toTextKey(fields)
    const known = this.#byText.get(text) ?? null
    const other = known === null ? undefined : this.#names.get(known)
    if (other !== undefined) throw badInput(`It says the same as ${other}.`)
    const id = known ?? (this.#request.dryRun ? null : await this.#addRecord({ ...note, fields }))
    if (known === null) this.#changes.push({ side: 'record', what: 'created', name, id })
    if (id === null || this.#request.dryRun) return
    this.#byText.set(text, id)
    this.#names.set(id, name)
    const labelled = await this.#label(file, { id, ...(isUntitled && { title }) })
    const [record] = await this.#parts.storage.get([id])
    if (labelled === null || record === undefined) return
    if (isSame(labelled.note.fields, record)) await this.#states.note(record, labelled)
    else await this.#synchronise({ id, file: labelled, record, state: null })
  }

  /** Null where somebody has written the file meanwhile: the next run sees to it. */
  async #label(file: NoteFile, labels: Fields): Promise<NoteFile | null> {
    const text = await relabelNote(file.text, labels)
    const hash = await this.#writer.write(file.name, text, file.hash)
    return hash === false ? null : { name: file.name, text, hash, note: await readNote(text) }
  }

  async #addRecord({ fields, created }: MirroredNote, id?: RecordId): Promise<RecordId> {
    const { kinds, namespaces } = this.#request
    const defaults = omitUndefined({ kind: kinds[0], namespace: namespaces?.[0] })
    const input = { ...defaults, ...omitUndefined(fields) } as RecordInput
    const addition = {
      ...toAddition(input, this.#parts.scope, this.#parts.now()),
      ...(created !== null && { createdAtMs: Date.parse(created) }),
      ...(id !== undefined && { id, isDistinct: true }),
    }
    const [answer] = await this.#parts.addChecked([addition])
    if (answer === undefined) throw new Error('one record was added and no answer came back')
    return answer.id
  }

  /** A file that has lost its id gets it again. */
  async #match(item: MirrorItem, file: NoteFile): Promise<void> {
    const { id } = item
    const hasId = typeof file.note.id === 'string' && parseId(file.note.id) === id
    const labelled = hasId || this.#request.dryRun ? file : await this.#label(file, { id })
    if (labelled !== null) await this.#synchronise({ ...item, file: labelled })
  }

  async #synchronise(item: MirrorItem): Promise<void> {
    const { id, state } = item
    const { storage, scope } = this.#parts
    const name = item.file?.name ?? ''
    /** Where one side was edited and the other is gone. */
    const warn = (reason: string, of = name): void => {
      if (state !== null) this.#conflicts.push({ id, name: of, copy: null, reason })
    }
    const action = decide(item, await this.#isEarlier(item))
    switch (action.kind) {
      case 'nothing':
      case 'note':
        this.#unchanged++
        if (action.kind === 'note') await this.#states.note(action.record, action.file)
        return
      case 'forget':
        return this.#states.forget(id)
      case 'createFile': {
        const free = await this.#writer.findFreeName(suggestName(action.record))
        await this.#perform(['file', 'created', free, id], () =>
          this.#writeFile(free, action.record),
        )
        return warn(FILE_DELETED, free)
      }
      case 'updateFile':
        return this.#perform(['file', 'updated', name, id], () =>
          this.#writeFile(name, action.record, action.file),
        )
      case 'deleteFile':
        return this.#perform(['file', 'deleted', name, id], async () => {
          const isRemoved = await this.#writer.remove(name, action.file.hash)
          if (isRemoved) await this.#states.forget(id)
          return isRemoved
        })
      case 'deleteRecord':
        return this.#perform(['record', 'deleted', suggestName(action.record), id], async () => {
          await this.#parts.delete([id])
          await this.#states.forget(id)
        })
      case 'updateRecord':
        return this.#perform(['record', 'updated', name, id], () =>
          this.#editRecord(action.record, action.file),
        )
      case 'restoreRecord':
        await this.#perform(['record', 'restored', name, id], async () => {
          await this.#parts.restore([id])
          const [record = action.record] = await storage.get([id])
          await this.#editRecord(record, action.file)
        })
        return warn(RECORD_DELETED)
      case 'createRecord':
        // A pinned caller must not learn that another namespace has this id.
        if (scope.pinnedNamespace !== null) return this.#adopt(action.file)
        await this.#perform(['record', 'created', name, id], async () => {
          await this.#addRecord(action.file.note, id)
          const [record] = await storage.get([id])
          if (record !== undefined) await this.#editRecord(record, action.file)
        })
        return warn(RECORD_DELETED)
      case 'separate':
        await this.#adopt(action.file)
        await this.#states.forget(id)
        return warn(SUPERSEDED)
      case 'conflict':
        return this.#resolve(action.record, action.file)
    }
  }

  /** Without a state: whether the file says what the record said before it was edited. */
  async #isEarlier({ id, file, record, state }: MirrorItem): Promise<boolean> {
    if (file === null || record === null || state !== null) return false
    if (isSame(file.note.fields, record)) return false
    const { revisions } = await this.#parts.history(id)
    return revisions.some((revision) => isSame(file.note.fields, revision))
  }

  /** The file keeps its version, which becomes the record's. The record's version goes to a copy first. */
  async #resolve(record: CairnRecord, file: NoteFile): Promise<void> {
    const { id } = record
    const { name } = file
    const text = await relabelNote(await writeNote(record), { conflict: id })
    const day = toIso(this.#parts.now()).slice(0, 10)
    const free = `${name.replace(/\.[^./]*$/, '')} (conflict ${day})`
    const copy = this.#copies.get(text) ?? (await this.#writer.findFreeName(free))
    if (!this.#copies.has(text)) {
      await this.#perform(['file', 'created', copy, id], () => this.#writer.write(copy, text, null))
      this.#copies.set(text, copy)
    }
    await this.#perform(['record', 'updated', name, id], () => this.#editRecord(record, file))
    this.#conflicts.push({ id, name, copy, reason: BOTH_EDITED })
  }

  /** `work` returns false where somebody has written the file meanwhile: the next run sees to it. */
  async #perform(
    [side, what, name, id]: readonly [
      MirrorChange['side'],
      MirrorChange['what'],
      string,
      RecordId | null,
    ],
    work: () => Promise<unknown>,
  ): Promise<void> {
    const isDone = this.#request.dryRun || (await work()) !== false
    if (isDone) this.#changes.push({ side, what, name, id })
  }

  async #editRecord(record: CairnRecord, file: NoteFile): Promise<void> {
    const patch = findChanges(file.note.fields, record) as RecordPatch
    const expectedRevision = record.revision
    const isChanged = Object.keys(patch).length > 0
    const edited = isChanged
      ? await this.#parts.edit(record.id, { ...patch, expectedRevision })
      : record
    this.#byText.delete(toTextKey(record))
    this.#byText.set(toTextKey(edited), edited.id)
    await this.#states.note(edited, file)
  }

  async #writeFile(name: string, record: CairnRecord, file?: NoteFile): Promise<boolean> {
    const text = await writeNote(record, file?.text)
    const hash = await this.#writer.write(name, text, file?.hash ?? null)
    if (hash !== false) await this.#states.note(record, { name, hash })
    return hash !== false
  }
}

const BOTH_EDITED = 'Both were edited: the file is the record now, and the copy says what it was.'
const FILE_DELETED = 'Its file was deleted and the record edited: it has a file again.'
const RECORD_DELETED = 'The record was deleted and its file edited: the record is there again.'
const SUPERSEDED = 'The record was superseded and its file edited: the file is another record now.'

function toTextKey({ title, body }: { readonly title: unknown; readonly body: string }): string {
  return hashValue([title, body.trim()])
}

function countChanges(changes: readonly MirrorChange[], side: MirrorChange['side']): MirrorCounts {
  const counts = { created: 0, updated: 0, deleted: 0, restored: 0 }
  for (const change of changes) if (change.side === side) counts[change.what]++
  return counts
}

const REFUSALS: readonly ErrorCode[] = ['bad_input', 'not_found', 'revision_changed']

/** Null for what is no matter of this file or record, such as a full disk. */
function explainRefusal(error: unknown): string | null {
  if (error instanceof CairnError) return REFUSALS.includes(error.code) ? error.message : null
  return textAt(error, 'syscall') && `It cannot be written (${textAt(error, 'code')}).`
}
