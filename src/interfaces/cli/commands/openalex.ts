/** Promise: works come in from OpenAlex when they are asked for, and the user sees which. */

import type { Cairn } from '../../../cairn.js'
import { badInput } from '../../../core/errors.js'
import type { OnlineAnswer, OnlineOptions } from '../../../library/openalex.js'
import type { OnlineExpandInput, OnlineSearchInput } from '../../../requests/work-requests.js'
import type { Context, FlagValues, Outcome } from '../command.js'
import { compact } from '../record-flags.js'
import { renderOnline } from '../render/online.js'
import { shortIds } from '../short-ids.js'

export async function runOpenAlexGet(context: Context): Promise<Outcome> {
  const { words, flags } = context
  if (words.length === 0) {
    throw badInput('Which work? Give its DOI, OpenAlex id or arXiv id.', LIKE_THIS)
  }
  const cairn = await context.open({ create: true })
  return outcomeOf(cairn, await cairn.openalex.get(words, whereOf(flags)))
}

export async function runOpenAlexSearch(context: Context): Promise<Outcome> {
  const { words, flags } = context
  const { limit, since } = flags
  const query = words.join(' ').trim()
  if (query === '') throw badInput('The search for works is empty.', 'Give some words.')
  const cairn = await context.open({ create: true })
  const asked = compact({ limit, since }) as OnlineSearchInput
  return outcomeOf(cairn, await cairn.openalex.search(query, { ...asked, ...whereOf(flags) }))
}

export async function runOpenAlexExpand(context: Context): Promise<Outcome> {
  const { words, flags } = context
  const [name] = words
  if (name === undefined) throw badInput('Around which work? Give its DOI, id or key.', LIKE_THIS)
  const { references = false, citations = false, limit } = flags
  const isBoth = references === citations
  const cairn = await context.open({ create: true })
  const asked = compact({
    limit,
    references: isBoth || references,
    citations: isBoth || citations,
  }) as OnlineExpandInput
  return outcomeOf(cairn, await cairn.openalex.expand(name, { ...asked, ...whereOf(flags) }))
}

const LIKE_THIS = 'Give it like 10.1000/182, W2741809807 or arXiv:1706.03762.'

function whereOf({ namespace, tag }: FlagValues): OnlineOptions {
  return compact({ namespace, tags: tag }) as OnlineOptions
}

async function outcomeOf(cairn: Cairn, answer: OnlineAnswer): Promise<Outcome> {
  const short = await shortIds(
    cairn,
    answer.works.map(({ id }) => id),
  )
  const missing = answer.missing.map((name) => `"${name}"`).join(', ')
  return {
    json: answer,
    text: (style) => renderOnline(answer, short, style),
    ...(missing === ''
      ? {}
      : { exitCode: 1 as const, problem: `OpenAlex knows no work as ${missing}.` }),
  }
}
