/** Loading, empty, error and degraded states. */

import type { ComponentChildren } from 'preact'
import type { Degradation } from '../../../src/core/answer.js'
import type { RequestFailure } from '../api/request.js'
import type { Loaded } from '../state/load.js'
import { Button } from './button.js'
import { Icon } from './icon.js'
import { Prose } from './prose.js'

export function Waiting({ lines = 5 }: { readonly lines?: number }) {
  return (
    <div class="waiting" role="status">
      <span class="visually-hidden">Loading…</span>
      {Array.from({ length: lines }, (_, i) => (
        <div class="waiting-line" key={i} />
      ))}
    </div>
  )
}

export function Trouble({
  failure,
  retry,
}: {
  readonly failure: RequestFailure
  readonly retry: (() => void) | null
}) {
  return (
    <div class="trouble" role="alert">
      <Icon name="warning" />
      <div>
        <p class="trouble-what">
          <Prose text={failure.message} />
        </p>
        {failure.hint !== null && (
          <p class="quiet">
            <Prose text={failure.hint} />
          </p>
        )}
      </div>
      {retry !== null && <Button onClick={retry}>Retry</Button>}
    </div>
  )
}

export function Nothing({
  title,
  children,
}: {
  readonly title: string
  readonly children?: ComponentChildren
}) {
  return (
    <div class="nothing">
      <p class="nothing-title">{title}</p>
      {children}
    </div>
  )
}

const TITLES: Readonly<Record<string, string>> = {
  embedder_unavailable: 'Keyword matches only: the embedding model does not answer',
  llm_unavailable: 'The language model does not answer',
  llm_cut: 'The answer is not whole',
  vectors_off: 'Keyword matches only: semantic search is switched off',
  reranker_unavailable: 'Ranked without the reranker, which does not answer',
  partly_embedded: 'Some records have no vectors yet; only keywords find them',
}

/** Unknown words are not a fault of the file, so the note is quiet. */
export function Degraded({ degraded }: { readonly degraded: Degradation | null }) {
  if (degraded === null) return null
  if (degraded.reason === 'no_known_word') return <p class="note">{degraded.message}</p>
  return (
    <div class="degraded" role="status">
      <Icon name="warning" />
      <div>
        <p class="degraded-what">
          {TITLES[degraded.reason] ?? 'A part of this answer could not be made'}
        </p>
        <p class="quiet">
          <Prose text={degraded.message} />
        </p>
      </div>
    </div>
  )
}

/** What is loaded, once it is there; until then what a person should see instead. */
export function Shown<T>({
  loaded,
  lines = 3,
  children,
}: {
  readonly loaded: Loaded<T>
  readonly lines?: number
  readonly children: (data: T) => ComponentChildren
}) {
  const { data, failure, isSlow, reload } = loaded
  return (
    <>
      {failure !== null && <Trouble failure={failure} retry={reload} />}
      {data === null ? isSlow && <Waiting lines={lines} /> : children(data)}
    </>
  )
}
