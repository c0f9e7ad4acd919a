/** Merges an import with edits made here since: edits stay, and both sides of a conflict are reported. */

import type { NewRecord } from '../core/record.js'
import type { ImportFieldConflict, ImportWrite } from './imports.js'
import type { EmbeddedRecords } from './vectors.js'

/** A turn without a time of its own keeps the time of its first import. */
export function toChange({ record, hasOwnTime }: ImportWrite): Partial<NewRecord> {
  const { sessionId, salience: _, facts: __, createdIn: ___, occurredAtMs, ...rest } = record
  return hasOwnTime || sessionId === null ? { ...rest, occurredAtMs } : rest
}

/** The fields that people edit. */
type Editable = Readonly<Record<string, unknown>>

/** Keeps every edited field. A field that the source has changed too is a conflict. */
export function mergeEdits(
  change: Partial<NewRecord>,
  { stored, imported }: { readonly stored: Editable; readonly imported: Editable | null },
) {
  const kept: Record<string, unknown> = {}
  const conflicts: ImportFieldConflict[] = []
  for (const [field, incoming] of Object.entries(change)) {
    const isEqual = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)
    if (!(field in stored)) continue
    const now = stored[field]
    const isEdited = imported === null || !isEqual(now, imported[field])
    if (!isEdited || isEqual(now, incoming)) continue
    kept[field] = now
    const isChanged = imported === null || !isEqual(incoming, imported[field])
    if (isChanged) conflicts.push({ field, stored: now, incoming })
  }
  return { kept: kept as Partial<NewRecord>, conflicts }
}

export function pickVectors(all: EmbeddedRecords | undefined, positions: readonly number[]) {
  return all && { ...all, vectors: positions.map((position) => all.vectors[position] ?? null) }
}
