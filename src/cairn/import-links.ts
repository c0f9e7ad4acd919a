/** What names another item of its source is linked to it, and a link that is gone from the source goes. */

import type { RecordId } from '../core/ids.js'
import type { EntryLink, RecordEntry } from '../import/importer.js'
import { IMPORT_AUTHOR, type ImportedLink } from '../storage/imports.js'
import type { NewLink } from '../storage/memory.js'
import type { Storage } from '../storage/storage.js'

export type LinkAnswer = {
  readonly added: number
  readonly unresolved: readonly { readonly from: string; readonly to: string }[]
}

type Wanted = { readonly from: string; readonly to: string; readonly type: string }

const BATCH = 500

/** Gathers names and links while the items go by; they are joined once all are stored. */
export class ImportLinks {
  readonly #links = new Map<string, readonly EntryLink[]>()
  /** Every name in lower case, with the keys that have it, in the order they came. */
  readonly #names = new Map<string, string[]>()
  readonly #isKey: (text: string) => boolean

  /** `isKey` says whether an item went by under this key. */
  constructor(isKey: (text: string) => boolean) {
    this.#isKey = isKey
  }

  note({ key, links = [], aliases = [] }: RecordEntry): void {
    if (links.length > 0) this.#links.set(key, links)
    for (const name of new Set(aliases.map(fold))) {
      const keys = this.#names.get(name)
      if (keys === undefined) this.#names.set(name, [key])
      else keys.push(key)
    }
  }

  /** Writes only what differs from what is stored. */
  async join(storage: Storage, source: string, isDry: boolean): Promise<LinkAnswer> {
    const { wanted, unresolved } = this.#resolve()
    const stored = await storage.imports.links(source)
    const ids = await idsOf(storage, source, wanted)
    const known = new Set(stored.map(({ source: a, target, type }) => `${a} ${target} ${type}`))
    const missing = new Map<string, Wanted>()
    const kept = new Set<string>()
    for (const link of wanted) {
      const [a, b] = [ids.get(link.from), ids.get(link.to)]
      // In a dry run what is new has no id yet.
      const name = `${a ?? link.from} ${b ?? link.to} ${link.type}`
      kept.add(name)
      const isThere = isDry || (a !== undefined && b !== undefined && a !== b)
      if (isThere && !known.has(name)) missing.set(name, link)
    }
    const gone = stored.filter(
      (link) =>
        link.author === IMPORT_AUTHOR &&
        this.#isKey(link.key) &&
        !kept.has(`${link.source} ${link.target} ${link.type}`),
    )
    if (!isDry) await write(storage, gone, [...missing.values()], ids)
    return { added: missing.size, unresolved }
  }

  #resolve(): {
    readonly wanted: Wanted[]
    readonly unresolved: { readonly from: string; readonly to: string }[]
  } {
    const wanted: Wanted[] = []
    const unresolved: { from: string; to: string }[] = []
    for (const [from, links] of this.#links) {
      for (const { type, to } of links) {
        const key = this.#find(from, to)
        if (key === null) unresolved.push({ from, to })
        else if (key !== from) wanted.push({ from, to: key, type })
      }
    }
    return { wanted, unresolved }
  }

  /** The key itself; otherwise of those with this name the nearest: in the same folder, then the shortest. */
  #find(from: string, to: string): string | null {
    if (this.#isKey(to)) return to
    const keys = this.#names.get(fold(to)) ?? []
    const folder = from.slice(0, from.lastIndexOf('/') + 1)
    const [best] = [...keys].sort(
      (a, b) =>
        Number(folderOf(b) === folder) - Number(folderOf(a) === folder) ||
        a.length - b.length ||
        (a < b ? -1 : 1),
    )
    return best ?? null
  }
}

function fold(name: string): string {
  return name.normalize('NFC').toLowerCase().trim()
}

function folderOf(key: string): string {
  return key.slice(0, key.lastIndexOf('/') + 1)
}

/** Of records that are there; what was deleted by hand cannot be linked. */
async function idsOf(
  storage: Storage,
  source: string,
  wanted: readonly Wanted[],
): Promise<ReadonlyMap<string, RecordId>> {
  const keys = [...new Set(wanted.flatMap(({ from, to }) => [from, to]))]
  const ids = new Map<string, RecordId>()
  for (let at = 0; at < keys.length; at += BATCH) {
    const known = await storage.imports.known(source, keys.slice(at, at + BATCH))
    for (const [key, { id, isDeleted }] of known) if (id !== null && !isDeleted) ids.set(key, id)
  }
  return ids
}

async function write(
  storage: Storage,
  gone: readonly ImportedLink[],
  missing: readonly Wanted[],
  ids: ReadonlyMap<string, RecordId>,
): Promise<void> {
  const how = { author: IMPORT_AUTHOR, note: null }
  const links: NewLink[] = []
  for (const { from, to, type } of missing) {
    const [newer, older] = [ids.get(from), ids.get(to)]
    if (newer === undefined || older === undefined) continue
    if (type === 'SUPERSEDES') await storage.supersede(older, newer, how)
    else links.push({ source: newer, target: older, type, targetRef: null, ...how })
  }
  const freed = gone.filter(({ type }) => type === 'SUPERSEDES')
  for (const { target } of freed) await storage.reinstate(target)
  const removed = gone.filter(({ type }) => type !== 'SUPERSEDES').map(({ id }) => id)
  for (let at = 0; at < Math.max(links.length, removed.length); at += BATCH) {
    await storage.imports.relink(links.slice(at, at + BATCH), removed.slice(at, at + BATCH))
  }
}
