/** WebAssembly where this Node has it, and null where it has not. */

import { Buffer } from 'node:buffer'
import { endianness } from 'node:os'

const PAGE_BYTES = 65_536

/** The part of WebAssembly used here: its types come with the DOM library, which this project does without. */
type WebAssemblyApi = {
  readonly Memory: new (size: { readonly initial: number }) => WasmMemory
  readonly Module: new (code: Uint8Array) => object
  readonly Instance: new (module: object, imports: object) => { readonly exports: object }
}

/** To grow it makes a new `buffer`: arrays over the old one are empty from then on. */
export type WasmMemory = { readonly buffer: ArrayBuffer; grow(pages: number): number }

/** Undefined under `--jitless`. */
const api = Reflect.get(globalThis, 'WebAssembly') as WebAssemblyApi | undefined

/** Null also where the process may not reserve the gigabytes of addresses that a memory lies in (`ulimit -v`). */
export function createMemory(bytes: number): WasmMemory | null {
  // What WebAssembly writes, arrays of JavaScript read only where both have the low byte first.
  if (api === undefined || endianness() !== 'LE') return null
  try {
    return new api.Memory({ initial: pagesFor(bytes) })
  } catch {
    return null
  }
}

export function growTo(memory: WasmMemory, bytes: number): void {
  memory.grow(Math.max(0, pagesFor(bytes) - pagesFor(memory.buffer.byteLength)))
}

/** The functions of a module of `wasm/`; null where an instruction of it is not known here. */
export function instantiate<Exports extends object>(
  base64: string,
  imports: object,
): Exports | null {
  if (api === undefined) return null
  try {
    const module = new api.Module(Buffer.from(base64, 'base64'))
    return new api.Instance(module, { cairn: imports }).exports as Exports
  } catch {
    return null
  }
}

/** The next address at which any number may lie. */
export function align(address: number): number {
  return Math.ceil(address / 16) * 16
}

function pagesFor(bytes: number): number {
  return Math.ceil(bytes / PAGE_BYTES)
}
