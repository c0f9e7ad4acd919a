/** Formats works by the name or the text of a style, one by one or as a bibliography. */

import { badInput } from '../core/errors.js'
import { CITATION_STYLES, type CitationStyle, type Work } from '../core/work.js'
import { writeBibtex } from './bibtex/bibtex.js'
import { formatByCsl } from './csl-processor.js'
import { escapeMarkdown, formatReference } from './reference-lists.js'
import { STYLES, type StyleName } from './style-data.js'
import { formatReferences, type Markup, PLAIN, type Reference } from './styles.js'

type FormattedWork = Omit<Reference, 'inText'> & { readonly inText: string | null }

/** In the order given, except that a CSL style may have an order of its own. */
export async function formatWorks(
  works: readonly Work[],
  style: CitationStyle,
  markup: Markup = PLAIN,
): Promise<FormattedWork[]> {
  if (style.trimStart().startsWith('<')) {
    const references = await formatByCsl(works, style)
    return references.map((one) => ({ ...one, text: markup.escape(one.text) }))
  }
  if (isStyle(style)) return formatReferences(works, style, markup)
  if (style === 'plain') {
    return works.map((work) => ({ work, text: markup.escape(formatReference(work)), inText: null }))
  }
  if (style === 'bibtex') {
    return works.map((work) => ({ work, text: writeBibtex([work]).trimEnd(), inText: null }))
  }
  throw badInput(
    `There is no style "${style.slice(0, 60)}".`,
    `There are ${CITATION_STYLES.join(', ')}, and every CSL style file: --style nature.csl.`,
  )
}

/** One paragraph a work: numbered styles in the order given, CSL styles in theirs, the others by name. */
export async function writeBibliography(
  works: readonly Work[],
  style: CitationStyle,
  { markdown }: { readonly markdown: boolean },
): Promise<string> {
  const markup = markdown ? { italics: '*', escape: escapeMarkdown } : PLAIN
  const isByName = isStyle(style) ? !STYLES[style].isNumbered : style === 'plain'
  const plain = isByName ? await formatWorks(works, style) : []
  const { compare } = new Intl.Collator('en')
  const sorted = plain.toSorted((a, b) => compare(a.text, b.text)).map(({ work }) => work)
  const references = await formatWorks(isByName ? sorted : works, style, markup)
  const between = markdown || style === 'bibtex' ? '\n\n' : '\n'
  return references.map(({ text }) => text).join(between) + (references.length > 0 ? '\n' : '')
}

function isStyle(name: string): name is StyleName {
  return Object.hasOwn(STYLES, name)
}
