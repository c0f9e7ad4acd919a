/** References are printed ready to be pasted, and what a work cites and is cited by stands in two lists. */

import type { Show } from '../operation-command.js'
import { renderCitations } from '../render/citations.js'
import { safe } from '../render/style.js'
import { shortIds } from '../resolve-ids.js'

export const showReferences: Show<'cite'> = ({ references }, { input }) => {
  const between = input.style === 'bibtex' ? '\n\n' : '\n'
  return { text: () => `${references.map(({ text }) => safe(text)).join(between)}\n` }
}

export const showCitations: Show<'citations'> = async (answer, { cairn }) => {
  const others = [...answer.references, ...answer.citedBy]
  const short = await shortIds(
    cairn,
    others.map(({ id }) => id),
  )
  return { text: (style) => renderCitations(answer, short, style) }
}
