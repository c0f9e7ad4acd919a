/** Collects the links and sessions of an import while its entries are read; both are written at the end. */

import type { RecordId } from '../core/ids.js'
import type { EntryLink, RecordEntry } from '../import/importer.js'
import { cleanLabel } from '../import/values.js'
import {
  IMPORT_AUTHOR,
  type ImportedLink,
  type ImportedSession,
  type ImportSource,
} from '../storage/imports.js'
import type { Storage } from '../storage/storage.js'
import { normalizeText } from '../text/normalize.js'

type Wanted = { readonly from: string; readonly to: string; readonly type: string }

const BATCH = 500

/** `isKey` says whether an entry with this key was read. */
export function createImportLinks(isKey: (text: string) => boolean) {
  const noted = new Map<string, readonly EntryLink[]>()
  /** Every alias in lower case, with the keys that have it. */
  const keysByAlias = new Map<string, string[]>()

  /** The key itself; else the nearest key with this alias: in the same folder, then the shortest. */
  const find = (from: string, to: string): string | null => {
    if (isKey(to)) return to
    const keys = keysByAlias.get(fold(to)) ?? []
    const folderOf = (key: string): string => key.slice(0, key.lastIndexOf('/') + 1)
    const isBeside = (key: string): number => Number(folderOf(key) === folderOf(from))
    const [best] = keys.toSorted(
      (a, b) => isBeside(b) - isBeside(a) || a.length - b.length || (a < b ? -1 : 1),
    )
    return best ?? null
  }

  const resolve = () => {
    const wanted: Wanted[] = []
    const unresolved: Omit<Wanted, 'type'>[] = []
    for (const [from, links] of noted) {
      for (const { type, to } of links) {
        const key = find(from, to)
        if (key === null) unresolved.push({ from, to })
        else if (key !== from) wanted.push({ from, to: key, type })
      }
    }
    return { wanted, unresolved }
  }

  return {
    note({ key, links = [], aliases = [] }: Pick<RecordEntry, 'key' | 'links' | 'aliases'>): void {
      if (links.length > 0) noted.set(key, links)
      for (const name of new Set(aliases.map(fold))) {
        const keys = keysByAlias.get(name)
        if (keys === undefined) keysByAlias.set(name, [key])
        else keys.push(key)
      }
    },

    /** Adds links that are not stored and removes those that are gone from the source. */
    async write(storage: Storage, source: ImportSource, dryRun: boolean) {
      const { wanted, unresolved } = resolve()
      const stored = await storage.imports.links(source)
      const ids = await loadIds(storage, source, wanted)
      const known = new Set(stored.map(nameStored))
      const missing = new Map<string, Wanted>()
      const named = new Set<string>()
      for (const link of wanted) {
        const [a, b] = [ids.get(link.from), ids.get(link.to)]
        // In a dry run a new record has no id yet.
        const name = `${a ?? link.from} ${b ?? link.to} ${link.type}`
        named.add(name)
        const isPossible = dryRun || (a !== undefined && b !== undefined && a !== b)
        if (isPossible && !known.has(name)) missing.set(name, link)
      }
      const gone = stored.filter(
        (link) => link.author === IMPORT_AUTHOR && isKey(link.key) && !named.has(nameStored(link)),
      )
      const added = [...missing.values()].flatMap(({ from, to, type }) => {
        const [a, b] = [ids.get(from), ids.get(to)]
        return a === undefined || b === undefined ? [] : [{ source: a, target: b, type }]
      })
      if (!dryRun) await writeLinks(storage, added, gone)
      return { added: missing.size, unresolved }
    },
  }
}

function fold(name: string): string {
  return normalizeText(name, 'NFC').toLowerCase().trim()
}

function nameStored({ source, target, type }: ImportedLink): string {
  return `${source} ${target} ${type}`
}

/** The ids of live records; a record that was deleted by hand cannot be linked. */
async function loadIds(storage: Storage, source: ImportSource, wanted: readonly Wanted[]) {
  const keys = [...new Set(wanted.flatMap(({ from, to }) => [from, to]))]
  const ids = new Map<string, RecordId>()
  for (let at = 0; at < keys.length; at += BATCH) {
    const known = await storage.imports.known(source, keys.slice(at, at + BATCH))
    for (const [key, { id, isDeleted }] of known) if (id !== null && !isDeleted) ids.set(key, id)
  }
  return ids
}

async function writeLinks(
  storage: Storage,
  added: readonly Pick<ImportedLink, 'source' | 'target' | 'type'>[],
  gone: readonly ImportedLink[],
): Promise<void> {
  const isSuperseding = ({ type }: { readonly type: string }): boolean => type === 'SUPERSEDES'
  const origin = { author: IMPORT_AUTHOR, note: null }
  for (const { source, target } of added.filter(isSuperseding)) {
    await storage.supersede(target, source, origin)
  }
  for (const { target } of gone.filter(isSuperseding)) await storage.reinstate(target)
  const links = added
    .filter((link) => !isSuperseding(link))
    .map((link) => ({ ...link, ...origin, targetRef: null }))
  const removed = gone.filter((link) => !isSuperseding(link)).map(({ id }) => id)
  for (let at = 0; at < Math.max(links.length, removed.length); at += BATCH) {
    await storage.imports.relink(links.slice(at, at + BATCH), removed.slice(at, at + BATCH))
  }
}

export function createImportSessions(namespace: string) {
  const sessions = new Map<string, ImportedSession>()
  return {
    all: (): readonly ImportedSession[] => [...sessions.values()],

    /** Notes a turn and its time, if it has one. An entry that is no turn is ignored. */
    note({ session, record }: RecordEntry, atMs: number | null): void {
      if (session === undefined) return
      const { id, title, startedAt, endedAt } = session
      const known = sessions.get(id)
      const starts = [known?.startedAtMs, parseTime(startedAt), atMs].filter((ms) => ms != null)
      const ends = [known?.endedAtMs, parseTime(endedAt), atMs].filter((ms) => ms != null)
      sessions.set(id, {
        id,
        namespace: known?.namespace ?? record.namespace ?? namespace,
        title: cleanLabel(title) ?? known?.title ?? null,
        startedAtMs: starts.length === 0 ? null : Math.min(...starts),
        endedAtMs: ends.length === 0 ? null : Math.max(...ends),
        owner: null,
        metadata: {},
      })
    },
  }
}

function parseTime(at: string | null): number | null {
  return at === null ? null : Date.parse(at)
}
