/** One run of a mirror: carries the changes of each side to the other, and reports them. */

import { badInput, CairnError, type ErrorCode } from '../core/errors.js'
import type { RecordId } from '../core/ids.js'
import { type Fields, omitUndefined, textAt } from '../core/json-fields.js'
import type { CairnRecord } from '../core/record.js'
import { toIso } from '../core/time.js'
import * as mirrored from '../import/markdown/mirrored-note.js'
import {
  createNoteWriter,
  isEmptyFolder,
  type NoteFile,
  readNotes,
  type SkippedNote,
} from '../import/mirror-folder.js'
import { hashValue, titleFromPath } from '../import/values.js'
import type { MirrorRequest, RecordInput, RecordPatch } from '../schemas/record-requests.js'
import type {
  MirrorChange,
  MirrorConflict,
  MirrorCounts,
  MirrorParts,
  MirrorReport,
} from './mirror.js'
import { assignIds, createMirrorStates, type MirrorState } from './mirror-states.js'
import { readPages, toAddition } from './records.js'

type MirrorItem = {
  readonly id: RecordId
  readonly file: NoteFile | null
  /** May be deleted or superseded. */
  readonly record: CairnRecord | null
  /** Null if record and file never agreed in this folder. */
  readonly state: MirrorState | null
}

