/** The citation graph, with the same works as a list. */

import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { type Answer, explore } from '../api/client.js'
import { toGraph } from '../graph/model.js'
import { Scene } from '../graph/scene.js'
import { Marked } from '../parts/marked.js'
import { counted } from '../parts/numbers.js'
import { Degraded, Nothing, Shown } from '../parts/states.js'
import { recordAddress } from '../state/addresses.js'
import { useLoad } from '../state/load.js'
import { go, here } from '../state/router.js'
import { theme } from '../state/theme.js'
import { useTitle } from '../state/title.js'
import { Beginnings, type GraphChoices, GraphControls, readChoices } from './graph-start.js'

export function GraphView() {
  const choices = readChoices(here.value.params)
  useTitle('Citations')
  return (
    <div class="graph-view">
      <div class="view-head">
        <h1>Citations</h1>
        <GraphControls key={choices.from} choices={choices} />
      </div>
      {choices.from === '' ? <Beginnings /> : <Explored choices={choices} />}
    </div>
  )
}

function Explored({ choices: { from, depth, max } }: { readonly choices: GraphChoices }) {
  const loaded = useLoad(`explore ${depth} ${max} ${from}`, (signal) =>
    explore({ from, depth, maxWorks: max }, signal),
  )
  return (
    <Shown loaded={loaded} lines={6}>
      {(answer) =>
        answer.nodes.length === 0 ? (
          <Nothing title="No work was found to begin from.">
            <p>Try other words, a DOI or a citation key.</p>
          </Nothing>
        ) : (
          <Picture answer={answer} />
        )
      }
    </Shown>
  )
}

const ENDED: Readonly<Record<Answer<'explore'>['endedBy'], string>> = {
  depth: 'as far as the hops go',
  cap: 'more were found than are shown',
  exhausted: 'nothing more leads on',
}

function Picture({ answer }: { readonly answer: Answer<'explore'> }) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const [scene, setScene] = useState<Scene | null>(null)
  const [lit, setLit] = useState<string | null>(null)
  const graph = useMemo(() => toGraph(answer), [answer])
  useEffect(() => {
    if (canvas.current === null) return
    const made = new Scene({
      canvas: canvas.current,
      ...graph,
      onOpen: (id) => go(recordAddress(id)),
      onLight: setLit,
    })
    setScene(made)
    return () => made.close()
  }, [graph])
  const shownTheme = theme.value
  useEffect(() => scene?.recolour(), [shownTheme, scene])
  const summary = `${counted(graph.nodes.length, 'work')} and ${counted(graph.edges.length, 'citation')}`
  return (
    <>
      <p class="graph-summary">
        <strong>{summary}</strong>
        <span class="quiet">
          , {ENDED[answer.endedBy]}
          {answer.leftOut > 0 && `: ${answer.leftOut} left out`}
        </span>
      </p>
      <Degraded degraded={answer.degraded} />
      <div class="graph-columns">
        <div class="graph-frame">
          <canvas
            ref={canvas}
            role="img"
            aria-label={`A graph of ${summary}. The list of works has the same.`}
          />
          <Tools scene={scene} />
          <Legend />
        </div>
        <NodeList
          answer={answer}
          lit={lit}
          onLight={(id) => {
            setLit(id)
            scene?.light(id)
          }}
        />
      </div>
    </>
  )
}

function Tools({ scene }: { readonly scene: Scene | null }) {
  return (
    <div class="graph-tools">
      <button type="button" class="button button-small" onClick={() => scene?.zoom(1.4)}>
        <span aria-hidden="true">+</span>
        <span class="visually-hidden">Nearer</span>
      </button>
      <button type="button" class="button button-small" onClick={() => scene?.zoom(1 / 1.4)}>
        <span aria-hidden="true">−</span>
        <span class="visually-hidden">Farther</span>
      </button>
      <button type="button" class="button button-small" onClick={() => scene?.showAll()}>
        All
      </button>
    </div>
  )
}

function Legend() {
  return (
    <ul class="graph-legend">
      {['start', 'one hop', 'farther'].map((name, hop) => (
        <li key={name}>
          <i class={`hop-${hop}`} /> {name}
        </li>
      ))}
    </ul>
  )
}

/** The same works for the keyboard and for those who do not see the picture. */
function NodeList({
  answer,
  lit,
  onLight,
}: {
  readonly answer: Answer<'explore'>
  readonly lit: string | null
  readonly onLight: (id: string | null) => void
}) {
  return (
    <section class="graph-list" aria-label="Works">
      <ol>
        {answer.nodes.map(({ id, title, year, hop, score }) => (
          <li key={id}>
            <a
              href={recordAddress(id)}
              class={id === lit ? 'is-lit' : undefined}
              onFocus={() => onLight(id)}
              onBlur={() => onLight(null)}
              onMouseEnter={() => onLight(id)}
              onMouseLeave={() => onLight(null)}
            >
              <i class={`hop-${Math.min(hop, 2)}`} aria-hidden="true" />
              <span class="graph-list-name" dir="auto">
                <Marked text={title ?? id} />
              </span>
              <span class="quiet">
                {[year, hop === 0 ? 'start' : counted(hop, 'hop'), score.toFixed(2)]
                  .filter((part) => part !== null)
                  .join(' · ')}
              </span>
            </a>
          </li>
        ))}
      </ol>
    </section>
  )
}
