/** `cairn eval` measures the quality of search on judged sets, and leaves nothing behind. */

import { constants } from 'node:fs'
import { access, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { performance } from 'node:perf_hooks'
import { badInput, CairnError } from '../../core/errors.js'
import {
  type Comparison,
  compareRuns,
  readQueryLines,
  writeQueryLines,
} from '../../evaluation/compare.js'
import { type EvalReport, evaluate, type SetReport } from '../../evaluation/evaluate.js'
import type { CommandContext, FlagValues, Outcome } from '../command.js'
import { readModel } from '../open.js'
import { alignCells } from '../render/layout.js'
import { createProgress } from '../render/progress.js'
import { oneLine, type Style } from '../render/style.js'

const MODES = ['keyword', 'semantic', 'hybrid']
const FIGURES = [
  ['nDCG@10', 'ndcg@10', 3],
  ['R@5', 'recall@5', 3],
  ['R@10', 'recall@10', 3],
  ['R@100', 'recall@100', 3],
  ['MRR@10', 'mrr@10', 3],
  ['MAP', 'map', 3],
  ['ms', 'medianMs', 1],
  ['p95', 'p95Ms', 1],
] as const
const PASSAGE = ['passage', 'passage', 3] as const
/** The first columns are names; the others are numbers, and right-aligned. */
const NAME_COLUMNS = 2
const SIGNIFICANT = 0.05
const MAX_CHANGES = 5

export async function runEval({ positionals, flags, cli }: CommandContext): Promise<Outcome> {
  if (positionals.length === 0) {
    throw badInput(
      'There is nothing to evaluate.',
      'Name a folder with corpus.jsonl, queries.jsonl and qrels.tsv.',
    )
  }
  const asked = readFlags(flags)
  const earlier = typeof flags.compare === 'string' ? await readQueryLines(flags.compare) : null
  const perQuery = typeof flags['per-query'] === 'string' ? flags['per-query'] : null
  if (perQuery !== null) await assertWritable(perQuery)
  const stop = cli.stopSignal()
  const workFolder = await mkdtemp(join(tmpdir(), 'cairn-eval-'))
  const progress = createProgress(cli)
  try {
    const { report, degraded, lines } = await evaluate({
      ...asked,
      folders: positionals,
      workFolder,
      env: cli.env,
      timer: () => performance.now(),
      // Called after every step, so a stop takes effect here.
      onProgress: (step) => {
        stop.throwIfAborted()
        progress.show(step)
      },
    })
    if (perQuery !== null) {
      await writeFile(perQuery, writeQueryLines(lines)).catch((cause) => {
        throw notWritable(perQuery, cause)
      })
    }
    const compared = earlier === null ? null : compareRuns(earlier, lines)
    return {
      json: compared === null ? report : { ...report, compared },
      text: (style) =>
        [
          renderEval(report, style),
          ...(compared ?? []).map((one) => renderComparison(one, style)),
        ].join('\n'),
      ...describeDegraded(report, degraded),
    }
  } catch (error) {
    if (!stop.aborted) throw error
    progress.end()
    cli.writeError('cairn: The evaluation was stopped before its end, so there are no figures.\n')
    return { json: null, text: () => '', isPrinted: true, exitCode: 1 }
  } finally {
    progress.end()
    await rm(workFolder, { recursive: true, force: true })
  }
}

function readFlags(flags: FlagValues) {
  const { mode, lens, corpus, qrels, evidence, among } = flags
  const limit = flags['limit-queries'] ?? null
  if (limit !== null && !(Number.isInteger(limit) && Number(limit) > 0)) {
    throw badInput(`--limit-queries must be a whole number above 0, not "${String(limit)}".`)
  }
  const modes = typeof mode === 'string' ? mode.split(',').map((name) => name.trim()) : MODES
  const unknown = modes.find((name) => !MODES.includes(name))
  if (unknown !== undefined) {
    throw badInput(`--mode must be one of ${MODES.join(', ')}, not "${unknown}".`)
  }
  return {
    modes: [...new Set(modes)],
    lens: typeof lens === 'string' ? lens : null,
    among: typeof among === 'string' ? among : null,
    model: readModel(flags),
    limitQueries: limit === null ? null : Number(limit),
    corpus: typeof corpus === 'string' ? corpus : 'corpus.jsonl',
    qrels: typeof qrels === 'string' ? qrels : null,
    evidence: typeof evidence === 'string' ? evidence : null,
  }
}

/** Checked before hours of indexing, not after them. */
async function assertWritable(file: string): Promise<void> {
  try {
    await access(dirname(resolve(file)), constants.W_OK)
    const known = await stat(file).catch(() => null)
    if (known !== null) await access(file, constants.W_OK)
    if (known?.isDirectory()) throw new Error('It is a folder.')
  } catch (cause) {
    throw notWritable(file, cause)
  }
}

function notWritable(file: string, cause: unknown): CairnError {
  return new CairnError('unreadable_file', {
    message: `The queries cannot be written to ${file}.`,
    hint: 'Check that its folder is there and may be written to.',
    cause,
  })
}

function renderEval({ sets, mean }: EvalReport, style: Style): string {
  const reports = Object.entries(sets)
  const sum = (of: 'docs' | 'queries'): number =>
    reports.reduce((total, [, report]) => total + report[of], 0)
  const all: SetReport = { docs: sum('docs'), queries: sum('queries'), modes: mean }
  const hasPassages = Object.values(mean).some(({ passage }) => passage !== undefined)
  const figures = hasPassages ? [...FIGURES, PASSAGE] : FIGURES
  const setRows = reports.flatMap(([name, report]) => listRows(name, report, figures))
  const meanRows = reports.length > 1 ? listRows('mean', all, figures) : []
  const columns = ['set', 'mode', 'docs', 'queries', ...figures.map(([label]) => label)]
  const [head = '', ...lines] = alignCells([columns, ...setRows, ...meanRows], NAME_COLUMNS)
  const shown = lines.map((line, i) => (i < setRows.length ? line : style.bold(line)))
  return `${[style.dim(head), ...shown].join('\n')}\n`
}

/** A row for each mode; what they share is written once. */
function listRows(
  name: string,
  { docs: own, among, queries, modes }: SetReport,
  columns: readonly (typeof PASSAGE | (typeof FIGURES)[number])[],
): string[][] {
  const docs = among === undefined ? own : `${own} + ${among}`
  return Object.entries(modes).map(([mode, figures], i) => [
    ...(i === 0 ? [oneLine(name), mode, String(docs), String(queries)] : ['', mode, '', '']),
    ...columns.map(([, figure, digits]) => (figures[figure] ?? 0).toFixed(digits)),
  ])
}

/** What changed in one mode against an earlier run, and the queries that changed most. */
function renderComparison(one: Comparison, style: Style): string {
  const { mode, queries, before, after, difference, wins, losses, ties, p, most } = one
  if (queries === 0) return `${style.bold(mode)}: the two runs have no query in common\n`
  const change = `${difference < 0 ? '−' : '+'}${Math.abs(difference).toFixed(4)}`
  const verdict = p < SIGNIFICANT ? 'not by chance' : 'may be chance'
  const shown = [...most.slice(0, MAX_CHANGES), ...most.slice(MAX_CHANGES).slice(-MAX_CHANGES)]
  const lines = [
    `${style.bold(mode)}: nDCG@10 ${before.toFixed(4)} → ${after.toFixed(4)} (${change})`,
    `${wins} better, ${losses} worse, ${ties} as before; p = ${p.toFixed(4)}, ${verdict}`,
    ...shown.map((query) => {
      const figures = `${query.before.toFixed(3)} → ${query.after.toFixed(3)}`
      return style.dim(`  ${figures}  ${oneLine(query.set)} ${oneLine(query.query)}`)
    }),
  ]
  return `${lines.join('\n')}\n`
}

function describeDegraded({ sets }: EvalReport, degraded: Readonly<Record<string, number>>) {
  const queries = Object.values(sets).reduce((sum, set) => sum + set.queries, 0)
  const parts = Object.entries(degraded)
    .filter(([, count]) => count > 0)
    .map(([mode, count]) => `${count} of ${queries} in mode ${mode}`)
  return parts.length > 0 && { problem: `Some answers were degraded: ${parts.join(', ')}.` }
}
