/** The bundled model is found from wherever the code runs, read once, and checked before it is used. */

import { closeSync, existsSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CairnError } from '../../core/errors.js'

export const DIMENSIONS = 256
export const GATE_RANK = 32

const FOLDER = join('models', 'cairn-static-v1')

/** Byte addresses in the memory that the file was read into. */
export type ModelAddresses = {
  readonly table: number
  readonly scale: number
  readonly gateText: number
  readonly gateToken: number
}

/** The nearest `models/cairn-static-v1` above the code: above `src/` in the project, above `dist/` in the package. */
export function findBundledModel(from: string = fileURLToPath(import.meta.url)): string {
  for (let folder = dirname(from); ; folder = dirname(folder)) {
    const candidate = join(folder, FOLDER)
    if (existsSync(join(candidate, 'model.safetensors'))) return candidate
    if (dirname(folder) === folder) throw broken(`The bundled model ${FOLDER} is not there.`)
  }
}

export function readVocabularyText(folder: string): string {
  return guarded(() => readFileSync(join(folder, 'vocab.txt'), 'utf8'))
}

/**
 * Reads the model into a memory that `allocate` makes for its size, at the address that `allocate` says.
 * Straight into its final place: the file is the only copy.
 */
export function readModelFile(
  folder: string,
  vocabularySize: number,
  allocate: (bytes: number) => { readonly memory: ArrayBuffer; readonly address: number },
): ModelAddresses {
  const file = guarded(() => openSync(join(folder, 'model.safetensors'), 'r'))
  try {
    const size = guarded(() => fstatSync(file).size)
    const { memory, address } = allocate(size)
    const bytes = new Uint8Array(memory, address, size)
    guarded(() => readWhole(file, bytes))
    return readHeader(bytes, vocabularySize)
  } finally {
    closeSync(file)
  }
}

function readWhole(file: number, into: Uint8Array): void {
  for (let done = 0; done < into.length; ) {
    const count = readSync(file, into, done, into.length - done, done)
    if (count === 0) throw new Error('the file ended early')
    done += count
  }
}

/** safetensors: 8 bytes of header length, a JSON header, then the raw tensors it points into. */
function readHeader(bytes: Uint8Array, vocabularySize: number): ModelAddresses {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const headerBytes = bytes.byteLength < 8 ? 0 : Number(view.getBigUint64(0, true))
  if (headerBytes === 0 || headerBytes > bytes.byteLength - 8) {
    throw broken('The bundled model is cut short.')
  }
  const text = new TextDecoder().decode(bytes.subarray(8, 8 + headerBytes))
  const header = guarded(() => JSON.parse(text) as unknown)
  const dataStart = 8 + headerBytes

  const addressOf = (name: string, dtype: 'F32' | 'I8', shape: readonly number[]): number => {
    const tensor = tensorIn(header, name)
    const width = dtype === 'F32' ? 4 : 1
    const [start, end] = tensor?.data_offsets ?? [-1, -1]
    const fits =
      tensor?.dtype === dtype &&
      String(tensor.shape) === String(shape) &&
      start >= 0 &&
      end - start === shape.reduce((product, each) => product * each, width) &&
      dataStart + end <= bytes.byteLength &&
      (bytes.byteOffset + dataStart + start) % width === 0
    if (!fits) throw broken(`The bundled model has no usable tensor "${name}".`)
    return bytes.byteOffset + dataStart + start
  }
  return {
    table: addressOf('table', 'I8', [vocabularySize, DIMENSIONS]),
    scale: addressOf('scale', 'F32', [vocabularySize]),
    gateText: addressOf('gate.text', 'F32', [DIMENSIONS, GATE_RANK]),
    gateToken: addressOf('gate.token', 'F32', [DIMENSIONS, GATE_RANK]),
  }
}

type Tensor = {
  readonly dtype: string
  readonly shape: readonly number[]
  readonly data_offsets: readonly [number, number]
}

function tensorIn(header: unknown, name: string): Tensor | null {
  if (typeof header !== 'object' || header === null) return null
  const tensor: unknown = Reflect.get(header, name)
  if (typeof tensor !== 'object' || tensor === null) return null
  return Array.isArray(Reflect.get(tensor, 'data_offsets')) ? (tensor as Tensor) : null
}

function guarded<T>(work: () => T): T {
  try {
    return work()
  } catch (cause) {
    throw broken('The bundled model cannot be read.', cause)
  }
}

function broken(message: string, cause?: unknown): CairnError {
  return new CairnError('bad_model', { message, hint: 'Install cairn-search again.', cause })
}
