/** Commands on the whole file: stats, overview, models, embed, backup, tokens, optimize and doctor. */

import { resolve } from 'node:path'
import type { CopyReport } from '../../cairn/copy.js'
import type { ModelsAnswer } from '../../cairn/models.js'
import type { TokenShown } from '../../cairn/tokens.js'
import { isDatabaseUrl } from '../../core/database-url.js'
import { badInput } from '../../core/errors.js'
import { performNamed } from '../../operations/operations.js'
import { readModel } from '../open.js'
import type { CommandActions } from '../operation-command.js'
import { formatAge } from '../render/dates.js'
import { alignCells, joinFitting, type NamedRow, nameRows } from '../render/layout.js'
import { withProgress } from '../render/progress.js'
import {
  formatBytes,
  formatCount,
  formatCounts,
  listCounts,
  oneLine,
  type Style,
} from '../render/style.js'

const BAR_COLUMNS = 40
const MODEL_STATES = { active: 'active', building: 'being built', idle: 'replaced' } as const
const CHECKS: Readonly<Record<string, string>> = {
  format: 'the format is this program’s',
  pages: 'every page of the file is sound',
  indexes: 'every index of the database is complete',
  foreignKeys: 'every reference to a record leads to one',
  fts: 'the full-text index matches the records',
  past: 'earlier versions can be searched',
  counts: 'every live record is indexed, and nothing else',
  vectors: 'every vector is the one that was stored',
  model: 'the bundled model makes the vectors that are stored',
  rows: 'every value is one that Cairn writes',
  tags: 'every tag can be filtered by',
  hashes: 'every text can be told from the others',
}

export const ACTIONS: CommandActions = {
  stats: {
    prepare: async () => ({ sizes: true }),
    render: ({ sizes, superseded, waiting, newestAt, ...stats }, { style }) => {
      const parts = Object.entries(sizes?.parts ?? {})
        .filter(([, bytes]) => bytes > 0)
        .sort(([, a], [, b]) => b - a)
        .map(([name, bytes]) => {
          return `${name === 'fullText' ? 'full-text index' : name} ${formatBytes(bytes)}`
        })
      const { wal = 0, free = 0 } = sizes ?? {}
      const rows: readonly NamedRow[] = [
        [
          'file',
          stats.bytes === null
            ? `format ${stats.format}`
            : `${stats.file} (${formatBytes(stats.bytes)}, format ${stats.format})`,
        ],
        ['records', formatCounts(stats.records)],
        ['deleted', String(stats.deleted)],
        ['superseded', superseded],
        ['namespaces', fitCounts(stats.namespaces, style)],
        ['tags', fitCounts(stats.tags, style)],
        ['terms', stats.terms],
        ['vectors', formatCounts(stats.vectors)],
        ['waiting', waiting === 0 ? '' : `${waiting} records have no vectors yet: cairn embed`],
        ['log', wal === 0 ? '' : `${formatBytes(wal)} not yet moved into the file`],
        ['free', free === 0 ? '' : `${formatBytes(free)}: cairn optimize --vacuum`],
        ['sizes', parts.join(' · ')],
        ['newest', newestAt && formatAge(newestAt, style.now)],
      ]
      return nameRows(rows, style, 'superseded'.length)
    },
  },
  overview: ({ overTime, salience, coverage, kinds, sectors, by, recalls }, { style }) => {
    const { withVectors, waiting } = coverage
    const times = new Map<string, number>()
    for (const { at, count } of overTime) times.set(at, (times.get(at) ?? 0) + count)
    const head: readonly NamedRow[] = [
      ['kinds', formatCounts(kinds)],
      ['sectors', formatCounts(sectors)],
      ['vectors', waiting === 0 ? '' : `${withVectors}, and ${waiting} records wait for theirs`],
    ]
    const bySalience = salience.map((count, i) => [`${i / 10}`, count] as const)
    const byDay = recalls.map(({ day, count }) => [day, count] as const)
    return [
      nameRows(head, style),
      renderBars(`records by ${by}`, [...times], style),
      renderBars('by salience', bySalience, style),
      renderBars('recalled by day', byDay, style),
    ].join('')
  },
  models: {
    run: async ({ flags: { remove }, open }) => {
      const cairn = await open()
      const answer = await (typeof remove === 'string'
        ? performNamed('models.remove', cairn, { id: remove })
        : performNamed('models', cairn, {}))
      return { json: answer, text: (style) => renderModels(answer, style) }
    },
  },
  embed: {
    run: async ({ flags, open, cli }) => {
      const config = readModel(flags)
      const cairn = await open()
      // Only the owner of the machine may name another model: it has folders and addresses.
      const answer = await withProgress(cli, 'records', (onProgress) =>
        config === null
          ? performNamed('embed', cairn, {}, { onProgress })
          : cairn.embed(config, onProgress),
      )
      return { json: answer, text: (style) => renderModels(answer, style) }
    },
  },
  backup: {
    unit: 'pages',
    render: ({ bytes, file, removed }, { style }) => {
      const older = removed.length === 0 ? '' : `, and removed ${removed.length} older`
      return `${style.good('copied')} ${formatBytes(bytes)} to ${file}${older}\n`
    },
  },
  copy: {
    prepare: async (input, { flags, cli }) => {
      if (flags.from !== undefined && flags.db !== undefined) {
        throw badInput('Both --from and --db were given.', 'Give one of them.')
      }
      const isPath = typeof input.to === 'string' && !isDatabaseUrl(input.to)
      return isPath ? { ...input, to: resolve(cli.folder, input.to) } : input
    },
    unit: 'records',
    render: (report, { style }) => renderCopy(report, style),
  },
  'token.add': ({ token, ...shown }, { style }) =>
    `${style.good('added')} ${oneLine(describeToken(shown, style).join(' · '))}\n${token}\n` +
    style.dim('It is shown this once. Clients send it as "Authorization: Bearer TOKEN".\n'),
  'token.list': ({ tokens }, { style }) =>
    tokens.length === 0
      ? 'there are no tokens; `cairn token add NAME` makes one\n'
      : `${alignCells(tokens.map((token) => describeToken(token, style))).join('\n')}\n`,
  'token.revoke': ({ revoked }, { style }) => `${style.good('revoked')} ${revoked}\n`,
  optimize: ({ bytesBefore, bytesAfter }, { style }) =>
    `${style.good('optimized')} ${formatBytes(bytesBefore)} → ${formatBytes(bytesAfter)}\n`,
  doctor: {
    render: ({ checks, repaired, models }, { style }) => {
      const lines = checks.map((check) => {
        const mark = check.ok ? style.good('ok  ') : style.bad('bad ')
        const about = check.ok ? style.dim(CHECKS[check.name] ?? '') : check.detail
        return `${mark} ${check.name.padEnd(11)}  ${about}\n`
      })
      const probes = models.map(({ role, id, answers, detail, tookMs }) => {
        const about = `${oneLine(id)} ${answers ? `answers (${tookMs.toFixed(1)} ms)` : `does not answer: ${oneLine(detail)}`}`
        const mark = answers ? style.good('ok  ') : style.bad('no  ')
        return `${mark} ${role.padEnd(11)}  ${answers ? style.dim(about) : about}\n`
      })
      return [repaired ? 'the index was rebuilt\n' : '', ...lines, ...probes].join('')
    },
    problem: ({ ok, checks, repaired }) => {
      if (ok) return ''
      const isModelAlone = checks.every((check) => check.ok || check.name === 'model')
      if (isModelAlone)
        return '`cairn embed --model static` makes new vectors with the bundled model.'
      return repaired
        ? 'The file is damaged beyond its index; restore a copy.'
        : '`cairn doctor --repair` rebuilds the index.'
    },
  },
}

