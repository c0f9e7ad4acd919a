/** Commands that find records: search, similar, timeline, and the lenses of a search. */

import type { Cairn } from '../../cairn/cairn.js'
import type { LensShown } from '../../cairn/lenses.js'
import type { TimelineEntry } from '../../cairn/timeline.js'
import type { Configuration } from '../../config/configuration.js'
import { type Hit, type Identity, isRanked } from '../../core/answer.js'
import { badInput } from '../../core/errors.js'
import type { OperationInput } from '../../operations/operations.js'
import type { CommandActions } from '../operation-command.js'
import { formatClock, formatDay } from '../render/dates.js'
import { renderAnswer, renderHits } from '../render/hits.js'
import { alignRows, indentParagraph, renderNext, wrap } from '../render/layout.js'
import { cut, oneLine, padTo, type Style } from '../render/style.js'
import { shortIds, withKnownSessions } from '../resolve-ids.js'
import { SCREEN_LIMIT } from '../tables/records.js'

export const ACTIONS: CommandActions = {
  search: {
    resolve: async (input, cairn, { configuration, flags }) => ({
      ...(await withKnownSessions(input, cairn)),
      ...(await chooseLimit(input, cairn, configuration())),
      // A screen has marks of its own.
      ...(flags.json !== true && { marks: false }),
    }),
    render: async (answer, { cairn, style, flags }) => {
      if (flags.files === true) return renderFiles(cairn, answer.hits)
      if (typeof flags.fields === 'string') return renderFields(answer.hits, flags.fields)
      return renderAnswer(answer, {
        short: await shortIds(cairn, answer.hits.flatMap(listSuccessor)),
        style,
        isLong: flags.long === true,
        isQuiet: flags.quiet === true,
      })
    },
  },
  similar: {
    resolve: withKnownSessions,
    render: async ({ hits }, { cairn, style }) => {
      if (hits.length === 0) return 'nothing is similar to it\n'
      return renderHits(hits, {
        short: await shortIds(cairn, hits.flatMap(listSuccessor)),
        style,
      })
    },
  },
  /** Downwards, with a heading for each day and each session. */
  timeline: async ({ entries, next }, { cairn, style }) => {
    if (entries.length === 0) return 'nothing happened then\n'
    const short = await shortIds(cairn, entries)
    const width = Math.max(...entries.map(({ id }) => short(id).length))
    const lines = entries.flatMap((entry, i) => [
      ...renderHeadings(entry, entries[i - 1], style),
      renderEntry(entry, padTo(short(entry.id), width), style),
    ])
    return `${lines.join('\n')}\n${renderNext(next, style)}`
  },
  'lens.list': ({ lenses }, { style }) => {
    const renderRows = (isBuiltIn: boolean): string => {
      const rows = lenses
        .filter((lens) => lens.isBuiltIn === isBuiltIn)
        .map(({ name, sentence, options }) => {
          const parts = Object.entries(options).map(
            ([key, one]) => `${key} ${formatOption(key, one)}`,
          )
          return { cells: [name], text: sentence ?? parts.join(', ') }
        })
      return alignRows(rows, style, '  ')
    }
    const saved = renderRows(false)
    return `built in\n${renderRows(true)}${saved === '' ? '' : `\nsaved\n${saved}`}`
  },
  'lens.save': {
    resolve: async (input, cairn) => ({
      ...input,
      options: await withKnownSessions(input.options ?? {}, cairn),
    }),
    render: (lens, { style }) => `${style.good('saved')} ${renderLens(lens, style)}`,
  },
  'lens.show': (lens, { style }) => renderLens(lens, style),
  'lens.remove': ({ removed }) => `removed the lens ${removed}\n`,
}

/** Each file once, as it can be opened from anywhere. */
async function renderFiles(cairn: Cairn, hits: readonly Hit[]): Promise<string> {
  const found = await Promise.all(hits.map(({ id }) => cairn.findFile(id)))
  const paths = found.flatMap((file) => (file === null ? [] : [file.path]))
  return [...new Set(paths)].map((path) => `${path}\n`).join('')
}

