/** Instantiates a WebAssembly module with a memory of its own, if Node has WebAssembly. */

import { Buffer } from 'node:buffer'
import { endianness } from 'node:os'

const PAGE_BYTES = 65_536

/** The part of WebAssembly used here; its types come with the DOM library, which this project does without. */
type WebAssemblyApi = {
  readonly Memory: new (size: { readonly initial: number }) => { readonly buffer: ArrayBuffer }
  readonly Module: new (code: Uint8Array) => object
  readonly Instance: new (module: object, imports: object) => { readonly exports: object }
}

/** Null under `--jitless`, where SIMD is missing, and where `ulimit -v` forbids the address space. */
export function createFastLoops<Loops>(
  base64: string,
  bytes: number,
): { readonly buffer: ArrayBuffer; readonly loops: Loops } | null {
  const api = Reflect.get(globalThis, 'WebAssembly') as WebAssemblyApi | undefined
  if (api === undefined || endianness() !== 'LE') return null
  try {
    const memory = new api.Memory({ initial: Math.ceil(bytes / PAGE_BYTES) })
    const module = new api.Module(Buffer.from(base64, 'base64'))
    const { exports } = new api.Instance(module, { cairn: { memory } })
    return { buffer: memory.buffer, loops: exports as Loops }
  } catch {
    return null
  }
}
