/** Promise: `cairn eval` says how good search is on judged sets, and leaves nothing behind. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { badInput } from '../../../core/errors.js'
import { type EvalOptions, type EvalProgress, evaluate } from '../../../evaluation/evaluate.js'
import type { Context, FlagValues, Outcome, World } from '../command.js'
import { degradedSentence, renderEval } from '../render/eval.js'
import { createProgress, type Progress } from '../render/progress.js'

const MODES = ['keyword', 'semantic', 'hybrid']

export async function runEval({ words, flags, world }: Context): Promise<Outcome> {
  if (words.length === 0) {
    throw badInput(
      'There is nothing to evaluate.',
      'Name a folder with corpus.jsonl, queries.jsonl and qrels.tsv.',
    )
  }
  const asked = readFlags(flags)
  const workFolder = await mkdtemp(join(tmpdir(), 'cairn-eval-'))
  const progress = showProgress(world)
  try {
    const { report, degraded } = await evaluate({
      ...asked,
      folders: words,
      workFolder,
      env: world.env,
      timer: () => performance.now(),
      onProgress: progress.show,
    })
    progress.end()
    const problem = degradedSentence(report, degraded)
    return {
      json: report,
      text: (style) => renderEval(report, style),
      ...(problem === null ? {} : { problem }),
    }
  } finally {
    progress.end()
    await rm(workFolder, { recursive: true, force: true })
  }
}

function readFlags(
  flags: FlagValues,
): Pick<EvalOptions, 'modes' | 'lens' | 'limitQueries' | 'corpus' | 'qrels'> {
  const { mode, lens, corpus, qrels } = flags
  const limit = flags['limit-queries'] ?? null
  if (limit !== null && !(Number.isInteger(limit) && Number(limit) > 0)) {
    throw badInput(`--limit-queries must be a whole number above 0, not "${String(limit)}".`)
  }
  const modes = typeof mode === 'string' ? mode.split(',').map((name) => name.trim()) : MODES
  return {
    modes: [...new Set(modes)],
    lens: typeof lens === 'string' ? lens : null,
    limitQueries: limit === null ? null : Number(limit),
    corpus: typeof corpus === 'string' ? corpus : 'corpus.jsonl',
    qrels: typeof qrels === 'string' ? qrels : null,
  }
}

/** One bar after the other: each set is indexed, then asked in each mode. */
function showProgress(world: World) {
  let current: (Progress & { readonly unit: string }) | null = null
  const end = (): void => {
    current?.end()
    current = null
  }
  const show = ({ unit, done, total }: EvalProgress): void => {
    if (current?.unit !== unit) {
      end()
      current = { ...createProgress(world, unit), unit }
    }
    current?.show(done, total)
  }
  return { show, end }
}
