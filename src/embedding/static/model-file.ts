/** Finds the bundled model, reads its files and checks them. */

import { createHash } from 'node:crypto'
import { closeSync, existsSync, openSync, readFileSync, readSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CairnError } from '../../core/errors.js'

export const DIMENSIONS = 256
export const GATE_RANK = 32
/** Word pieces have the weight of their level: 0 for the first, 1 for the next two, 2 for the next four. */
export const POSITION_LEVELS = 8

const FOLDER = join('models', 'cairn-static-v2')

/** SHA-256 of the files that belong to the id of the model: other weights would make other vectors under the same name. */
const FILES: Readonly<Record<string, string>> = {
  'model.safetensors': '964a5fa5cd9cbf693346d541a9912d05792ef8d9445ecc8f8e4610c2d613a308',
  'vocab.txt': '7d12de4e6b2375644a76f266c8490a030901d261e7fc447b347c6cdf1315233f',
}

/** `table`, `gateText` and `gateToken` are byte addresses in the memory that the file was read into. */
export type StaticModel = {
  /** A row of `DIMENSIONS` signed bytes for each word piece. */
  readonly table: number
  /** The factor of each row. */
  readonly scale: Float32Array
  readonly gateText: number
  readonly gateToken: number
  /** The weight of each level. */
  readonly position: Float32Array
}

/** The nearest `models/cairn-static-v2` above the code: above `src/` in the project, above `dist/` in the package. */
export function findBundledModel(from: string = fileURLToPath(import.meta.url)): string {
  for (let folder = dirname(from); ; folder = dirname(folder)) {
    const candidate = join(folder, FOLDER)
    if (existsSync(modelPath(candidate))) return candidate
    if (dirname(folder) === folder) throw badModel(`The bundled model ${FOLDER} is missing.`)
  }
}

/** The files that are not those of this version; for `doctor`, because reading all bytes takes longer than a search. */
export function listChangedFiles(folder: string = findBundledModel()): string[] {
  return Object.keys(FILES).filter((name) => {
    const bytes = readFileSync(join(folder, name))
    return createHash('sha256').update(bytes).digest('hex') !== FILES[name]
  })
}

/** One word piece per line; the line number is its id. */
export function readVocabulary(folder: string): string {
  return readFileSync(join(folder, 'vocab.txt'), 'utf8')
}

const modelPath = (folder: string): string => join(folder, 'model.safetensors')

/** The size of the model file in bytes. */
export function measureModel(folder: string): number {
  return statSync(modelPath(folder)).size
}

/** Reads the model straight into the memory that computes with it: 10 MB are not copied. */
export function readModel(folder: string, vocabularySize: number, into: Uint8Array): StaticModel {
  const file = openSync(modelPath(folder), 'r')
  try {
    for (let done = 0; done < into.length; ) {
      const count = readSync(file, into, done, into.length - done, done)
      if (count === 0) throw badModel('The bundled model is cut short.')
      done += count
    }
  } finally {
    closeSync(file)
  }
  return parseModel(into, vocabularySize)
}

type Tensor = {
  readonly dtype: string
  readonly shape: readonly number[]
  readonly data_offsets: readonly [number, number]
}

/** The format is safetensors: 8 bytes of header length, a JSON header, then the raw tensors it points into. */
function parseModel(bytes: Uint8Array, vocabularySize: number): StaticModel {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const headerBytes = bytes.byteLength < 8 ? 0 : Number(view.getBigUint64(0, true))
  if (headerBytes === 0 || headerBytes > bytes.byteLength - 8) {
    throw badModel('The bundled model is cut short.')
  }
  const dataStart = 8 + headerBytes
  const text = new TextDecoder().decode(bytes.subarray(8, dataStart))
  const header = JSON.parse(text) as { readonly [name: string]: Tensor | undefined }

  const locate = (name: string, dtype: 'F32' | 'I8', shape: readonly number[]): number => {
    const tensor = header[name]
    const width = dtype === 'F32' ? 4 : 1
    const [start, end] = tensor?.data_offsets ?? [-1, -1]
    const fits =
      tensor?.dtype === dtype &&
      String(tensor.shape) === String(shape) &&
      start >= 0 &&
      end - start === shape.reduce((product, each) => product * each, width) &&
      dataStart + end <= bytes.byteLength &&
      (bytes.byteOffset + dataStart + start) % width === 0
    if (!fits) throw badModel(`The bundled model has no usable tensor "${name}".`)
    return bytes.byteOffset + dataStart + start
  }
  const table = locate('table', 'I8', [vocabularySize, DIMENSIONS])
  const readFloats = (name: string, length: number): Float32Array =>
    new Float32Array(bytes.buffer as ArrayBuffer, locate(name, 'F32', [length]), length)
  return {
    table,
    scale: readFloats('scale', vocabularySize),
    position: readFloats('position', POSITION_LEVELS),
    gateText: locate('gate.text', 'F32', [DIMENSIONS, GATE_RANK]),
    gateToken: locate('gate.token', 'F32', [DIMENSIONS, GATE_RANK]),
  }
}

export function badModel(message: string, cause?: unknown): CairnError {
  return new CairnError('bad_model', { message, hint: 'Install cairn-search again.', cause })
}