/** Every step makes record and file agree before it notes that they do. So the next run continues a run that was killed. */
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
    // After known files were synchronised, and before records without a file get one: a stranger may be that file.
    for (const file of strangers) await this.#attempt(file.name, () => this.#adopt(file))
    const hidden = new Set([...unread].map(hashValue))
    for (const item of items) {
      const { id, record, state } = item
      const isUnseen = state !== null && (!isWhole || hidden.has(state.nameHash))
      if (this.#names.has(id) || isUnseen) continue
      const name = record === null ? id : mirrored.suggestName(record)
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

  /** The records that pass the filters, and all records that were mirrored before. */
  async #loadRecords(known: readonly RecordId[]): Promise<Map<RecordId, CairnRecord>> {
    const { storage, list, scope } = this.#parts
    const { dryRun: _, ...filter } = this.#request
    const records = new Map<RecordId, CairnRecord>()
    for await (const record of readPages((page) => list({ ...filter, ...page }))) {
      // Nobody edits the turns of a conversation as notes.
      if (record.sessionId === null) records.set(record.id, record)
    }
    const others = known.filter((id) => !records.has(id))
    for (const record of await storage.get(others, { deleted: true })) {
      if (scope.contains(record)) records.set(record.id, record)
    }
    return records
  }

  /** A file or record that is refused does not stop the others. */
  async #attempt(name: string, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      const reason = explainRefusal(error)
      if (reason === null) throw error
      this.#skipped.push({ name, reason })
    }
  }

  /** Makes a record of a file and writes the id into the file. */
  async #adopt(file: NoteFile): Promise<void> {
    const { name, note } = file
    if (note.isForeignId) {
      throw badInput('The id in its front matter is not the id of a record; rename that field.')
    }
    // The name of a new file is its title. A copy of a file has a title of its own, or none.
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
    if (mirrored.isSame(labelled.note.fields, record)) await this.#states.note(record, labelled)
    else await this.#synchronise({ id, file: labelled, record, state: null })
  }

  /** Null if somebody wrote the file meanwhile: the next run handles it. */
  async #label(file: NoteFile, labels: Fields): Promise<NoteFile | null> {
    const text = await mirrored.relabelNote(file.text, labels)
    const hash = await this.#writer.write(file.name, text, file.hash)
    return hash === false
      ? null
      : { name: file.name, text, hash, note: await mirrored.readNote(text) }
  }

  async #addRecord({ fields, created }: mirrored.MirroredNote, id?: RecordId): Promise<RecordId> {
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

  /** Writes a lost id into the file again. */
  async #match(item: MirrorItem, file: NoteFile): Promise<void> {
    const { id } = item
    const isLabelled = file.note.id === id || this.#request.dryRun
    const labelled = isLabelled ? file : await this.#label(file, { id })
    if (labelled !== null) await this.#synchronise({ ...item, file: labelled })
  }

  /** Carries the change of the side that was edited to the other. An edit counts more than a deletion. */
  async #synchronise({ id, file, record, state }: MirrorItem): Promise<void> {
    const { storage, scope } = this.#parts
    /** For an edit whose other side is gone. */
    const warn = (reason: string, name: string): void => {
      if (state !== null) this.#conflicts.push({ id, name, copy: null, reason })
    }
    if (file === null) {
      if (record === null || !isLive(record)) return this.#states.forget(id)
      if (state?.revision === record.revision) return this.#deleteRecord(record)
      const free = await this.#writer.findFreeName(mirrored.suggestName(record))
      await this.#perform({ side: 'file', what: 'created', name: free, id }, () =>
        this.#writeFile(free, record),
      )
      return warn(FILE_DELETED, free)
    }
    const { name } = file
    const isEdited = file.hash !== state?.hash
    if (record === null) {
      if (!isEdited) return this.#deleteFile(id, file)
      // A pinned caller must not learn that another namespace has this id.
      if (scope.pinnedNamespace !== null) return this.#adopt(file)
      await this.#perform({ side: 'record', what: 'created', name, id }, async () => {
        await this.#addRecord(file.note, id)
        const [added] = await storage.get([id])
        if (added !== undefined) await this.#editRecord(added, file)
      })
      return warn(RECORD_DELETED, name)
    }
    const agrees = mirrored.isSame(file.note.fields, record)
    if (record.supersededAt !== null) {
      if (state === null ? agrees : !isEdited) return this.#deleteFile(id, file)
      // A superseded record cannot be edited.
      await this.#adopt(file)
      await this.#states.forget(id)
      return warn(SUPERSEDED, name)
    }
    if (record.deletedAt !== null) {
      if (!isEdited) return this.#deleteFile(id, file)
      await this.#perform({ side: 'record', what: 'restored', name, id }, async () => {
        await this.#parts.restore([id])
        const [restored = record] = await storage.get([id])
        await this.#editRecord(restored, file)
      })
      return warn(RECORD_DELETED, name)
    }
    const isFileNew =
      !agrees && (state === null ? !(await this.#isEarlier(record, file)) : isEdited)
    const isRecordNew = !agrees && state?.revision !== record.revision
    if (isFileNew && isRecordNew) return this.#resolve(record, file)
    if (isFileNew) {
      return this.#perform({ side: 'record', what: 'updated', name, id }, () =>
        this.#editRecord(record, file),
      )
    }
    if (isRecordNew) {
      return this.#perform({ side: 'file', what: 'updated', name, id }, () =>
        this.#writeFile(name, record, file),
      )
    }
    this.#unchanged++
    if (agrees) await this.#states.note(record, file)
  }

  /** Whether the file has a text that the record had before it was edited. */
  async #isEarlier({ id }: CairnRecord, { note }: NoteFile): Promise<boolean> {
    const { revisions } = await this.#parts.history(id)
    return revisions.some((revision) => mirrored.isSame(note.fields, revision))
  }

  async #deleteFile(id: RecordId, { name, hash }: NoteFile): Promise<void> {
    await this.#perform({ side: 'file', what: 'deleted', name, id }, async () => {
      const isRemoved = await this.#writer.remove(name, hash)
      if (isRemoved) await this.#states.forget(id)
      return isRemoved
    })
  }

  async #deleteRecord(record: CairnRecord): Promise<void> {
    const { id } = record
    await this.#perform(
      { side: 'record', what: 'deleted', name: mirrored.suggestName(record), id },
      async () => {
        await this.#parts.delete([id])
        await this.#states.forget(id)
      },
    )
  }

  /** The file keeps its version, which becomes the record's. The record's version goes to a copy first. */
  async #resolve(record: CairnRecord, file: NoteFile): Promise<void> {
    const { id } = record
    const { name } = file
    const text = await mirrored.relabelNote(await mirrored.writeNote(record), { conflict: id })
    const day = toIso(this.#parts.now()).slice(0, 10)
    const free = `${name.replace(/\.[^./]*$/, '')} (conflict ${day})`
    const copy = this.#copies.get(text) ?? (await this.#writer.findFreeName(free))
    if (!this.#copies.has(text)) {
      await this.#perform({ side: 'file', what: 'created', name: copy, id }, () =>
        this.#writer.write(copy, text, null),
      )
      this.#copies.set(text, copy)
    }
    await this.#perform({ side: 'record', what: 'updated', name, id }, () =>
      this.#editRecord(record, file),
    )
    this.#conflicts.push({ id, name, copy, reason: BOTH_EDITED })
  }

  /** `work` returns false if somebody wrote the file meanwhile: the next run handles it. */
  async #perform(change: MirrorChange, work: () => Promise<unknown>): Promise<void> {
    const isDone = this.#request.dryRun || (await work()) !== false
    if (isDone) this.#changes.push(change)
  }

  async #editRecord(record: CairnRecord, file: NoteFile): Promise<void> {
    const patch = mirrored.findChanges(file.note.fields, record) as RecordPatch
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
    const text = await mirrored.writeNote(record, file?.text)
    const hash = await this.#writer.write(name, text, file?.hash ?? null)
    if (hash !== false) await this.#states.note(record, { name, hash })
    return hash !== false
  }
}

const BOTH_EDITED = 'Both were edited: the file is the record now, and the copy says what it was.'
const FILE_DELETED = 'Its file was deleted and the record edited: it has a file again.'
const RECORD_DELETED = 'The record was deleted and its file edited: the record is there again.'
const SUPERSEDED = 'The record was superseded and its file edited: the file is another record now.'

function isLive({ deletedAt, supersededAt }: CairnRecord): boolean {
  return deletedAt === null && supersededAt === null
}

function toTextKey({ title, body }: { readonly title: unknown; readonly body: string }): string {
  return hashValue([title, body.trim()])
}

function countChanges(changes: readonly MirrorChange[], side: MirrorChange['side']): MirrorCounts {
  const counts = { created: 0, updated: 0, deleted: 0, restored: 0 }
  for (const change of changes) if (change.side === side) counts[change.what]++
  return counts
}

const REFUSALS: readonly ErrorCode[] = ['bad_input', 'not_found', 'revision_changed']

/** Null for an error that does not concern this file or record, such as a full disk. */
function explainRefusal(error: unknown): string | null {
  if (error instanceof CairnError) return REFUSALS.includes(error.code) ? error.message : null
  return textAt(error, 'syscall') && `It cannot be written (${textAt(error, 'code')}).`
}
