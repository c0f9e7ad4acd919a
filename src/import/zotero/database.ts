/** Reads Zotero's database, also while Zotero runs: a copy of the file is opened and removed again. */

import { copyFile, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CairnError } from '../../core/errors.js'

/** The tables of Zotero 6 and 7. Skips items in the bin and items of feeds. */
const ITEMS = `FROM items i JOIN itemTypes t ON t.itemTypeID = i.itemTypeID
  WHERE i.itemID NOT IN (SELECT itemID FROM deletedItems)
    AND i.libraryID NOT IN (SELECT libraryID FROM libraries WHERE type = 'feed')`

const SQL = {
  items: `SELECT i.itemID AS id, i.libraryID || '/' || i.key AS key, i.key AS ownKey, t.typeName AS type,
      i.dateAdded AS addedAt ${ITEMS} ORDER BY i.itemID`,
  fields: `SELECT d.itemID AS id, f.fieldName AS name, v.value FROM itemData d
    JOIN fields f ON f.fieldID = d.fieldID JOIN itemDataValues v ON v.valueID = d.valueID`,
  creators: `SELECT ic.itemID AS id, c.firstName AS given, c.lastName AS family, ct.creatorType AS role
    FROM itemCreators ic JOIN creators c ON c.creatorID = ic.creatorID
    JOIN creatorTypes ct ON ct.creatorTypeID = ic.creatorTypeID ORDER BY ic.itemID, ic.orderIndex`,
  tags: 'SELECT it.itemID AS id, t.name FROM itemTags it JOIN tags t ON t.tagID = it.tagID ORDER BY t.name',
  /** With the names of the collections that it is nested in: `Thesis/Methods`. */
  collections: `WITH RECURSIVE named (id, name) AS (
      SELECT collectionID, collectionName FROM collections WHERE parentCollectionID IS NULL
      UNION ALL SELECT c.collectionID, n.name || '/' || c.collectionName
      FROM collections c JOIN named n ON c.parentCollectionID = n.id)
    SELECT ci.itemID AS id, n.name FROM collectionItems ci JOIN named n ON n.id = ci.collectionID ORDER BY n.name`,
  attachments: `SELECT itemID AS id, parentItemID AS parent, contentType, path FROM itemAttachments`,
  notes: 'SELECT itemID AS id, parentItemID AS parent, note, title FROM itemNotes',
  annotations: `SELECT itemID AS id, parentItemID AS parent, type, authorName AS author, text, comment, color,
      pageLabel, position FROM itemAnnotations ORDER BY parentItemID, sortIndex`,
} as const

type Text = string | null
type OfItem = { readonly id: number }
type Rows = {
  readonly items: OfItem & {
    /** The library and the key of the item. */
    readonly key: string
    /** Also the name of its folder in `storage`. */
    readonly ownKey: string
    readonly type: string
    readonly addedAt: string
  }
  readonly fields: OfItem & { readonly name: string; readonly value: unknown }
  readonly creators: OfItem & { readonly given: Text; readonly family: Text; readonly role: string }
  readonly tags: OfItem & { readonly name: string }
  readonly collections: OfItem & { readonly name: string }
  readonly attachments: OfItem & {
    readonly parent: number | null
    readonly contentType: Text
    readonly path: Text
  }
  readonly notes: OfItem & {
    readonly parent: number | null
    readonly note: Text
    readonly title: Text
  }
  readonly annotations: OfItem & {
    readonly parent: number
    readonly type: number
    readonly author: Text
    readonly text: Text
    readonly comment: Text
    readonly color: Text
    readonly pageLabel: Text
    readonly position: Text
  }
}

export type ZoteroLibrary = { readonly [Name in keyof Rows]: readonly Rows[Name][] }

const MAX_TRIES = 5

export async function readDatabase(file: string): Promise<ZoteroLibrary> {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-zotero-'))
  try {
    const copy = await copyDatabase(file, folder)
    const { default: Database } = await import('better-sqlite3')
    const db = new Database(copy)
    try {
      const rows = Object.entries(SQL).map(([name, sql]) => [name, db.prepare(sql).all()])
      return Object.fromEntries(rows) as ZoteroLibrary
    } finally {
      db.close()
    }
  } catch (cause) {
    if (cause instanceof CairnError) throw cause
    throw new CairnError('unreadable_file', {
      message: `${file} cannot be read as the database of Zotero 6 or 7.`,
      hint: 'Start Zotero once, so that it updates the file, or export the library as BibTeX or CSL-JSON.',
      cause,
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** With its log and its journal. A copy during which Zotero wrote is made again. */
async function copyDatabase(file: string, folder: string): Promise<string> {
  const copy = join(folder, 'zotero.sqlite')
  const sign = async (): Promise<string> => {
    const parts = await Promise.all(
      ['', '-wal', '-journal'].map((end) => stat(file + end).catch(() => null)),
    )
    return parts.map((part) => `${part?.size} ${part?.mtimeMs}`).join()
  }
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const before = await sign()
    await copyFile(file, copy)
    for (const end of ['-wal', '-journal']) {
      await rm(copy + end, { force: true })
      await copyFile(file + end, copy + end).catch(() => {})
    }
    if ((await sign()) === before) return copy
  }
  throw new CairnError('locked', {
    message: `Zotero kept writing to ${file} while it was copied.`,
    hint: 'Wait until Zotero has finished its sync, and import again.',
  })
}
