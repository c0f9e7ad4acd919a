/** The ONNX runtime and the tokenizer library are loaded when first needed, or their absence is explained. */

import { CairnError } from '../../core/errors.js'

/** Without its install script, which fetches hundreds of megabytes of GPU libraries that nothing here uses. */
export const INSTALL_COMMAND =
  'npm install --ignore-scripts onnxruntime-node @huggingface/tokenizers'

/** The parts of onnxruntime-node used here, so that this compiles where it is not installed. */
export type OnnxTensor = { readonly dims: readonly number[]; readonly data: ArrayLike<number> }
export type OnnxSession = {
  readonly inputNames: readonly string[]
  readonly outputNames: readonly string[]
  run(feeds: { readonly [name: string]: unknown }): Promise<{ readonly [name: string]: OnnxTensor }>
  release(): Promise<void>
}
export type OnnxRuntime = {
  readonly InferenceSession: {
    create(path: string, options: { readonly [name: string]: unknown }): Promise<OnnxSession>
  }
  readonly Tensor: new (type: 'int64', data: BigInt64Array, dims: readonly number[]) => unknown
}

export type TokenizerLibrary = {
  readonly Tokenizer: new (tokenizer: object, config: object) => LibraryTokenizer
}
export type LibraryTokenizer = {
  encode(
    text: string,
    options?: { readonly add_special_tokens?: boolean },
  ): { readonly ids: readonly number[] }
}

export type ImportPackage = (name: string) => Promise<unknown>

/** By a name that is not written in the call: a bundler leaves it alone. */
export const importPackage: ImportPackage = (name) => import(name)

export async function loadOnnxRuntime(load: ImportPackage): Promise<OnnxRuntime> {
  return loadOptional<OnnxRuntime>('onnxruntime-node', 'InferenceSession', load)
}

export async function loadTokenizerLibrary(load: ImportPackage): Promise<TokenizerLibrary> {
  return loadOptional<TokenizerLibrary>('@huggingface/tokenizers', 'Tokenizer', load)
}

async function loadOptional<T>(name: string, expected: string, load: ImportPackage): Promise<T> {
  let module: unknown
  try {
    module = await load(name)
  } catch (cause) {
    throw missing(`The provider "onnx" needs the package ${name}, which cannot be loaded.`, cause)
  }
  // A CommonJS package may show its exports only on `default`.
  for (const candidate of [module, Reflect.get(Object(module), 'default')]) {
    if (Reflect.get(Object(candidate), expected) !== undefined) return candidate as T
  }
  throw missing(`The installed package ${name} has no ${expected}.`)
}

function missing(message: string, cause?: unknown): CairnError {
  return new CairnError('embedder_missing', { message, hint: `Run: ${INSTALL_COMMAND}`, cause })
}
