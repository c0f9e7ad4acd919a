/** The loops over all vectors, in WebAssembly SIMD or, if that is not available, in plain JavaScript. */

import { KERNELS_BASE64 } from './kernels.wasm.js'
import {
  Arena,
  createPlainMemory,
  decodeLevel,
  type GrowableMemory,
  MAX_PAGES,
  NO_THRESHOLD,
  SCAN,
  SCORE,
  SHAPE,
  SLOTS_PER_SEGMENT,
  SLOTS_PER_TILE,
  type Views,
} from './memory.js'

/** Addresses are byte offsets in `memory`; `memory.ts` has the layout of the jobs. */
export type Kernels = {
  readonly memory: GrowableMemory
  readonly usesSimd: boolean
  /** Estimates the slots of one segment and keeps at least the `want` best in the job's list. */
  scan(job: number): void
  /** Cuts the job's list to the `want` best: highest score first, then lowest slot. */
  keepBest(job: number): void
  /** Computes the similarities of the job's slots. */
  score(job: number): void
  /** Derives the coarse codes and factors of whole tiles of a segment, from slot `index` to before slot `end`. */
  coarsen(shape: number, segment: number, index: number, end: number): void
}

/** The part of WebAssembly that is used, because Node's types do not describe it. */
type WebAssemblyApi = {
  Module: new (bytes: Uint8Array) => object
  Memory: new (limits: { initial: number; maximum: number }) => GrowableMemory
  Instance: new (module: object, imports: object) => { readonly exports: Omit<Kernels, 'memory'> }
}

const { WebAssembly } = globalThis as unknown as { readonly WebAssembly?: WebAssemblyApi }
/** Compiled once for all indexes; null if that fails (under `--jitless`, or without SIMD). */
let compiled: object | null | undefined

/** Creates kernels with their own memory. Tests set `useSimd: false` to get the plain ones. */
export function createKernels(useSimd = true): Kernels {
  if (compiled === undefined) compiled = compile()
  if (!useSimd || WebAssembly === undefined || compiled === null) return createPlainKernels()
  const memory = new WebAssembly.Memory({ initial: 1, maximum: MAX_PAGES })
  const { exports } = new WebAssembly.Instance(compiled, { cairn: { memory } })
  const { scan, keepBest, score, coarsen } = exports
  return { memory, usesSimd: true, scan, keepBest, score, coarsen }
}

function compile(): object | null {
  try {
    return WebAssembly === undefined
      ? null
      : new WebAssembly.Module(Buffer.from(KERNELS_BASE64, 'base64'))
  } catch {
    return null
  }
}

/** The same loops in plain JavaScript, for engines without SIMD. The results are bit for bit the same. */
export function createPlainKernels(): Kernels {
  const memory = createPlainMemory()
  const arena = new Arena(memory)
  return {
    memory,
    usesSimd: false,
    scan: (job) => scan(arena.views, job >>> 2),
    keepBest: (job) => keepBest(arena.views, job >>> 2),
    score: (job) => score(arena.views, job >>> 2),
    coarsen: (shape, segment, first, end) => {
      for (let index = first; index < end; index++) {
        coarsenSlot(arena.views, { shape, segment, index })
      }
    },
  }
}

function word(words: Int32Array | Uint32Array | Float32Array, at: number): number {
  return words[at] ?? 0
}

function scan(views: Views, job: number): void {
  const { u8, i16, i32, u32 } = views
  const quads = word(u32, job + SCAN.quads)
  const bias = word(i32, job + SCAN.bias)
  const shift = word(u32, job + SCAN.shift)
  const factors = word(u32, job + SCAN.factors) >>> 1
  const tiles = word(u32, job + SCAN.tiles)
  const sums = new Int32Array(SLOTS_PER_TILE)
  for (let tile = 0; tile < tiles; tile++) {
    const live = word(u32, (word(u32, job + SCAN.live) >>> 2) + tile)
    if (live === 0) continue
    sums.fill(0)
    let at = word(u32, job + SCAN.coarse) + tile * quads * 64
    let table = word(u32, job + SCAN.tables)
    for (let group = 0; group < quads * 4; group++) {
      for (let byte = 0; byte < 16; byte++) {
        const pair = u8[at + byte] ?? 0
        const lane = (byte >> 1) + (byte & 1) * 8
        sums[lane] = (sums[lane] ?? 0) + (u8[table + (pair & 15)] ?? 0)
        sums[lane + 16] = (sums[lane + 16] ?? 0) + (u8[table + (pair >> 4)] ?? 0)
      }
      at += 16
      table += 16
    }
    for (const [lane, sum] of sums.entries()) {
      const inTile = tile * SLOTS_PER_TILE + lane
      if (((live >>> lane) & 1) === 0) continue
      const score = (((sum - bias) << shift) * (i16[factors + inTile] ?? 0) + 0x4000) >> 15
      if (score > word(i32, job + SCAN.threshold) && isAllowed(views, job, inTile)) {
        keep(views, job, { slot: word(u32, job + SCAN.firstSlot) + inTile, score })
      }
    }
  }
}

