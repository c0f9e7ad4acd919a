/** The score of a hit and how it matched. */

import type { Hit, MatchType } from '../../../src/core/answer.js'

const MATCH_NAMES: Readonly<Record<MatchType, string>> = {
  both: 'keyword + semantic',
  keyword: 'keyword',
  semantic: 'semantic',
  context: 'words in its conversation',
}

export function MatchBadge({ type }: { readonly type: MatchType }) {
  return (
    <span class={`match match-${type}`}>
      <span class="match-dots" aria-hidden="true">
        {type !== 'semantic' && <i class="dot-words" />}
        {(type === 'semantic' || type === 'both') && <i class="dot-meaning" />}
      </span>
      {MATCH_NAMES[type]}
    </span>
  )
}

/** Fusion by rank gives small scores: there the best hit fills the bar. */
const SMALL = 0.05

export const scaleOf = (hits: readonly Pick<Hit, 'score'>[]): number => {
  const best = Math.max(0, ...hits.map(({ score }) => score))
  return best > 0 && best < SMALL ? best : 1
}

export function Score({ score, scale }: { readonly score: number; readonly scale: number }) {
  const width = Math.max(0, Math.min(1, score / scale)) * 100
  const text = score < SMALL ? score.toPrecision(2) : score.toFixed(2)
  return (
    <span
      class="score"
      title={scale === 1 ? 'score, from 0 to 1' : 'score; the best fills the bar'}
    >
      <span class="score-track" aria-hidden="true">
        <span class="score-fill" style={{ width: `${width}%` }} />
      </span>
      <span class="score-number">
        <span class="visually-hidden">score </span>
        {text}
      </span>
    </span>
  )
}
