/** The graph of works: citations, or nearness in meaning where none are stored; the same works as a list. */

import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { type Answer, explore, findNearWorks } from '../api/client.js'
import { toGraph } from '../graph/model.js'
import { Scene } from '../graph/scene.js'
import { Button } from '../parts/button.js'
import { Icon } from '../parts/icon.js'
import { Marked } from '../parts/marked.js'
import { counted } from '../parts/numbers.js'
import { Degraded, Nothing, Shown } from '../parts/states.js'
import { View } from '../parts/view.js'
import { recordAddress } from '../state/addresses.js'
import { useLoad } from '../state/load.js'
import { go, here } from '../state/router.js'
import { theme } from '../state/theme.js'
import { Beginnings, type GraphChoices, GraphControls, readChoices } from './graph-start.js'

export function GraphView() {
  const choices = readChoices(here.value.params)
  return (
    <View
      title="Graph"
      class="graph-view"
      controls={<GraphControls key={choices.from} choices={choices} />}
    >
      {choices.from === '' ? <Beginnings /> : <Explored choices={choices} />}
    </View>
  )
}

function Explored({ choices: { from, depth, max } }: { readonly choices: GraphChoices }) {
  const [isOnline, setOnline] = useState(false)
  const loaded = useLoad(`explore ${depth} ${max} ${isOnline} ${from}`, async (signal) => {
    const found = await explore({ from, depth, maxWorks: max, online: isOnline }, signal)
    return found.edges.length > 0 || found.nodes.length === 0 ? found : findNear(found, signal)
  })
  return (
    <Shown loaded={loaded} lines={6}>
      {(answer) =>
        answer.nodes.length === 0 ? (
          <Nothing title="No work was found to start from.">
            <p>Try other words, a DOI or a citation key.</p>
          </Nothing>
        ) : (
          <Picture answer={answer} onFetch={isOnline ? null : () => setOnline(true)} />
        )
      }
    </Shown>
  )
}

/** `isNear`: an edge joins works that are near in meaning, because no citation is stored. */
type Explored = Answer<'explore'> & { readonly isNear?: boolean }

const NEAR_STARTS = 8
const NEAR_EACH = 8

/** Each work of the start with the works nearest to it, and some of those with theirs. */
async function findNear(found: Explored, signal: AbortSignal): Promise<Explored> {
  const nodes = new Map(found.nodes.map((node) => [node.id, node]))
  const edges = new Map<string, { from: string; to: string }>()
  const lookAround = async (id: string, hop: number): Promise<void> => {
    const near = await findNearWorks(id, NEAR_EACH, signal).catch(() => null)
    for (const { id: other, title, identity, similarity } of near?.hits ?? []) {
      const key = [id, other].sort().join(' ')
      edges.set(key, { from: id, to: other })
      const relevance = similarity ?? 0
      const node = {
        id: other,
        title,
        year: identity.year ?? null,
        relevance,
        score: relevance,
      }
      if (!nodes.has(other)) nodes.set(other, { ...node, hop, via: null })
    }
  }
  const starts = found.nodes.slice(0, NEAR_STARTS).map(({ id }) => id)
  await Promise.all(starts.map((id) => lookAround(id, 1)))
  if (starts.length === 1) {
    const next = [...nodes.keys()].slice(1)
    await Promise.all(next.map((id) => lookAround(id, 2)))
  }
  return {
    ...found,
    isNear: edges.size > 0,
    nodes: [...nodes.values()],
    edges: [...edges.values()],
  }
}

function describeEnd({ endedBy, leftOut, isNear = false }: Explored): string {
  if (isNear) return 'No citation of them is stored: lines join works that are near in meaning.'
  if (endedBy === 'cap') {
    return `${counted(leftOut, 'more work')} ${leftOut === 1 ? 'was' : 'were'} found than are shown.`
  }
  return endedBy === 'depth'
    ? 'There may be more at a greater distance.'
    : 'These are all that are stored.'
}

function Picture({
  answer,
  onFetch,
}: {
  readonly answer: Explored
  readonly onFetch: (() => void) | null
}) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const [scene, setScene] = useState<Scene | null>(null)
  const [lit, setLit] = useState<string | null>(null)
  const graph = useMemo(() => toGraph(answer), [answer])
  useEffect(() => {
    if (canvas.current === null) return
    const made = new Scene({
      canvas: canvas.current,
      ...graph,
      isDirected: answer.isNear !== true,
      onOpen: (id) => go(recordAddress(id)),
      onLight: setLit,
    })
    setScene(made)
    return () => made.close()
  }, [graph])
  const shownTheme = theme.value
  useEffect(() => scene?.recolour(), [shownTheme, scene])
  const { isNear = false } = answer
  const lines = isNear ? 'line' : 'citation'
  const summary = `${counted(graph.nodes.length, 'work')} and ${counted(graph.edges.length, lines)}`
  return (
    <>
      <p class="graph-summary">
        <strong>{summary}.</strong> <span class="quiet">{describeEnd(answer)}</span>
        {onFetch !== null && (
          <Button class="button-small" onClick={onFetch}>
            <Icon name="download" size={14} /> Fetch citations from OpenAlex
          </Button>
        )}
      </p>
      <Degraded degraded={answer.degraded} />
      <div class="graph-columns">
        <div class="graph-frame">
          <canvas
            ref={canvas}
            role="img"
            aria-label={`A graph of ${summary}. The list of works beside it shows the same.`}
          />
          <Tools scene={scene} />
          <Legend isNear={isNear} />
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
      <Button class="button-small" onClick={() => scene?.zoom(1.4)}>
        <span aria-hidden="true">+</span>
        <span class="visually-hidden">Zoom in</span>
      </Button>
      <Button class="button-small" onClick={() => scene?.zoom(1 / 1.4)}>
        <span aria-hidden="true">−</span>
        <span class="visually-hidden">Zoom out</span>
      </Button>
      <Button class="button-small" onClick={() => scene?.showAll()}>
        Show all
      </Button>
    </div>
  )
}

function Legend({ isNear }: { readonly isNear: boolean }) {
  return (
    <div class="graph-legend">
      <p>
        <b>Colour:</b>{' '}
        {['where you started', 'one step away', 'farther'].map((name, hop) => (
          <span key={name}>
            <i class={`hop-${hop}`} /> {name}{' '}
          </span>
        ))}
      </p>
      <p>
        <b>Size:</b> {isNear ? 'how many near works it has here' : 'how many citations it has here'}
        {!isNear && '; an arrow points to the cited work'}
      </p>
    </div>
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
                {[year, hop === 0 ? 'start' : counted(hop, 'step'), score.toFixed(2)]
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
