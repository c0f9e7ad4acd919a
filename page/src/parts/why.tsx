/** The explanation of a score, with its arithmetic. */

import type { Explanation } from '../../../src/core/answer.js'
import type { FoundHit } from '../api/client.js'
import { Detail } from './block.js'
import { Marked } from './marked.js'
import { firstLine, shortId } from './names.js'
import { arithmeticOf, formatPoints, segmentsOf } from './segments.js'
import { Term } from './term.js'

/** Keyword and semantic parts have fixed colours; the other parts take turns. */
function toneOf(name: string, place: number): string {
  if (/^(keyword|words)/.test(name)) return 'words'
  if (/^(meaning|similarity)/.test(name)) return 'meaning'
  return `other-${place % 3}`
}

const ID_IN_NAME = /\b[0-9A-HJKMNP-TV-Z]{26}\b/g
const shown = (name: string): string => name.replace(ID_IN_NAME, shortId)

const print = (value: number | null): string => (value === null ? 'none' : formatPoints(value))

export function Why({ hit }: { readonly hit: FoundHit }) {
  const { explanation } = hit
  if (explanation === null) return null
  return (
    <div class="why">
      <StackedBar explanation={explanation} />
      <details class="why-steps">
        <summary>Show every step</summary>
        <ul>
          <Step node={explanation} depth={0} />
        </ul>
      </details>
      <Passage hit={hit} />
      <dl class="why-raw">
        <Detail name="BM25 of the words">{print(hit.bm25)}</Detail>
        <Detail name="cosine similarity">{print(hit.similarity)}</Detail>
        <Detail name={<Term name="Confidence">confidence</Term>}>
          {print(hit.effectiveConfidence)}
        </Detail>
        <Detail name={<Term name="Salience">salience now</Term>}>
          {print(hit.record.effectiveSalience)}
        </Detail>
      </dl>
    </div>
  )
}

function StackedBar({ explanation }: { readonly explanation: Explanation }) {
  const segments = segmentsOf(explanation)
  const length = segments.reduce((sum, { points }) => sum + Math.abs(points), 0) || 1
  const track = Math.max(explanation.score, length) < 0.25 ? length : Math.max(1, length)
  return (
    <figure class="stack">
      <div class="stack-bar" aria-hidden="true">
        {segments.map(({ name, points }, place) => (
          <span
            key={name}
            class={`tone-${toneOf(name, place)}`}
            style={{ width: `${(Math.abs(points) / track) * 100}%` }}
          />
        ))}
      </div>
      <figcaption>
        <span class="sum">{formatPoints(explanation.score)}</span>
        {segments.map(({ name, points, before }, place) => (
          <span key={name} class="term">
            <span class="sign">{place === 0 ? '=' : points < 0 ? '−' : '+'}</span>
            <i class={`swatch tone-${toneOf(name, place)}`} />
            {shown(name)} <b>{formatPoints(Math.abs(points))}</b>
            {before !== null && before !== 0 && (
              <span class="quiet">
                {' '}
                ({formatPoints(before)} × {formatPoints(points / before)})
              </span>
            )}
          </span>
        ))}
      </figcaption>
    </figure>
  )
}

const OPEN_DEPTH = 2

function Step({ node, depth }: { readonly node: Explanation; readonly depth: number }) {
  const line = (
    <>
      <span>{shown(node.name)}</span>
      {node.parts.length > 1 && <span class="quiet">{arithmeticOf(node)} =</span>}
      <b>{formatPoints(node.score)}</b>
    </>
  )
  if (node.parts.length === 0) return <li class="step">{line}</li>
  return (
    <li>
      <details open={depth < OPEN_DEPTH}>
        <summary class="step">{line}</summary>
        <ul>
          {node.parts.map((part, i) => (
            <Step key={`${i} ${part.name}`} node={part} depth={depth + 1} />
          ))}
        </ul>
      </details>
    </li>
  )
}

/** The best chunk, if the snippet shows another passage. */
function Passage({ hit }: { readonly hit: FoundHit }) {
  const [chunk] = hit.chunks
  if (chunk === undefined || chunk.text === '') return null
  return (
    <p class="why-passage">
      <span class="quiet">
        Nearest passage ({chunk.similarity.toFixed(2)}
        {chunk.pages !== undefined && `, page ${chunk.pages.first}`}):
      </span>{' '}
      <Marked text={firstLine(chunk.text.replaceAll('\n', ' '))} />
    </p>
  )
}
