/** A score is drawn as the tree that it was computed from. */

import type { Explanation } from '../../core/answer.js'
import { INDENT } from './paragraph.js'
import type { Style } from './style.js'

const BAR_COLUMNS = 12

/** The tree of a score: every inner line is the sum (+) or product (×) of the lines below it. */
export function renderExplanation(root: Explanation, style: Style): string {
  const rows: { readonly label: string; readonly score: number }[] = []
  const visit = (node: Explanation, prefix: string, branch: string, sign: string): void => {
    rows.push({ label: `${prefix}${branch}${sign}${node.name}`, score: node.score })
    // A factor of 1 changes nothing: what it is made of is of no interest to the reader.
    if (sign === '× ' && isShownAsOne(node.score)) return
    const below = prefix + (branch === '' ? '' : branch === '└ ' ? '  ' : '│ ')
    for (const [i, part] of node.parts.entries()) {
      const isLast = i === node.parts.length - 1
      visit(part, below, isLast ? '└ ' : '├ ', i === 0 ? '' : node.op === 'sum' ? '+ ' : '× ')
    }
  }
  visit(root, '', '', '')
  const width = Math.max(...rows.map(({ label }) => label.length))
  return rows
    .map(({ label, score }) => {
      const bar = '█'.repeat(Math.round(Math.min(1, Math.max(0, score)) * BAR_COLUMNS))
      return `${INDENT}${label.padEnd(width)}  ${shown(score).padStart(8)}  ${style.dim(bar)}`
    })
    .join('\n')
}

/** Four places; what is nearly nothing has no sign. */
function shown(score: number): string {
  return score.toFixed(4).replace(/^-(0\.0000)$/, '$1')
}

function isShownAsOne(score: number): boolean {
  return shown(score) === '1.0000'
}
