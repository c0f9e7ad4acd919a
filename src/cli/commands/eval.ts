/** `cairn eval` says how good search is on judged sets, and leaves nothing behind. */

import { constants } from 'node:fs'
import { access, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { performance } from 'node:perf_hooks'
import { badInput, CairnError } from '../../core/errors.js'
import {
  compareRuns,
  type QueryLine,
  readQueryLines,
  writeQueryLines,
} from '../../evaluation/compare.js'
import { type EvalOptions, type EvalProgress, evaluate } from '../../evaluation/evaluate.js'
import type { CliContext, CommandContext, FlagValues, Outcome } from '../command.js'
import { readModel } from '../read-model.js'
import { degradedSentence, renderComparisons, renderEval } from '../render/eval.js'
import { createProgress, type Progress } from '../render/progress.js'

const MODES = ['keyword', 'semantic', 'hybrid']

export async function runEval({ positionals, flags, cli }: CommandContext): Promise<Outcome> {
  if (positionals.length === 0) {
    throw badInput(
      'There is nothing to evaluate.',
      'Name a folder with corpus.jsonl, queries.jsonl and qrels.tsv.',
    )
  }
  const asked = readFlags(flags)
  const earlier = typeof flags.compare === 'string' ? await readQueryLines(flags.compare) : null
  if (typeof flags['per-query'] === 'string') await assertWritable(flags['per-query'])
  const stop = cli.stopSignal()
  const workFolder = await mkdtemp(join(tmpdir(), 'cairn-eval-'))
  const progress = showProgress(cli)
  try {
    const { report, degraded, lines } = await evaluate({
      ...asked,
      folders: positionals,
      workFolder,
      env: cli.env,
      timer: () => performance.now(),
      // It is called after every step, so this is where a step is the last one.
      onProgress: (step) => {
        stop.throwIfAborted()
        progress.show(step)
      },
    })
    progress.end()
    if (typeof flags['per-query'] === 'string') await writeLines(flags['per-query'], lines)
    const compared = earlier === null ? null : compareRuns(earlier, lines)
    const problem = degradedSentence(report, degraded)
    return {
      json: compared === null ? report : { ...report, compared },
      text: (style) =>
        renderEval(report, style) + (compared === null ? '' : renderComparisons(compared, style)),
      ...(problem === null ? {} : { problem }),
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

function readFlags(
  flags: FlagValues,
): Pick<EvalOptions, 'modes' | 'lens' | 'model' | 'limitQueries' | 'corpus' | 'qrels'> {
  const { mode, lens, corpus, qrels } = flags
  const limit = flags['limit-queries'] ?? null
  if (limit !== null && !(Number.isInteger(limit) && Number(limit) > 0)) {
    throw badInput(`--limit-queries must be a whole number above 0, not "${String(limit)}".`)
  }
  const modes = typeof mode === 'string' ? mode.split(',').map((name) => name.trim()) : MODES
  return {
    modes: [...new Set(modes)],
    lens: typeof lens === 'string' ? lens : null,
    model: readModel(flags),
    limitQueries: limit === null ? null : Number(limit),
    corpus: typeof corpus === 'string' ? corpus : 'corpus.jsonl',
    qrels: typeof qrels === 'string' ? qrels : null,
  }
}

/** Said before hours of indexing, not after them. */
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

async function writeLines(file: string, lines: readonly QueryLine[]): Promise<void> {
  try {
    await writeFile(file, writeQueryLines(lines))
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

/** One bar after the other: each set is indexed, then asked in each mode. */
function showProgress(cli: CliContext) {
  let current: (Progress & { readonly unit: string }) | null = null
  const end = (): void => {
    current?.end()
    current = null
  }
  const show = ({ unit, done, total }: EvalProgress): void => {
    if (current?.unit !== unit) {
      end()
      current = { ...createProgress(cli, unit), unit }
    }
    current?.show(done, total)
  }
  return { show, end }
}
