/** Promise: `cairn get` shows whole records, and names each id that leads nowhere. */

import type { Context, Outcome } from '../command.js'
import { renderRecord } from '../render/records.js'
import { wantIds } from '../wanted.js'

export async function runGet(context: Context): Promise<Outcome> {
  const ids = wantIds(context)
  const cairn = await context.open()
  const answer = await cairn.get(ids)
  const missing = answer.missing.map((id) => `"${id}"`).join(', ')
  return {
    json: answer,
    text: (style) => answer.records.map((record) => renderRecord(record, style)).join('\n'),
    ...(answer.missing.length === 0
      ? {}
      : {
          exitCode: 1,
          problem: `No record has the id ${missing}. \`cairn list\` shows the ids there are.`,
        }),
  }
}