function isAllowed({ u8, u32 }: Views, job: number, inSegment: number): boolean {
  const allow = word(u32, job + SCAN.allow)
  if (allow === 0) return true
  const owner = word(u32, (word(u32, job + SCAN.owners) >>> 2) + inSegment)
  if (owner >>> 3 >= word(u32, job + SCAN.allowBytes)) return false
  return (((u8[allow + (owner >>> 3)] ?? 0) >> (owner & 7)) & 1) === 1
}

function keep(views: Views, job: number, found: { slot: number; score: number }): void {
  const { i32, u32 } = views
  const count = word(u32, job + SCAN.count)
  u32[(word(u32, job + SCAN.slots) >>> 2) + count] = found.slot
  i32[(word(u32, job + SCAN.scores) >>> 2) + count] = found.score
  u32[job + SCAN.count] = count + 1
  if (count + 1 === word(u32, job + SCAN.capacity)) keepBest(views, job)
}

function keepBest({ i32, u32 }: Views, job: number): void {
  const count = word(u32, job + SCAN.count)
  const want = word(u32, job + SCAN.want)
  if (count < want) return
  const slots = word(u32, job + SCAN.slots) >>> 2
  const scores = word(u32, job + SCAN.scores) >>> 2
  const sorted = i32.slice(scores, scores + count).sort()
  const worst = sorted[count - want] ?? NO_THRESHOLD
  let ties = want - sorted.filter((score) => score > worst).length
  let kept = 0
  for (let i = 0; i < count; i++) {
    const score = word(i32, scores + i)
    if (score < worst || (score === worst && ties-- <= 0)) continue
    i32[scores + kept] = score
    u32[slots + kept] = word(u32, slots + i)
    kept += 1
  }
  u32[job + SCAN.count] = kept
  i32[job + SCAN.threshold] = worst
}

function score({ i8, i16, u32, f32 }: Views, job: number): void {
  const width = word(u32, job + SCORE.width)
  const query = word(u32, job + SCORE.query) >>> 1
  const unit = word(f32, job + SCORE.unit)
  for (let i = 0; i < word(u32, job + SCORE.count); i++) {
    const slot = word(u32, (word(u32, job + SCORE.slots) >>> 2) + i)
    const at = slot % SLOTS_PER_SEGMENT
    const segment = word(
      u32,
      (word(u32, job + SCORE.segments) >>> 2) + (slot - at) / SLOTS_PER_SEGMENT,
    )
    let dot = 0
    for (let d = 0; d < width; d++) {
      dot += (i8[segment + at * width + d] ?? 0) * (i16[query + d] ?? 0)
    }
    const scale = word(f32, ((segment + word(u32, job + SCORE.scales)) >>> 2) + at)
    const similarity = Math.fround(Math.fround(dot) * scale) * unit
    // Clamps, because rounding may exceed 1 by a millionth.
    f32[(word(u32, job + SCORE.similarities) >>> 2) + i] = Math.max(-1, Math.min(1, similarity))
  }
}

function coarsenSlot(
  { u8, i8, i16, u32, f32 }: Views,
  { shape, segment, index }: { shape: number; segment: number; index: number },
): void {
  const words = shape >>> 2
  const width = word(u32, words + SHAPE.width)
  const codes = i8.subarray(segment + index * width, segment + (index + 1) * width)
  const squared = codes.reduce((sum, code) => sum + code * code, 0)
  const length = Math.fround(Math.sqrt(Math.fround(squared)))
  const spread = Math.fround(length * word(f32, words + SHAPE.edgeUnit))
  const edge = Math.max(1, Math.min(127, roundHalfToEven(spread)))

  const lane = index % SLOTS_PER_TILE
  const tile =
    segment + word(u32, words + SHAPE.coarse) + ((index - lane) / SLOTS_PER_TILE) * width * 8
  const byte = (lane & 7) * 2 + ((lane >> 3) & 1)
  const up = lane < 16 ? 0 : 4
  let overlap = 0
  for (let d = 0; d < width; d += 2) {
    const first = codes[d] ?? 0
    const second = codes[d + 1] ?? 0
    const nibble = levelOf(first, edge) | (levelOf(second, edge) << 2)
    const at = tile + d * 8 + byte
    u8[at] = ((u8[at] ?? 0) & (0xf0 >> up)) | (nibble << up)
    overlap += first * decodeLevel(nibble & 3) + second * decodeLevel(nibble >> 2)
  }
  const scale = word(f32, ((segment + word(u32, words + SHAPE.scales)) >>> 2) + index)
  const factor = word(f32, words + SHAPE.factorUnit) / Math.fround(scale * Math.fround(overlap))
  const factorAt = ((segment + word(u32, words + SHAPE.factors)) >>> 1) + index
  i16[factorAt] = Math.min(32767, Math.trunc(Math.fround(factor)))
}

function levelOf(code: number, edge: number): number {
  return Number(code >= -edge) + Number(code >= 0) + Number(code >= edge)
}

/** Rounds halves to even, as the SIMD instruction does: 2.5 → 2, 3.5 → 4. */
function roundHalfToEven(x: number): number {
  const floor = Math.floor(x)
  if (x - floor !== 0.5) return Math.round(x)
  return floor % 2 === 0 ? floor : floor + 1
}
