/** Promise: the same three loops as the plain kernels, four numbers at a time, for the same answers. */

import { DIMENSIONS, GATE_RANK, type Kernels } from './kernels.js'
import {
  advance,
  all,
  type Code,
  type FunctionBody,
  f32,
  get,
  i32,
  repeatWhile,
  set,
  sumOfLanes,
  v128,
  writeModule,
} from './wasm-writer.js'

/** Dimensions that one turn of a loop handles: eight vectors of four, which stay in registers. */
const STEP = 32
const LANES = [0, 1, 2, 3, 4, 5, 6, 7] as const

/** The part of WebAssembly used here: its types come with the DOM library, which this project does without. */
type Wasm = {
  readonly Memory: new (size: { readonly initial: number }) => WasmMemory
  readonly Module: new (code: Uint8Array) => object
  readonly Instance: new (module: object, imports: object) => { readonly exports: object }
}
export type WasmMemory = { readonly buffer: ArrayBuffer }

/** Undefined under `--jitless`. */
const wasm = Reflect.get(globalThis, 'WebAssembly') as Wasm | undefined

/** Null where this Node runs no WebAssembly. */
export function createMemory(pages: number): WasmMemory | null {
  return wasm === undefined ? null : new wasm.Memory({ initial: pages })
}

/** Null where this Node runs no WebAssembly with SIMD; then the plain kernels do the work. */
export function simdKernels(memory: WasmMemory): Kernels | null {
  if (wasm === undefined) return null
  try {
    const module = new wasm.Module(kernelCode())
    return new wasm.Instance(module, { env: { memory } }).exports as Kernels
  } catch {
    return null
  }
}

function kernelCode(): Uint8Array<ArrayBuffer> {
  return writeModule(
    new Map([
      ['sum', sumBody()],
      ['dot', dotBody()],
      ['gate', gateBody()],
    ]),
  )
}

/** Leaves `vectors[lane]` of a row's eight: widened from int8 to float32. */
function floatsOfRow(row: number, widened: number, lane: number): Code {
  const half = lane % 2 === 0 ? v128.low : v128.high
  const load = lane % 2 === 0 ? all(get(row), v128.load8x8(lane * 4), set(widened)) : []
  return all(load, get(widened), half, v128.toFloat)
}

const clear = (locals: readonly number[]): Code =>
  all(...locals.map((local) => all(v128.zero, set(local))))

/** Goes over the rows once per 32 dimensions, so that the 32 sums never leave their registers. */
function sumBody(): FunctionBody {
  const [count, rows, weights, out, block, k, row, end] = [0, 1, 2, 3, 4, 5, 6, 7]
  const sums = LANES.map((lane) => 8 + lane)
  const [weight, widened] = [16, 17]
  const addRow = all(
    ...[get(rows), get(k), i32.add, i32.load(), get(block), i32.add, set(row)],
    ...[get(weights), get(k), i32.add, v128.loadSplat(), set(weight)],
    ...LANES.map((lane) =>
      all(
        ...[get(8 + lane), floatsOfRow(row, widened, lane), get(weight)],
        ...[v128.multiply, v128.add, set(8 + lane)],
      ),
    ),
    advance(k, 4),
  )
  const perBlock = all(
    clear(sums),
    ...[i32.constant(0), set(k)],
    repeatWhile(all(get(k), get(end), i32.lessThan), addRow),
    ...LANES.map((lane) => all(get(out), get(8 + lane), v128.store(lane * 16))),
    advance(out, STEP * 4),
    advance(block, STEP),
  )
  const code = all(
    ...[get(count), i32.constant(2), i32.shiftLeft, set(end)],
    repeatWhile(all(get(block), i32.constant(DIMENSIONS), i32.lessThan), perBlock),
  )
  return { ints: 4, vectors: 10, code }
}

function dotBody(): FunctionBody {
  const [count, rows, vector, out, row, at, end] = [0, 1, 2, 3, 4, 5, 6]
  // Four running sums, not one: an addition waits for the one before it.
  const sums = [8, 9, 10, 11]
  const widened = 12
  const addBlock = all(
    ...LANES.map((lane) =>
      all(
        ...[get(8 + (lane % 4)), floatsOfRow(row, widened, lane), get(at), v128.load(lane * 16)],
        ...[v128.multiply, v128.add, set(8 + (lane % 4))],
      ),
    ),
    advance(row, STEP),
    advance(at, STEP * 4),
  )
  const lastAddress = all(get(vector), i32.constant(DIMENSIONS * 4), i32.add)
  const perRow = all(
    clear(sums),
    ...[get(rows), i32.load(), set(row), get(vector), set(at)],
    repeatWhile(all(get(at), lastAddress, i32.lessThan), addBlock),
    ...[get(8), get(9), v128.add, get(10), v128.add, get(11), v128.add, set(8)],
    ...[get(out), sumOfLanes(8), f32.store],
    advance(rows, 4),
    advance(out, 4),
  )
  const code = all(
    ...[get(rows), get(count), i32.constant(2), i32.shiftLeft, i32.add, set(end)],
    repeatWhile(all(get(rows), get(end), i32.lessThan), perRow),
  )
  return { ints: 4, vectors: 5, code }
}

/** The 32 inner numbers live in eight vectors between the two loops and are never stored. */
function gateBody(): FunctionBody {
  const [text, token, vector, out, end] = [0, 1, 2, 3, 4]
  const inner = LANES.map((lane) => 5 + lane)
  const [value, total] = [13, 14]
  const project = all(
    ...[get(vector), v128.loadSplat(), set(value)],
    ...LANES.map((lane) =>
      all(
        ...[get(5 + lane), get(text), v128.load(lane * 16), get(value)],
        ...[v128.multiply, v128.add, set(5 + lane)],
      ),
    ),
    advance(text, GATE_RANK * 4),
    advance(vector, 4),
  )
  const expand = all(
    ...[v128.zero, set(total)],
    ...LANES.map((lane) =>
      all(
        ...[get(total), get(token), v128.load(lane * 16), get(5 + lane)],
        ...[v128.multiply, v128.add, set(total)],
      ),
    ),
    ...[get(out), sumOfLanes(total), f32.store],
    advance(token, GATE_RANK * 4),
    advance(out, 4),
  )
  const endOf = (local: number): Code =>
    all(get(local), i32.constant(DIMENSIONS * 4), i32.add, set(end))
  const code = all(
    clear(inner),
    endOf(vector),
    repeatWhile(all(get(vector), get(end), i32.lessThan), project),
    endOf(out),
    repeatWhile(all(get(out), get(end), i32.lessThan), expand),
  )
  return { ints: 1, vectors: 10, code }
}
