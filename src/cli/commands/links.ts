/** When records are joined, corrected or taken apart, it is said what was done and how to take it back. */

import type { Show } from '../operation-command.js'
import { renderLinks } from '../render/links.js'
import { shortIds } from '../resolve-ids.js'

export const showSuperseded: Show<'supersede'> = ({ superseded, by }, { input }) => ({
  text: (style) =>
    `${style.good('superseded')} ${superseded} by ${by}\n${style.dim(
      `cairn unlink ${input.newer} ${input.older} takes it back`,
    )}\n`,
})

export const showLinked: Show<'link'> = ({ source, type, target }) => ({
  text: (style) => `${style.good('linked')} ${source} ${type} ${target}\n`,
})

export const showUnlinked: Show<'unlink'> = ({ unlinked }) => ({
  text: () =>
    unlinked
      .map(({ source, target, type }) => {
        const again = type === 'SUPERSEDES' ? `; ${target} is valid again` : ''
        return `unlinked ${source} ${type} ${target}${again}\n`
      })
      .join(''),
})

export const showLinks: Show<'links'> = async ({ links }, { cairn }) => {
  const others = links.flatMap(({ other }) => (other === null ? [] : [other.id]))
  const short = await shortIds(cairn, others)
  return {
    text: (style) => (links.length === 0 ? 'no links\n' : renderLinks(links, short, style)),
  }
}
