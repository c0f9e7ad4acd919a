/** Promise: `cairn add` stores one record and says under which id. */

import { badInput } from '../../../core/errors.js'
import type { NearDuplicate } from '../../../core/record.js'
import type { Context, Outcome } from '../command.js'
import { readText } from '../read-text.js'
import { compact, metadataParts, recordParts } from '../record-flags.js'
import { oneLine } from '../render/style.js'

export async function runAdd(context: Context): Promise<Outcome> {
  const given = await readText(context, context.words[0])
  if (given === null) {
    throw badInput(
      'There is nothing to add.',
      'Give the text as an argument, with --file, or on standard input.',
    )
  }
  const { session, ...parts } = recordParts(context.flags)
  const cairn = await context.open({ create: session === undefined })
  // The library begins a session that it does not know; a person who names one has mistyped it.
  const said = session === undefined ? undefined : (await cairn.sessions.find(session)).id
  const answer = await cairn.add({
    source: given.file,
    ...compact({
      ...parts,
      metadata: metadataParts(context.flags),
      session: said,
      extractFacts: context.flags['extract-facts'],
    }),
    body: given.text,
  })
  return {
    json: answer,
    text: (style) =>
      answer.created
        ? `${style.good('added')} ${answer.id}\n${answer.nearDuplicates.map(nearLine).join('')}`
        : `already there as ${answer.id}; nothing was added\n`,
  }
}

function nearLine({ id, similarity, changed }: NearDuplicate): string {
  const what = changed.length === 0 ? '' : `: ${changed.map(oneLine).join(', ')}`
  return `nearly the same as ${id} (${similarity.toFixed(2)})${what}\n`
}
