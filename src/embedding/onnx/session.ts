/** Loads the optional ONNX packages and runs batches of token ids through a model. */

import { CairnError } from '../../core/errors.js'
import { normalise } from '../embedder.js'
import { badModel, type ModelFolder, type Pooling } from './model-folder.js'

/** Skips the install script, which downloads hundreds of megabytes of unused GPU libraries. */
const INSTALL_COMMAND = 'npm install --ignore-scripts onnxruntime-node @huggingface/tokenizers'

/** The parts of onnxruntime-node used here, so that this compiles where it is not installed. */
export type OnnxTensor = { readonly dims: readonly number[]; readonly data: ArrayLike<number> }
type OnnxSession = {
  readonly inputNames: readonly string[]
  readonly outputNames: readonly string[]
  run(feeds: { readonly [name: string]: unknown }): Promise<{ readonly [name: string]: OnnxTensor }>
  release(): Promise<void>
}
type OnnxRuntime = {
  readonly InferenceSession: {
    create(path: string): Promise<OnnxSession>
  }
  readonly Tensor: new (type: 'int64', data: BigInt64Array, dims: readonly number[]) => unknown
}

export type ImportPackage = (name: string) => Promise<unknown>

/** The name is a variable, so that a bundler does not resolve it. */
export const importPackage: ImportPackage = (name) => import(name)

export async function loadOptional<T>(name: string, expected: string, load: ImportPackage) {
  const missing = (message: string, cause?: unknown) =>
    new CairnError('embedder_missing', { message, hint: `Run: ${INSTALL_COMMAND}`, cause })
  const module = await load(name).catch((cause: unknown) => {
    throw missing(`The provider "onnx" needs the package ${name}, which cannot be loaded.`, cause)
  })
  // A CommonJS package may have its exports only on `default`.
  for (const candidate of [module, Reflect.get(Object(module), 'default')]) {
    if (Reflect.get(Object(candidate), expected) !== undefined) return candidate as T
  }
  throw missing(`The installed package ${name} has no ${expected}.`)
}

export type Ids = readonly number[]

/** Loads a model. `infer` returns its raw outputs for token ids; `run` returns vectors of length 1. */
export async function loadSession(folder: ModelFolder, load: ImportPackage) {
  const runtime = await loadOptional<OnnxRuntime>('onnxruntime-node', 'InferenceSession', load)
  let session: OnnxSession
  try {
    session = await runtime.InferenceSession.create(folder.modelPath)
  } catch (cause) {
    throw badModel(`The model "${folder.name}" cannot be loaded.`, cause)
  }
  const infer = async (batch: readonly Ids[], types?: readonly Ids[]) => {
    const { inputNames, outputNames } = session
    const inputs = createInputs(runtime, inputNames, { batch, types, padId: folder.padId })
    const outputs = await session.run(inputs)
    return outputNames.map((name) => outputs[name])
  }
  return {
    infer,
    run: async (batch: readonly Ids[]): Promise<Float32Array[]> =>
      readOutputs(await infer(batch), batch, folder),
    release: () => session.release(),
  }
}

const countTokens = (batch: readonly Ids[]) => Math.max(...batch.map((ids) => ids.length))

/** `types` holds the token types of pairs: 0 for the first text, 1 for the second. */
type Batch = {
  readonly batch: readonly Ids[]
  readonly types: readonly Ids[] | undefined
  readonly padId: number
}

/** Creates the inputs that the model declares, each a tensor of texts × tokens. */
function createInputs(
  { Tensor }: OnnxRuntime,
  names: readonly string[],
  { batch, types, padId }: Batch,
): { readonly [name: string]: unknown } {
  const tokens = countTokens(batch)
  const fill: { readonly [name: string]: (ids: Ids, at: number, row: number) => number } = {
    input_ids: (ids, at) => ids[at] ?? padId,
    attention_mask: (ids, at) => (at < ids.length ? 1 : 0),
    token_type_ids: (_, at, row) => types?.[row]?.[at] ?? 0,
    position_ids: (_, at) => at,
  }
  const inputs = names.map((name) => {
    const value = fill[name]
    if (value === undefined) throw badModel(`The model needs an unknown input "${name}".`)
    const data = new BigInt64Array(batch.length * tokens)
    for (const [row, ids] of batch.entries()) {
      for (let at = 0; at < tokens; at++) data[row * tokens + at] = BigInt(value(ids, at, row))
    }
    return [name, new Tensor('int64', data, [batch.length, tokens])]
  })
  return Object.fromEntries(inputs)
}

/** Pools the token vectors. If the model pools by itself, its outputs are already the text vectors. */
function readOutputs(
  outputs: readonly (OnnxTensor | undefined)[],
  batch: readonly Ids[],
  { name, pooling }: ModelFolder,
): Float32Array[] {
  const perToken = outputs.find((output) => output?.dims.length === 3)
  const output = perToken ?? outputs.find((each) => each?.dims.length === 2)
  const width = output?.dims.at(-1) ?? 0
  if (output === undefined || width === 0) throw badModel(`The model "${name}" gives no vectors.`)
  const rows = perToken === undefined ? 1 : countTokens(batch)
  return batch.map((ids, i) => {
    const start = i * rows * width
    const tokens = perToken === undefined ? 1 : ids.length
    return poolTokens({ data: output.data, start, tokens, width }, pooling)
  })
}

/**
 * Pools one text of a batch. Its data begins at `start` and has `width` numbers per token; tokens after the first `tokens`
 * are padding. Normalising cancels a division by the count or its root, so mean and mean_sqrt_len only add up.
 */
export function poolTokens(
  part: { data: ArrayLike<number> } & Record<'start' | 'tokens' | 'width', number>,
  pooling: Pooling,
): Float32Array {
  const { data, start, tokens, width } = part
  const pooled = new Float64Array(width)
  const last = pooling === 'cls' ? Math.min(tokens, 1) : tokens
  if (pooling === 'max') pooled.fill(last === 0 ? 0 : Number.NEGATIVE_INFINITY)
  for (let token = 0; token < last; token++) {
    for (let j = 0; j < width; j++) {
      const value = data[start + token * width + j] as number
      const before = pooled[j] as number
      pooled[j] = pooling === 'max' ? Math.max(before, value) : before + value
    }
  }
  return normalise(pooled)
}