function describeToken({ name, role, namespaces, ...token }: TokenShown, { now }: Style): string[] {
  const { expiresAt, hasExpired, usedAt } = token
  const end = expiresAt === null ? '' : ` ${expiresAt.slice(0, 10)}`
  return [
    name,
    role,
    namespaces === null ? 'all namespaces' : namespaces.join(', '),
    end === '' ? 'never expires' : `${hasExpired ? 'expired' : 'expires'}${end}`,
    usedAt === null ? 'not used yet' : `used ${formatAge(usedAt, now)}`,
  ]
}

const LABEL_COLUMNS = 'superseded'.length + 2

function fitCounts(counts: Readonly<Record<string, number>>, style: Style): string {
  const values = Object.entries(counts).map(([name, count]) => `${oneLine(name)} ${count}`)
  return joinFitting(values, style.columns - LABEL_COLUMNS)
}

function renderBars(
  title: string,
  rows: readonly (readonly [string, number])[],
  style: Style,
): string {
  if (rows.length === 0) return ''
  const most = Math.max(1, ...rows.map(([, count]) => count))
  const lines = rows.map(([name, count]): NamedRow => {
    const bar = '█'.repeat(Math.round((BAR_COLUMNS * count) / most))
    return [`  ${name}`, `${bar} ${count}`.trimStart()]
  })
  return `\n${title}\n${nameRows(lines, style)}`
}

function renderCopy(report: CopyReport, style: Style): string {
  const { added, updated, same, kept, to, vectors, waiting } = report
  const counts = listCounts({
    copied: added.record + updated.record,
    'there already': same.record,
    'kept as they are there': kept.record,
    'with their vectors': vectors,
  })
  const records = counts === '' ? 'no records' : `records: ${counts}`
  const hint =
    waiting === 0
      ? ''
      : style.dim(`${formatCount(waiting, 'record')} without vectors: cairn embed\n`)
  return `${style.good('copied')} to ${to}, ${records}\n${hint}`
}

function renderModels({ models, waiting }: ModelsAnswer, style: Style): string {
  if (models.length === 0) {
    return 'no model has vectors here yet; the first record brings the bundled one\n'
  }
  const rows = models.map((model) => [
    model.id,
    MODEL_STATES[model.state],
    `${model.dimensions} dimensions`,
    `${formatCount(model.records, 'record')} (${Math.floor(model.coverage * 100)} %)`,
    formatCount(model.vectors, 'vector'),
    model.bytes === null ? '' : formatBytes(model.bytes),
  ])
  const note =
    waiting === 0
      ? []
      : [style.dim(`${formatCount(waiting, 'record')} without vectors: cairn embed`)]
  return `${[...alignCells(rows), ...note].join('\n')}\n`
}
