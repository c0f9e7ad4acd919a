/** Promise: `cairn history` shows what a record was, and `cairn undo` brings it back. */

import type { Context, Outcome } from '../command.js'
import { renderHistory } from '../render/history.js'
import { renderRecord } from '../render/records.js'
import { wantOne } from '../wanted.js'

export async function runHistory(context: Context): Promise<Outcome> {
  const id = wantOne(context, 'record')
  const cairn = await context.open()
  const answer = await cairn.history(id)
  return { json: answer, text: (style) => renderHistory(answer, style) }
}

export async function runUndo(context: Context): Promise<Outcome> {
  const id = wantOne(context, 'record')
  const { to } = context.flags
  const cairn = await context.open()
  const record = await cairn.undo(id, typeof to === 'number' ? to : undefined)
  return { json: record, text: (style) => renderRecord(record, style) }
}
