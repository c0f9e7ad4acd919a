/** `cairn edit` changes what was given and nothing else. */

import { badInput } from '../../core/errors.js'
import type { CommandContext } from '../command.js'
import { readText } from '../files.js'
import type { CommandSteps, Show } from '../operation-command.js'
import { renderRecord } from '../render/records.js'

export const showRecord: Show<'edit' | 'undo'> = (record) => ({
  text: (style) => renderRecord(record, style),
})

export const EDIT: CommandSteps<'edit'> = {
  prepare: async (input, context) => {
    const body = await newText(context, input.body)
    const { id: _, session: __, ...changes } = { ...input, ...(body !== undefined && { body }) }
    if (Object.keys(changes).length === 0) {
      throw badInput('There is nothing to change.', 'Give a new text or at least one option.')
    }
    return { ...input, ...changes }
  },
  /** A key that is named is set, `key=` removes it, and the others stay. */
  resolve: async (input, cairn) => {
    if (input.metadata === undefined) return input
    const [before] = (await cairn.get([input.id])).records
    const metadata = Object.entries({ ...before?.metadata, ...input.metadata })
    return { ...input, metadata: Object.fromEntries(metadata.filter(([, value]) => value !== '')) }
  },
  show: showRecord,
}

/** A pipe that happens to be open is no new text: standard input is read only when `-` asks for it. */
async function newText(context: CommandContext, argument: string | undefined) {
  if (argument === undefined && context.flags.file === undefined) return undefined
  return (await readText(context, argument))?.text
}
