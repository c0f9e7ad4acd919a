/** Promise: `cairn list` shows records newest first, and how to go on. */

import type { ListInput } from '../../../requests/record-requests.js'
import type { Context, Outcome } from '../command.js'
import { compact } from '../record-flags.js'
import { renderList } from '../render/records.js'
import { filterParts } from '../search-options.js'
import { shortIds } from '../short-ids.js'
import { withKnownSessions } from '../wanted.js'

export async function runList(context: Context): Promise<Outcome> {
  const { limit, cursor, deleted } = context.flags
  const cairn = await context.open()
  const page = await cairn.list({
    ...((await withKnownSessions(cairn, filterParts(context.flags))) as ListInput),
    ...(compact({ limit, cursor, deleted }) as ListInput),
  })
  const short = await shortIds(
    cairn,
    page.records.map(({ id }) => id),
  )
  return {
    json: page,
    text: (style) => {
      if (page.records.length === 0) return 'no records\n'
      const more = page.next === null ? '' : style.dim(`more: --cursor ${page.next}\n`)
      return renderList(page.records, short, style) + more
    },
  }
}
