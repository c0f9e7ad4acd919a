/** Promise: `cairn cite` prints a reference for each work, ready to be pasted. */

import { badInput } from '../../../core/errors.js'
import type { CitationStyle } from '../../../core/work.js'
import type { Context, Outcome } from '../command.js'
import { safe } from '../render/style.js'

export async function runCite(context: Context): Promise<Outcome> {
  const { words, flags } = context
  if (words.length === 0) {
    throw badInput(
      'Which work? Give its id, DOI, OpenAlex id, arXiv id or citation key.',
      '`cairn list --kind work` shows those there are.',
    )
  }
  const cairn = await context.open()
  const references = await cairn.works.cite(words, (flags.style ?? 'plain') as CitationStyle)
  const between = flags.style === 'bibtex' ? '\n\n' : '\n'
  return {
    json: { references },
    text: () => `${references.map(({ text }) => safe(text)).join(between)}\n`,
  }
}
