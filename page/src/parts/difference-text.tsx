/** Shows a difference by words, colour and a line, never by colour alone. */

import { differenceOf } from './difference.js'

export function Difference({ before, after }: { readonly before: string; readonly after: string }) {
  return (
    <div class="difference" dir="auto">
      {differenceOf(before, after).map(({ kind, text }, i) => {
        const key = `${i} ${kind}`
        if (kind === 'gone') return <del key={key}>{text}</del>
        if (kind === 'new') return <ins key={key}>{text}</ins>
        return <span key={key}>{text}</span>
      })}
    </div>
  )
}
