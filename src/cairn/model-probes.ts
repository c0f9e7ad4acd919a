/** Checks with a small request whether each configured model answers. */

import { fillPrompt } from '../core/prompt.js'
import { explainFailure } from './chat.js'
import type { Context } from './scope.js'

export type ModelProbe = {
  readonly role: 'embedder' | 'llm' | 'reranker'
  readonly id: string
  readonly answers: boolean
  /** Why it does not answer; empty if it does. */
  readonly detail: string
  readonly tookMs: number
}

/** A model that is being loaded takes a while. */
const TIMEOUT_MS = 30_000

/** One after the other: several models may share one machine. A model that is not configured is not listed. */
export async function probeModels(context: Context): Promise<ModelProbe[]> {
  const { indexer, chat, timer, defaults, loadReranking } = context
  const { rerank = 'off' } = defaults
  const embedder = await indexer.nameModel()
  const asked: [ModelProbe['role'], string | null, () => Promise<unknown>][] = [
    ['embedder', embedder, () => indexer.probe()],
    [
      'llm',
      chat?.id ?? null,
      async () => chat?.complete(fillPrompt('ready', {}), { timeoutMs: TIMEOUT_MS }),
    ],
    [
      'reranker',
      rerank.startsWith('onnx:') ? rerank : null,
      async () => (await loadReranking()).probe(rerank),
    ],
  ]
  const probes: ModelProbe[] = []
  for (const [role, id, ask] of asked) {
    if (id === null) continue
    const startMs = timer()
    const detail = await ask().then(() => '', explainFailure)
    probes.push({ role, id, answers: detail === '', detail, tookMs: timer() - startMs })
  }
  return probes
}
