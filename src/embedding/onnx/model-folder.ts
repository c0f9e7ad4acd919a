/** Reads the folder of a sentence-transformers export: model file, tokenizer, pooling, window and prefixes. */

import { createHash } from 'node:crypto'
import { open, readdir, readFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { CairnError } from '../../core/errors.js'

export type Pooling = 'mean' | 'cls' | 'max' | 'mean_sqrt_len'

export type ModelFolder = Readonly<Awaited<ReturnType<typeof readModelFolder>>>

type Json = { readonly [key: string]: unknown }

const WINDOW = 256
const SAMPLE_BYTES = 1 << 20

/** `defaultWindow`: the maximum number of tokens of a text if no file gives it. */
export async function readModelFolder(path: string, defaultWindow = WINDOW) {
  const folder = resolve(path)
  const modelPath = join(folder, await findModelFile(folder))
  const tokenizer = await readJson(join(folder, 'tokenizer.json'))
  if (tokenizer === null) {
    throw badModel(`The folder "${basename(folder)}" has no tokenizer.json.`)
  }
  const read = async (name: string): Promise<Json> => (await readJson(join(folder, name))) ?? {}
  const config = await read('config.json')
  const sentence = await read('sentence_bert_config.json')
  const poolingConfig = await read(join('1_Pooling', 'config.json'))
  const prompts = (await read('config_sentence_transformers.json')).prompts
  const pooling = readPooling(poolingConfig)
  const window = readNumber(sentence, 'max_seq_length') ?? defaultWindow
  return {
    name: basename(folder),
    /** Changes with the weights, the tokenizer or the pooling, because these change the vectors. */
    revision: await computeRevision(modelPath, `${pooling}\n${JSON.stringify(tokenizer)}`),
    modelPath,
    tokenizer,
    tokenizerConfig: await read('tokenizer_config.json'),
    pooling,
    /** Null if no file gives them. */
    dimensions:
      readNumber(poolingConfig, 'word_embedding_dimension') ?? readNumber(config, 'hidden_size'),
    maxTokens: Math.min(window, readNumber(config, 'max_position_embeddings') ?? window),
    padId: readNumber(config, 'pad_token_id') ?? 0,
    queryPrefix: readString(prompts, 'query') ?? '',
    passagePrefix: readString(prompts, 'passage') ?? readString(prompts, 'document') ?? '',
  }
}

/** Prefers `model.onnx` to its variants (`model_int8.onnx`, …), in the folder itself or in `onnx/`. */
async function findModelFile(folder: string): Promise<string> {
  for (const inside of ['', 'onnx']) {
    const names = await readdir(join(folder, inside)).catch(() => [])
    const [first] = names
      .filter((name) => /^model.*\.onnx$/.test(name))
      .sort((a, b) => a.length - b.length || (a < b ? -1 : 1))
    if (first !== undefined) return join(inside, first)
  }
  throw badModel(`The folder "${basename(folder)}" has no model.onnx.`)
}

function readPooling(config: Json): Pooling {
  if (config.pooling_mode_cls_token === true) return 'cls'
  if (config.pooling_mode_max_tokens === true) return 'max'
  if (config.pooling_mode_mean_sqrt_len_tokens === true) return 'mean_sqrt_len'
  if (config.pooling_mode_mean_tokens === true) return 'mean'
  const other = Object.keys(config).find((key) => key.startsWith('pooling_mode') && config[key])
  if (other === undefined) return 'mean'
  throw badModel(`The model needs "${other}", which is not supported.`)
}

/** Hashes the size, the start and the end of the model file, because hashing a gigabyte would take too long. */
async function computeRevision(modelPath: string, recipe: string): Promise<string> {
  const file = await open(modelPath)
  try {
    const { size } = await file.stat()
    const hash = createHash('sha256').update(recipe).update(`\n${size}\n`)
    for (const position of [0, Math.max(0, size - SAMPLE_BYTES)]) {
      const sample = new Uint8Array(SAMPLE_BYTES)
      const { bytesRead } = await file.read(sample, 0, SAMPLE_BYTES, position)
      hash.update(sample.subarray(0, bytesRead))
    }
    return hash.digest('hex').slice(0, 12)
  } finally {
    await file.close()
  }
}

async function readJson(path: string): Promise<Json | null> {
  const text = await readFile(path, 'utf8').catch(() => null)
  if (text === null) return null
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null) return value as Json
  } catch (cause) {
    throw badModel(`The file ${basename(path)} of the model is not JSON.`, cause)
  }
  throw badModel(`The file ${basename(path)} of the model is not a JSON object.`)
}

function readNumber(config: Json, key: string): number | null {
  const value = config[key]
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : null
}

function readString(config: unknown, key: string): string | null {
  const value: unknown = Reflect.get(Object(config), key)
  return typeof value === 'string' ? value : null
}

export function badModel(message: string, cause?: unknown): CairnError {
  return new CairnError('bad_model', {
    message,
    hint: 'Give a folder with model.onnx and tokenizer.json, as sentence-transformers exports it.',
    cause,
  })
}
