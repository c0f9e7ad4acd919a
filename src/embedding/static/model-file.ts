/** Finds the files of the bundled model, reads them and checks them. */

import { createHash } from 'node:crypto'
import { closeSync, existsSync, openSync, readFileSync, readSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CairnError } from '../../core/errors.js'

export const DIMENSIONS = 256
export const GATE_RANK = 32
/** The weight of a word piece depends on its level: 0 for the first piece, 1 for the next two, 2 for the next four. */
export const POSITION_LEVELS = 8

const FOLDER = join('models', 'cairn-static-v2')

/** The index of the word pieces in `vocab.txt`, which the build writes. */
export const PIECES = 'pieces.bin'

/** The SHA-256 hashes of the files. With other weights, vectors of the same model id would not be comparable. */
const FILES: Readonly<Record<string, string>> = {
  'model.safetensors': '964a5fa5cd9cbf693346d541a9912d05792ef8d9445ecc8f8e4610c2d613a308',
  'vocab.txt': '7d12de4e6b2375644a76f266c8490a030901d261e7fc447b347c6cdf1315233f',
  [PIECES]: 'b0a08c110d10a6a9990b9e7ac0b63a1cfbb3c3069159fd05307bab84f0157f7f',
}

/** `table`, `gateText` and `gateToken` are byte addresses in the memory that the file is read into. */
export type StaticModel = {
  /** A row of `DIMENSIONS` signed bytes for each word piece. `readRows` loads the rows before they are used. */
  readonly table: number
  readonly readRows: (ids: Int32Array) => void
  /** The factor of each row. */
  readonly scale: Float32Array
  readonly gateText: number
  readonly gateToken: number
  /** The weight of each level. */
  readonly position: Float32Array
}

/** Looks for `models/cairn-static-v2` in the folders above the code: beside `src/` in the project, beside `dist/` in the package. */
export function findBundledModel(from: string = fileURLToPath(import.meta.url)): string {
  for (let folder = dirname(from); ; folder = dirname(folder)) {
    const candidate = join(folder, FOLDER)
    if (existsSync(modelPath(candidate))) return candidate
    if (dirname(folder) === folder) throw badModel(`The bundled model ${FOLDER} is missing.`)
  }
}

/** Lists the files whose hash is wrong. Only `doctor` does this, because hashing takes longer than a search. */
export function listChangedFiles(folder: string = findBundledModel()): string[] {
  return Object.keys(FILES).filter((name) => {
    if (name === PIECES && !existsSync(join(folder, name))) return false
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

type Tensor = {
  readonly dtype: string
  readonly shape: readonly number[]
  readonly data_offsets: readonly [number, number]
}

/**
 * Reads the model directly into the memory of the loops, except for the table: a query needs a few rows of its 10 MB, and
 * reading all of it would add 6 ms to the first answer.
 * The format is safetensors: 8 bytes of header length, a JSON header with offsets, then the raw tensors.
 */
export function readModel(folder: string, vocabularySize: number, into: Uint8Array): StaticModel {
  const path = modelPath(folder)
  return withFile(path, into, (read) => {
    read(0, 8)
    const view = new DataView(into.buffer, into.byteOffset, into.byteLength)
    const dataStart = 8 + Number(view.getBigUint64(0, true))
    read(8, dataStart)
    const text = new TextDecoder().decode(into.subarray(8, dataStart))
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
        dataStart + end <= into.byteLength &&
        (into.byteOffset + dataStart + start) % width === 0
      if (!fits) throw badModel(`The bundled model has no usable tensor "${name}".`)
      return into.byteOffset + dataStart + start
    }
    const table = locate('table', 'I8', [vocabularySize, DIMENSIONS])
    const tableStart = table - into.byteOffset
    read(dataStart, tableStart)
    read(tableStart + vocabularySize * DIMENSIONS, into.length)
    const viewFloats = (name: string, length: number): Float32Array =>
      new Float32Array(into.buffer as ArrayBuffer, locate(name, 'F32', [length]), length)
    return {
      table,
      readRows: createRowReader(
        path,
        into.subarray(0, tableStart + vocabularySize * DIMENSIONS),
        tableStart,
      ),
      scale: viewFloats('scale', vocabularySize),
      position: viewFloats('position', POSITION_LEVELS),
      gateText: locate('gate.text', 'F32', [DIMENSIONS, GATE_RANK]),
      gateToken: locate('gate.token', 'F32', [DIMENSIONS, GATE_RANK]),
    }
  })
}

/** After this many single rows the whole table is read, because most of it will be needed soon. */
const MAX_SINGLE_ROWS = 256

/** `into` ends with the table. */
function createRowReader(path: string, into: Uint8Array, start: number): StaticModel['readRows'] {
  const isRead = new Uint8Array((into.length - start) / DIMENSIONS)
  let left = MAX_SINGLE_ROWS
  return (ids) => {
    if (left < 0) return
    const missing = ids.filter((id) => isRead[id] === 0)
    if (missing.length === 0) return
    const rest = left - missing.length
    withFile(path, into, (read) => {
      if (rest < 0) return read(start, into.length)
      for (const id of missing) {
        read(start + id * DIMENSIONS, start + (id + 1) * DIMENSIONS)
        isRead[id] = 1
      }
    })
    left = rest
  }
}

/** Opens a file for `work`. Its `read` copies the bytes from `start` to before `end` to the same offsets in `into`. */
function withFile<T>(
  path: string,
  into: Uint8Array,
  work: (read: (start: number, end: number) => void) => T,
): T {
  const file = openSync(path, 'r')
  try {
    return work((start, end) => {
      if (end > into.length) throw badModel('The bundled model is cut short.')
      for (let at = start; at < end; ) {
        const count = readSync(file, into, at, end - at, at)
        if (count === 0) throw badModel('The bundled model is cut short.')
        at += count
      }
    })
  } finally {
    closeSync(file)
  }
}

export function badModel(message: string, cause?: unknown): CairnError {
  return new CairnError('bad_model', { message, hint: 'Install cairn-search again.', cause })
}
