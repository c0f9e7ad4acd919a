/** The fastest loops this machine can run, behind one interface. */

import { type GrowableMemory, MOST_PAGES, plainMemory } from './arena.js'
import { KERNELS_BASE64 } from './kernels.wasm.js'
import { plainKernels } from './kernels-plain.js'

/** Addresses are bytes from the start of `memory`; jobs are laid out in `layout.ts`. */
export type Kernels = {
  readonly memory: GrowableMemory
  readonly usesSimd: boolean
  /** Estimates the slots of one segment and keeps the best `want` or more in the job's list. */
  scan(job: number): void
  /** Cuts the job's list to the `want` best: score down, then slot up. */
  keepBest(job: number): void
  /** Writes the similarity of each listed slot. */
  score(job: number): void
  /** Derives the coarse codes and factors of the slots `index` and `index + 16` of a segment. */
  coarsenPair(shape: number, segment: number, index: number): void
}

/** What is used of WebAssembly, which the language's own types do not describe without a browser. */
type WebAssemblyApi = {
  validate(bytes: Uint8Array): boolean
  Module: new (bytes: Uint8Array) => object
  Memory: new (limits: { initial: number; maximum: number }) => GrowableMemory
  Instance: new (module: object, imports: object) => { readonly exports: Omit<Kernels, 'memory'> }
}

/** Kernels with a memory of their own. `useSimd` false gives the plain ones even where SIMD is there. */
export function createKernels(useSimd = true): Kernels {
  const { WebAssembly } = globalThis as unknown as { WebAssembly?: WebAssemblyApi }
  const bytes = Uint8Array.from(Buffer.from(KERNELS_BASE64, 'base64'))
  // Absent under `--jitless`; invalid where the processor or the engine has no SIMD.
  if (!useSimd || WebAssembly === undefined || !WebAssembly.validate(bytes)) {
    return plainKernels(plainMemory())
  }
  const memory = new WebAssembly.Memory({ initial: 1, maximum: MOST_PAGES })
  const module = new WebAssembly.Module(bytes)
  const { exports } = new WebAssembly.Instance(module, { cairn: { memory } })
  const { scan, keepBest, score, coarsenPair } = exports
  return { memory, usesSimd: true, scan, keepBest, score, coarsenPair }
}