/** A line a hit, with tabs between the fields. */
function renderFields(hits: readonly Hit[], names: string): string {
  const wanted = names.split(',').map((name) => name.trim())
  const rows = hits.map((hit) => {
    const { id, title, kind, record, snippet, identity } = hit
    const score = isRanked(hit) ? hit.score.toFixed(4) : null
    const { namespace, tags, source, createdAt, occurredAt } = record
    const own = { namespace, tags, source, createdAt, occurredAt, snippet: snippet?.text }
    return { id, title, score, kind, ...own, ...NO_IDENTITY, ...identity }
  })
  const known = Object.keys(rows[0] ?? {})
  const wrong = wanted.find((name) => rows.length > 0 && !known.includes(name))
  if (wrong !== undefined) {
    throw badInput(`A hit has no field "${wrong}".`, `It has ${known.join(', ')}.`)
  }
  const toText = (value: unknown): string => oneLine([value ?? ''].flat().join(', '))
  return rows
    .map((row) => {
      const values = new Map<string, unknown>(Object.entries(row))
      return `${wanted.map((name) => toText(values.get(name))).join('\t')}\n`
    })
    .join('')
}

const NO_IDENTITY: { readonly [K in keyof Required<Identity>]: null } = {
  authors: null,
  venue: null,
  year: null,
  key: null,
  doi: null,
  path: null,
  line: null,
  heading: null,
  speaker: null,
  conversation: null,
}

/** The flag, else the lens, else the configuration, else what fits on a screen. */
async function chooseLimit(
  { limit, lens: named }: OperationInput<'search'>,
  cairn: Cairn,
  { getGiven }: Configuration,
) {
  if (limit !== undefined) return { limit }
  if (getGiven('search.limit') !== undefined) return {}
  const lens = named ?? getGiven('search.lens')
  const options = lens === undefined ? {} : (await cairn.lenses.show(lens)).options
  return options.limit === undefined ? { limit: SCREEN_LIMIT } : {}
}

function listSuccessor({ id, supersededBy }: Hit) {
  return supersededBy === null ? [{ id }] : [{ id }, supersededBy]
}

function renderHeadings(
  { time, session }: TimelineEntry,
  before: TimelineEntry | undefined,
  style: Style,
): string[] {
  const day = formatDay(time, style.now)
  const isNewDay = before === undefined || formatDay(before.time, style.now) !== day
  const isNewSession = session !== null && (isNewDay || before.session !== session)
  return [
    ...(isNewDay ? [style.bold(day)] : []),
    ...(isNewSession ? [style.dim(`  in ${oneLine(session)}`)] : []),
  ]
}

function renderEntry(entry: TimelineEntry, id: string, style: Style): string {
  const data = `${formatClock(entry.time)}  ${id}`
  const marks = [
    ...(entry.kind === 'memory' ? [] : [entry.kind]),
    ...(entry.isSuperseded ? ['superseded'] : []),
  ]
  const author = entry.author === null ? '' : ` by ${oneLine(entry.author)}`
  const kind = `${marks.length === 0 ? '' : ` (${marks.join(', ')})`}${author}`
  const room = Math.max(30, style.columns - data.length - 4 - kind.length)
  const text = cut(oneLine(entry.summary), room)
  const mark = entry.isAnchor ? style.good('▸') : ' '
  return `${mark} ${style.dim(data)}  ${entry.isAnchor ? style.bold(text) : text}${style.dim(kind)}`
}

function renderLens({ name, sentence, options }: LensShown, style: Style): string {
  const about =
    sentence === null ? '' : `${indentParagraph(oneLine(sentence), style.columns, '  ')}\n`
  const set = Object.entries(options).filter(([, value]) => value !== null)
  const width = Math.max(0, ...set.map(([key]) => key.length))
  const lines = set.flatMap(([key, value]) =>
    wrap(formatOption(key, value), style.columns - width - 4).map(
      (line, i) => `  ${style.dim(padTo(i === 0 ? key : '', width))}  ${line}\n`,
    ),
  )
  return `${style.bold(oneLine(name))}\n${about}${lines.join('')}`
}

/** A boost as `--boost` takes it, anything else as data without its quotes. */
function formatOption(name: string, value: unknown): string {
  if (name !== 'boosts' || !Array.isArray(value)) return formatValue(value)
  return value.map((boost) => `${boost.field}:${oneLine(boost.value)}=${boost.factor}`).join(', ')
}

function formatValue(value: unknown): string {
  if (Array.isArray(value)) return value.map(formatValue).join(', ')
  if (typeof value !== 'object' || value === null) return oneLine(String(value))
  return Object.entries(value)
    .filter(([, part]) => part !== null)
    .map(([name, part]) => {
      const text = formatValue(part)
      return typeof part === 'object' ? `${name} (${text})` : `${name} ${text}`
    })
    .join(', ')
}
