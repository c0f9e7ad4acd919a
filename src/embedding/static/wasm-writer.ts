/** Promise: the few WebAssembly instructions that the kernels need, written as the bytes the format asks for. */

/** A piece of a function body: bytes, ready to be joined. */
export type Code = readonly number[]

const I32 = 0x7f
const V128 = 0x7b
const NO_RESULT = 0x40

/** Unsigned LEB128, as every count, index and offset is written. */
export function unsigned(value: number): Code {
  const bytes: number[] = []
  let rest = value
  do {
    const low = rest & 0x7f
    rest >>>= 7
    bytes.push(rest === 0 ? low : low | 0x80)
  } while (rest !== 0)
  return bytes
}

const vector = (opcode: number, ...rest: Code): Code => [0xfd, ...unsigned(opcode), ...rest]
/** Alignment 0 (a byte) is always allowed and only a hint. */
const place = (offset: number): Code => [0, ...unsigned(offset)]

export const get = (local: number): Code => [0x20, ...unsigned(local)]
export const set = (local: number): Code => [0x21, ...unsigned(local)]
export const all = (...parts: readonly Code[]): Code => parts.flat()

export const i32 = {
  /** Constants here are small and positive; one more bit keeps the signed form from reading them as negative. */
  constant: (value: number): Code => [0x41, ...signedSmall(value)],
  load: (offset = 0): Code => [0x28, ...place(offset)],
  add: [0x6a] as Code,
  shiftLeft: [0x74] as Code,
  lessThan: [0x49] as Code,
} as const

export const f32 = { store: [0x38, ...place(0)] as Code, add: [0x92] as Code } as const

export const v128 = {
  load: (offset: number): Code => vector(0, ...place(offset)),
  /** Eight int8 widened to int16. */
  load8x8: (offset: number): Code => vector(1, ...place(offset)),
  loadSplat: (offset = 0): Code => vector(9, ...place(offset)),
  store: (offset: number): Code => vector(11, ...place(offset)),
  zero: vector(12, ...new Array<number>(16).fill(0)),
  lane: (index: number): Code => vector(31, index),
  low: vector(167),
  high: vector(168),
  toFloat: vector(250),
  add: vector(228),
  multiply: vector(230),
} as const

/** A loop that runs `body` and starts again while `condition` leaves true. */
export const repeatWhile = (condition: Code, body: Code): Code =>
  all([0x03, NO_RESULT], body, condition, [0x0d, 0], [0x0b])

/** local += amount */
export const advance = (local: number, amount: number): Code =>
  all(get(local), i32.constant(amount), i32.add, set(local))

/** Leaves the sum of the four lanes of a local. */
export const sumOfLanes = (local: number): Code =>
  all(
    get(local),
    v128.lane(0),
    ...[1, 2, 3].map((lane) => all(get(local), v128.lane(lane), f32.add)),
  )

export type FunctionBody = { readonly ints: number; readonly vectors: number; readonly code: Code }

/** A module of functions of four int32 that return nothing, over the memory `env.memory`. */
export function writeModule(functions: ReadonlyMap<string, FunctionBody>): Uint8Array<ArrayBuffer> {
  const names = [...functions.keys()]
  const bodies = [...functions.values()].map(({ ints, vectors, code }) =>
    sized(all([2, ...unsigned(ints), I32, ...unsigned(vectors), V128], code, [0x0b])),
  )
  return Uint8Array.from(
    all(
      [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
      section(1, [[0x60, 4, I32, I32, I32, I32, 0]]),
      section(2, [all(name('env'), name('memory'), [0x02, 0x00, 0x01])]),
      section(
        3,
        names.map(() => [0]),
      ),
      section(
        7,
        names.map((each, index) => all(name(each), [0x00, ...unsigned(index)])),
      ),
      section(10, bodies),
    ),
  )
}

function section(id: number, items: readonly Code[]): Code {
  return [id, ...sized(all(unsigned(items.length), ...items))]
}

function sized(code: Code): Code {
  return all(unsigned(code.length), code)
}

function name(text: string): Code {
  return sized([...text].map((character) => character.charCodeAt(0)))
}

function signedSmall(value: number): Code {
  return value < 64 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >> 7)]
}
