/** The answer of the language model: its sentences with links to their sources, and what is wrong with them. */

import type { AskPassage, AskProblem, AskSentence } from '../../../src/core/answer.js'
import { recordAddress } from '../state/addresses.js'
import { type Answering, asked, languageModel, useAnswer } from '../state/asked.js'
import type { SearchChoices } from '../state/search-address.js'
import { IconButton } from './button.js'
import { counted } from './numbers.js'
import { Degraded, Trouble } from './states.js'

const PROBLEMS: Readonly<Record<AskProblem, string>> = {
  no_source: 'no source',
  unknown_source: 'cites a source that was not given',
  not_in_source: 'not in the source that it cites',
}

export function AnswerPanel({ choices }: { readonly choices: SearchChoices }) {
  const answering = useAnswer(choices)
  const { sentences, answer, failure, rewordings } = answering
  const passages = answer?.passages ?? answering.passages ?? []
  const isUnsupported = answer !== null && answer.degraded === null && !answer.supported
  return (
    <section class="answer" aria-label="Answer">
      <header>
        <h2>Answer</h2>
        <span class="quiet">{languageModel.value}</span>
        <IconButton
          icon="close"
          label="Close the answer"
          onClick={() => {
            asked.value = null
          }}
        />
      </header>
      <div aria-live="polite">
        {sentences.length > 0 && (
          <p class="answer-text">
            {sentences.map((sentence, i) => (
              <Sentence key={`${i} ${sentence.text}`} sentence={sentence} passages={passages} />
            ))}
          </p>
        )}
        {isUnsupported && <p class="answer-none">Not in your library.</p>}
        {answer === null && failure === null && <p class="quiet">{describeStep(answering)}</p>}
      </div>
      {failure !== null && <Trouble failure={failure} retry={null} />}
      <Degraded degraded={answer?.degraded ?? null} />
      {answer !== null && <Sources passages={answer.citations} />}
      {rewordings !== null && rewordings.length > 0 && (
        <p class="quiet">Also searched: {rewordings.map(({ query }) => query).join(' · ')}</p>
      )}
    </section>
  )
}

function describeStep({ passages, sentences }: Answering): string {
  if (passages === null) return 'Searching…'
  return sentences.length > 0 ? '…' : `Reading ${counted(passages.length, 'passage')}…`
}

/** Text as it is: whatever a model writes becomes no markup. The numbers in brackets are links. */
function Sentence({
  sentence: { text, problem },
  passages,
}: {
  readonly sentence: AskSentence
  readonly passages: readonly AskPassage[]
}) {
  const pieces = text.split(/(\d+(?=[\d, ]*\]))/)
  return (
    <span class={problem === null ? 'sentence' : 'sentence has-problem'}>
      <bdi>
        {pieces.map((piece, i) => {
          const source = passages.find(({ number }) => i % 2 === 1 && String(number) === piece)
          const key = `${i} ${piece}`
          return source === undefined ? (
            <span key={key}>{piece}</span>
          ) : (
            <a key={key} href={recordAddress(source.id)}>
              {piece}
            </a>
          )
        })}
      </bdi>
      {problem !== null && <mark class="problem">{PROBLEMS[problem]}</mark>}{' '}
    </span>
  )
}

function Sources({ passages }: { readonly passages: readonly AskPassage[] }) {
  if (passages.length === 0) return null
  return (
    <ol class="sources" aria-label="Sources">
      {passages.map(({ number, id, title, text }) => (
        <li key={id} value={number}>
          <a href={recordAddress(id)}>
            <bdi>{title ?? text.slice(0, 80)}</bdi>
          </a>
          {title !== null && (
            <span class="quiet">
              {' '}
              <bdi>{text.slice(0, 120)}</bdi>
            </span>
          )}
        </li>
      ))}
    </ol>
  )
}
