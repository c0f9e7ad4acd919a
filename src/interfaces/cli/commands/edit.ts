/** Promise: `cairn edit` changes what was given and nothing else. */

import { badInput } from '../../../core/errors.js'
import type { Context, Outcome } from '../command.js'
import { readText } from '../read-text.js'
import { compact, metadataParts, recordParts } from '../record-flags.js'
import { renderRecord } from '../render/records.js'
import { wantOne } from '../wanted.js'

export async function runEdit(context: Context): Promise<Outcome> {
  const id = wantOne(context, 'record')
  const argument = context.words[1]
  const given = await readNewText(context, argument)
  const changedMeta = metadataParts(context.flags)
  const parts = compact({ ...recordParts(context.flags), body: given })
  const isChange = Object.keys(parts).some((part) => part !== 'session')
  if (!isChange && changedMeta === undefined) {
    throw badInput('There is nothing to change.', 'Give a new text or at least one option.')
  }
  const cairn = await context.open()
  const [before] = (await cairn.get([id])).records
  const metadata =
    changedMeta === undefined
      ? {}
      : { metadata: withoutEmpty({ ...before?.metadata, ...changedMeta }) }
  const record = await cairn.edit(id, { ...parts, ...metadata })
  return { json: record, text: (style) => renderRecord(record, style) }
}

/** A pipe that happens to be open is no new text: standard input is read only when `-` asks for it. */
async function readNewText(context: Context, argument: string | undefined) {
  if (argument === undefined && context.flags.file === undefined) return undefined
  return (await readText(context, argument))?.text
}

function withoutEmpty(metadata: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== ''))
}
