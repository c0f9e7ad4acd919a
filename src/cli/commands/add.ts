/** `cairn add` stores one record and says under which id. */

import type { Cairn } from '../../cairn/cairn.js'
import { badInput } from '../../core/errors.js'
import type { NearDuplicate } from '../../core/record.js'
import { readText } from '../files.js'
import type { CommandSteps } from '../operation-command.js'
import { oneLine } from '../render/style.js'

export const ADD: CommandSteps<'add'> = {
  prepare: async (input, context) => {
    const given = await readText(context, input.body)
    if (given === null) {
      throw badInput(
        'There is nothing to add.',
        'Give the text as an argument, with --file, or on standard input.',
      )
    }
    return { source: given.file, ...input, body: given.text }
  },
  resolve: async (input, cairn) => ({
    ...input,
    ...(input.session && { session: await knownSession(input.session, cairn) }),
    ...(input.createdIn && { createdIn: await knownSession(input.createdIn, cairn) }),
  }),
  show: ({ created, id, nearDuplicates }) => ({
    text: (style) =>
      created
        ? `${style.good('added')} ${id}\n${nearDuplicates.map(nearLine).join('')}`
        : `already there as ${id}; nothing was added\n`,
  }),
}

/** The library begins a session that it does not know; a person who names one has mistyped it. */
async function knownSession(name: string, cairn: Cairn): Promise<string> {
  return (await cairn.sessions.find(name)).id
}

function nearLine({ id, similarity, changed }: NearDuplicate): string {
  const what = changed.length === 0 ? '' : `: ${changed.map(oneLine).join(', ')}`
  return `nearly the same as ${id} (${similarity.toFixed(2)})${what}\n`
}
