/** A batch of ids goes through the ONNX model and comes back as one vector a text. */

import { badModel, type ModelFolder } from './model-folder.js'
import { pool } from './pooling.js'
import {
  type ImportPackage,
  loadOnnxRuntime,
  type OnnxRuntime,
  type OnnxSession,
  type OnnxTensor,
} from './runtime.js'

/** A model in memory: ids in, vectors of length 1 out. */
export type LoadedSession = {
  run(batch: readonly (readonly number[])[]): Promise<Float32Array[]>
  release(): Promise<void>
}

export type SessionSettings = {
  readonly threads: number | undefined
  readonly importPackage: ImportPackage
}

export async function loadSession(
  folder: ModelFolder,
  settings: SessionSettings,
): Promise<LoadedSession> {
  const runtime = await loadOnnxRuntime(settings.importPackage)
  const threads = settings.threads === undefined ? {} : { intraOpNumThreads: settings.threads }
  let session: OnnxSession
  try {
    session = await runtime.InferenceSession.create(folder.modelPath, threads)
  } catch (cause) {
    throw badModel(`The model "${folder.name}" cannot be loaded.`, cause)
  }
  return {
    run: async (batch) => {
      const tokens = Math.max(...batch.map((ids) => ids.length))
      const feeds = feedsFor(runtime, session, { batch, tokens, padId: folder.padId })
      const outputs = await session.run(feeds)
      return readOutput(outputs, session.outputNames, { batch, tokens, folder })
    },
    release: () => session.release(),
  }
}

type Padded = {
  readonly batch: readonly (readonly number[])[]
  readonly tokens: number
}

/** Only the inputs that the model has, each of texts × tokens. */
function feedsFor(
  { Tensor }: OnnxRuntime,
  session: OnnxSession,
  { batch, tokens, padId }: Padded & { readonly padId: number },
): { readonly [name: string]: unknown } {
  const dims = [batch.length, tokens]
  const tensor = (value: (ids: readonly number[], at: number) => number): unknown => {
    const data = new BigInt64Array(batch.length * tokens)
    for (const [row, ids] of batch.entries()) {
      for (let at = 0; at < tokens; at++) data[row * tokens + at] = BigInt(value(ids, at))
    }
    return new Tensor('int64', data, dims)
  }
  const make: { readonly [name: string]: () => unknown } = {
    input_ids: () => tensor((ids, at) => ids[at] ?? padId),
    attention_mask: () => tensor((ids, at) => (at < ids.length ? 1 : 0)),
    token_type_ids: () => tensor(() => 0),
    position_ids: () => tensor((_, at) => at),
  }
  return Object.fromEntries(
    session.inputNames.map((name) => {
      const input = make[name]
      if (input === undefined)
        throw badModel(`The model wants an input "${name}", which is unknown.`)
      return [name, input()]
    }),
  )
}

/** The vectors of the tokens, pooled; or, from a model that pools by itself, the vectors of the texts. */
function readOutput(
  outputs: { readonly [name: string]: OnnxTensor },
  names: readonly string[],
  { batch, tokens, folder }: Padded & { readonly folder: ModelFolder },
): Float32Array[] {
  const all = names.map((name) => outputs[name])
  const perToken = all.find((output) => output?.dims.length === 3)
  const perText = all.find((output) => output?.dims.length === 2)
  const output = perToken ?? perText
  const width = output?.dims.at(-1) ?? 0
  if (output === undefined || width === 0) {
    throw badModel(`The model "${folder.name}" gives no vectors.`)
  }
  return batch.map((ids, row) =>
    perToken === undefined
      ? pool({ data: output.data, start: row * width, tokens: 1, width }, 'cls')
      : pool(
          { data: output.data, start: row * tokens * width, tokens: ids.length, width },
          folder.pooling,
        ),
  )
}
