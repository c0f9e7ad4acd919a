/** A folder of a sentence-transformers export says by its own files how its model is to be used. */

import { createHash } from 'node:crypto'
import { type FileHandle, open, readdir, readFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { CairnError } from '../../core/errors.js'
import type { Pooling } from './pooling.js'

export type ModelFolder = {
  readonly name: string
  /** Changes with the weights, the tokenizer or the pooling: other vectors, another id. */
  readonly revision: string
  readonly modelPath: string
  readonly tokenizer: object
  readonly tokenizerConfig: object
  readonly pooling: Pooling
  /** What the files say; null where only the model itself can tell. */
  readonly dimensions: number | null
  readonly maxTokens: number
  readonly padId: number
  readonly queryPrefix: string
  readonly passagePrefix: string
}

type Json = { readonly [key: string]: unknown }

const MAX_TOKENS = 256
const SAMPLE_BYTES = 1 << 20

export async function readModelFolder(path: string): Promise<ModelFolder> {
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
  const pooling = poolingOf(poolingConfig)
  const window = numberIn(sentence, 'max_seq_length') ?? MAX_TOKENS
  return {
    name: basename(folder),
    revision: await fingerprint(modelPath, `${pooling}\n${JSON.stringify(tokenizer)}`),
    modelPath,
    tokenizer,
    tokenizerConfig: await read('tokenizer_config.json'),
    pooling,
    dimensions:
      numberIn(poolingConfig, 'word_embedding_dimension') ?? numberIn(config, 'hidden_size'),
    maxTokens: Math.min(window, numberIn(config, 'max_position_embeddings') ?? window),
    padId: numberIn(config, 'pad_token_id') ?? 0,
    queryPrefix: textIn(prompts, 'query') ?? '',
    passagePrefix: textIn(prompts, 'passage') ?? textIn(prompts, 'document') ?? '',
  }
}

/** `model.onnx` before its variants (`model_int8.onnx`, …), in the folder itself or in `onnx/`. */
async function findModelFile(folder: string): Promise<string> {
  for (const inside of ['', 'onnx']) {
    const names = await readdir(join(folder, inside)).catch(() => [])
    const [first] = names.filter((name) => /^model.*\.onnx$/.test(name)).sort(byLengthThenName)
    if (first !== undefined) return join(inside, first)
  }
  throw badModel(`The folder "${basename(folder)}" has no model.onnx.`)
}

function byLengthThenName(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : 1)
}

function poolingOf(config: Json): Pooling {
  if (config.pooling_mode_cls_token === true) return 'cls'
  if (config.pooling_mode_max_tokens === true) return 'max'
  if (config.pooling_mode_mean_sqrt_len_tokens === true) return 'mean_sqrt_len'
  if (config.pooling_mode_mean_tokens === true) return 'mean'
  const other = Object.keys(config).find((key) => key.startsWith('pooling_mode') && config[key])
  if (other === undefined) return 'mean'
  throw badModel(`The model wants "${other}", which is not supported.`)
}

/** Size and both ends of the model rather than all of it: telling two models apart needs no gigabyte read. */
async function fingerprint(modelPath: string, recipe: string): Promise<string> {
  const file = await open(modelPath)
  try {
    const { size } = await file.stat()
    const hash = createHash('sha256').update(recipe).update(`\n${size}\n`)
    hash.update(await readPart(file, 0))
    hash.update(await readPart(file, Math.max(0, size - SAMPLE_BYTES)))
    return hash.digest('hex').slice(0, 12)
  } finally {
    await file.close()
  }
}

async function readPart(file: FileHandle, position: number): Promise<Uint8Array> {
  const { buffer, bytesRead } = await file.read(
    new Uint8Array(SAMPLE_BYTES),
    0,
    SAMPLE_BYTES,
    position,
  )
  return buffer.subarray(0, bytesRead)
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

function numberIn(config: Json, key: string): number | null {
  const value = config[key]
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : null
}

function textIn(config: unknown, key: string): string | null {
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
