/** A link is one line: which way it goes, what kind it is, and what stands at its other end. */

import type { LinkView } from '../../core/record.js'
import type { ShortId } from '../resolve-ids.js'
import { alignedRows } from './rows.js'
import { oneLine, type Style } from './style.js'

export function renderLinks(
  links: readonly LinkView[],
  short: ShortId,
  style: Style,
  indent = '',
): string {
  const rows = links.map(({ direction, type, other, targetRef, note, author }) => {
    const what = other === null ? 'not stored' : oneLine(other.title ?? other.summary)
    const said = [note, author].flatMap((part) => (part === null ? [] : [oneLine(part)]))
    return {
      cells: [
        direction === 'out' ? '→' : '←',
        type,
        other === null ? oneLine(targetRef ?? '') : short(other.id),
      ],
      text: said.length === 0 ? what : `${what} (${said.join(', ')})`,
    }
  })
  return alignedRows(rows, style, indent)
}
