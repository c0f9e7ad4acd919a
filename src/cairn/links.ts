/** Links join records that are there, say who made them, and can be followed both ways. */

import { CairnError } from '../core/errors.js'
import type { RecordId } from '../core/ids.js'
import type { CairnRecord, Link, LinkView } from '../core/record.js'
import { check } from '../schemas/check.js'
import * as requests from '../schemas/memory-requests.js'
import type { Storage } from '../storage/storage.js'
import { noRecord, type Scope } from './scope.js'

export type LinksAnswer = { readonly of: CairnRecord['id']; readonly links: readonly LinkView[] }

/** Both ways, oldest first, without those that lead out of scope. */
export async function linksInReach(
  storage: Storage,
  scope: Scope,
  id: RecordId,
): Promise<LinkView[]> {
  const links = await storage.memory.linksOf(id)
  if (scope.pinnedNamespace === null) return links
  const others = links.flatMap(({ other }) => other?.id ?? [])
  const near = new Set((await storage.get(others)).filter(scope.contains).map((one) => one.id))
  return links.filter(({ other }) => other === null || near.has(other.id))
}

export type Links = ReturnType<typeof createLinks>

/** `settle` reads again what stands in new surroundings. */
export function createLinks(storage: Storage, scope: Scope, settle: () => Promise<void>) {
  const { memory } = storage
  const both = async (from: string, to: string) => {
    const [source, target] = await scope.findAll([from, to], 'live')
    if (source === undefined || target === undefined) throw noRecord(from)
    return { source: source.id, target: target.id }
  }
  return {
    /** Directed: from the first to the second. The same link again takes the new note and author. */
    async add(input: requests.LinkInput): Promise<Link> {
      const { from, to, ...rest } = check(requests.linkInput, input)
      if (rest.type === 'SUPERSEDES') {
        throw new CairnError('bad_input', {
          message: 'A link of the type SUPERSEDES also ends the validity of a record.',
          hint: 'Use `cairn supersede OLD NEW`.',
        })
      }
      return memory.link({ ...(await both(from, to)), ...rest, targetRef: null })
    },

    /** Takes links away, and gives them; what was superseded by one of them is valid again. */
    async remove(input: requests.UnlinkInput): Promise<Link[]> {
      const { from, to, type } = check(requests.unlinkInput, input)
      const { source, target } = await both(from, to)
      const found = await memory.findLink(source, target, type ?? null)
      if (found.length === 0) {
        throw new CairnError('not_found', {
          message: `There is no ${type === undefined ? 'link' : `link ${type}`} from "${from}" to "${to}".`,
          hint: `\`cairn links ${from}\` shows those there are.`,
        })
      }
      for (const link of found) {
        if (link.type === 'SUPERSEDES') await storage.reinstate(target)
        else await memory.unlink(link.id)
      }
      if (found.some(({ type: kind }) => kind === 'SUPERSEDES')) await settle()
      return found
    },

    /** Both ways, oldest first. */
    async of(id: string): Promise<LinksAnswer> {
      const [record] = await scope.findAll([id], 'live')
      if (record === undefined) throw noRecord(id)
      return { of: record.id, links: await linksInReach(storage, scope, record.id) }
    },
  }
}
