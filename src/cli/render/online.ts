/** Works from elsewhere stand one to a line, with what became of each. */

import type { OnlineAnswer } from '../../cairn/openalex.js'
import type { ShortId } from '../resolve-ids.js'
import { alignedRows } from './rows.js'
import { oneLine, type Style } from './style.js'

export function renderOnline(answer: OnlineAnswer, short: ShortId, style: Style): string {
  const { works, created, updated, unchanged, conflicts, asked } = answer
  const rows = works.map(({ id, state, year, title }) => ({
    cells: [short(id), state, String(year ?? '')],
    text: oneLine(title),
  }))
  const counts = [
    [created, 'created'],
    [updated, 'updated'],
    [unchanged, 'unchanged'],
    [conflicts, 'with conflicts'],
  ] as const
  const told = counts.filter(([number]) => number > 0).map(([number, what]) => `${number} ${what}`)
  const requests = `${asked.requests} ${asked.requests === 1 ? 'request' : 'requests'}`
  const cached = asked.fromCache === 0 ? '' : `, ${asked.fromCache} from the cache`
  return `${alignedRows(rows, style)}${told.join(', ') || 'no works'} ${style.dim(`(${requests}${cached})`)}\n`
}
