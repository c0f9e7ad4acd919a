/** Statistics of the file as plots and tables. */

import type { Overview } from '../../../src/core/answer.js'
import { KINDS, type Kind, SECTORS } from '../../../src/core/record.js'
import { type Answer, readModels, readOverview, readStats } from '../api/client.js'
import { Block, Detail } from '../parts/block.js'
import { type Column, Columns } from '../parts/columns.js'
import { KIND_NAMES } from '../parts/names.js'
import { bytes, count, counted, percent } from '../parts/numbers.js'
import { stretchesBetween } from '../parts/plot.js'
import { Shares } from '../parts/shares.js'
import { Shown } from '../parts/states.js'
import { View } from '../parts/view.js'
import { useLoad } from '../state/load.js'

type All = {
  readonly stats: Answer<'stats'>
  readonly overview: Overview
  readonly models: Answer<'models'>
}

export function StatisticsView() {
  const loaded = useLoad<All>('statistics', async (signal) => {
    const [stats, overview, models] = await Promise.all([
      readStats(signal),
      readOverview(signal),
      readModels(signal),
    ])
    return { stats, overview, models }
  })
  return (
    <View title="Statistics" class="statistics-view">
      <Shown loaded={loaded} lines={8}>
        {({ stats, overview, models }) => (
          <>
            <Figures stats={stats} />
            <div class="plots">
              <Columns
                title={`Records by ${overview.by}`}
                axis={overview.by[0]?.toUpperCase() + overview.by.slice(1)}
                columns={overTime(overview)}
                legend={KIND_LEGEND}
              />
              <Columns title="Salience now" columns={salience(overview)} axis="Salience" />
              <Shares
                title="Kinds"
                shares={KINDS.map((kind) => ({
                  name: KIND_NAMES[kind],
                  tone: kind,
                  value: overview.kinds[kind],
                }))}
              />
              <Shares
                title="Sectors of memory"
                isExplained
                shares={SECTORS.map((sector) => ({
                  name: sector,
                  tone: 'accent',
                  value: overview.sectors[sector],
                }))}
              />
              <Coverage overview={overview} models={models} />
              <Recalls overview={overview} />
              <Shares title="Projects" shares={largest(stats.namespaces)} />
              <Shares title="Most used tags" shares={largest(stats.tags)} />
            </div>
          </>
        )}
      </Shown>
    </View>
  )
}

const KIND_LEGEND = KINDS.map((kind) => ({ tone: kind, name: KIND_NAMES[kind] }))

function Figures({ stats }: { readonly stats: Answer<'stats'> }) {
  const records = KINDS.reduce((sum, kind) => sum + stats.records[kind], 0)
  // A server that is pinned to a namespace does not tell what it counts for the whole file.
  const { terms, bytes: size } = stats
  const figures: readonly (readonly [name: string, value: string])[] = [
    ['records', count(records)],
    ['passages', count(stats.chunks)],
    ...(terms === null ? [] : [['distinct words', count(terms)] as const]),
    ['superseded', count(stats.superseded)],
    ['deleted', count(stats.deleted)],
    ...(size === null ? [] : [['on disk', bytes(size)] as const]),
  ]
  return (
    <dl class="figures">
      {figures.map(([name, value]) => (
        <Detail key={name} name={name}>
          {value}
        </Detail>
      ))}
    </dl>
  )
}

const MOST_STRETCHES = 48

function overTime({ overTime: counts, by }: Overview): Column[] {
  const [first, last] = [counts[0]?.at, counts.at(-1)?.at]
  if (first === undefined || last === undefined) return []
  return stretchesBetween(first, last, by, MOST_STRETCHES).map((at) => ({
    name: at,
    parts: KINDS.map((kind: Kind) => ({
      tone: kind,
      value: counts
        .filter((one) => one.at === at && one.kind === kind)
        .reduce((sum, one) => sum + one.count, 0),
    })),
  }))
}

const salience = ({ salience: counts }: Overview): Column[] =>
  counts.map((value, i) => ({
    name: `${(i / 10).toFixed(1)}–${((i + 1) / 10).toFixed(1)}`,
    short: (i / 10).toFixed(1),
    parts: [{ tone: 'accent', value }],
  }))

function Coverage({
  overview: { coverage },
  models,
}: {
  readonly overview: Overview
  readonly models: Answer<'models'>
}) {
  const all = coverage.withVectors + coverage.waiting
  const share = coverage.withVectors / all
  return (
    <Block title="Semantic search" class="card coverage">
      {all === 0 ? (
        <p class="quiet">There are no records yet.</p>
      ) : (
        <>
          <p class="coverage-share">
            <meter value={share} min={0} max={1} aria-label="Share of records with embeddings" />
            <strong>{percent(share)}</strong>
          </p>
          <p class="quiet">
            {counted(coverage.withVectors, 'record')} can be found by meaning
            {coverage.waiting > 0 && (
              <>
                ; {count(coverage.waiting)} wait for <code>cairn embed</code>
              </>
            )}
            .
          </p>
        </>
      )}
      <ul class="models">
        {models.models.map(({ id, state, vectors, coverage: read }) => (
          <li key={id}>
            <code>{id}</code> <span class="label">{state}</span>
            <span class="quiet">
              {counted(vectors, 'vector')}
              {vectors > 0 && `, ${percent(read)} of the records`}
            </span>
          </li>
        ))}
      </ul>
    </Block>
  )
}

function Recalls({ overview: { recalls } }: { readonly overview: Overview }) {
  const [first, last] = [recalls[0]?.day, recalls.at(-1)?.day]
  if (first === undefined || last === undefined) {
    return (
      <Block title="Recalls" class="card">
        <p class="quiet">
          Nothing was recalled in the last year. Searches of an agent are counted here, and those
          with <code>--recall</code>.
        </p>
      </Block>
    )
  }
  const countOf = new Map(recalls.map((one) => [one.day, one.count]))
  const columns = stretchesBetween(first, last, 'day', MOST_STRETCHES).map((day) => ({
    name: day.slice(5),
    parts: [{ tone: 'accent', value: countOf.get(day) ?? 0 }],
  }))
  return <Columns title="Recalls by day" columns={columns} axis="Day" />
}

const LARGEST = 10

const largest = (counts: Readonly<Record<string, number>>) =>
  Object.entries(counts)
    .sort(([, a], [, b]) => b - a)
    .slice(0, LARGEST)
    .map(([name, value]) => ({ name, tone: 'accent', value }))
