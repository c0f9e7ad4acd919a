/** Adds, removes and lists links between records. */

import { badInput, CairnError } from '../core/errors.js'
import type { RecordId } from '../core/ids.js'
import type { Link, LinkView } from '../core/record.js'
import { check } from '../schemas/check.js'
import * as requests from '../schemas/memory-requests.js'
import type { Context } from './scope.js'

export type LinksAnswer = { readonly of: RecordId; readonly links: readonly LinkView[] }

/** Links in both directions, oldest first, without those to records out of scope. */
export async function linksInScope(
  { storage, scope }: Pick<Context, 'storage' | 'scope'>,
  id: RecordId,
): Promise<LinkView[]> {
  const links = await storage.memory.listLinks(id)
  if (scope.pinnedNamespace === null) return links
  const others = await storage.get(links.flatMap(({ other }) => other?.id ?? []))
  const inScope = new Set(others.filter(scope.contains).map((one) => one.id))
  return links.filter(({ other }) => other === null || inScope.has(other.id))
}

export type Links = ReturnType<typeof createLinks>

export function createLinks(context: Context) {
  const { storage, scope, indexer } = context
  const { memory } = storage
  const findEnds = async (from: string, to: string) => ({
    source: (await scope.findOne(from)).id,
    target: (await scope.findOne(to)).id,
  })
  return {
    /** Links the first record to the second. Adding the same link again replaces its note and author. */
    async add(input: requests.LinkInput): Promise<Link> {
      const { from, to, ...rest } = check(requests.linkInput, input)
      if (rest.type === 'SUPERSEDES') {
        const message = 'A link of the type SUPERSEDES also ends the validity of a record.'
        throw badInput(message, 'Use `cairn supersede OLD NEW`.')
      }
      return memory.link({ ...(await findEnds(from, to)), ...rest, targetRef: null })
    },

    /** Removes and returns links. A record that one of them superseded is valid again. */
    async remove(input: requests.UnlinkInput): Promise<Link[]> {
      const { from, to, type } = check(requests.unlinkInput, input)
      const { source, target } = await findEnds(from, to)
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
      await indexer.embedPending(0)
      return found
    },

    /** The links of a record in both directions, oldest first. */
    async of(id: string): Promise<LinksAnswer> {
      const record = await scope.findOne(id)
      return { of: record.id, links: await linksInScope(context, record.id) }
    },
  }
}
