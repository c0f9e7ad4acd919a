/** Embeds many texts with the bundled model on several threads: the main thread and up to three workers. */

import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import type { TextInContext } from '../core/passage.js'
import type { RecordVectors } from '../storage/vectors.js'
import { type PackedVectors, unpackVectors } from './packed-vectors.js'

/** A piece takes some ten milliseconds, so the last one delays a call only a little. */
const PIECE = { maxCharacters: 100_000, maxTexts: 64 }
/** A worker always has the next piece waiting while it embeds one. */
const PIECES_PER_WORKER = 2
/** More workers would embed faster than the main thread can write. */
const MAX_WORKERS = 3
/** Below this the main thread is done before a worker has started. */
const BULK = { texts: 100, characters: 200_000 }
/** An idle worker is ended after this time: it holds a copy of the model. */
const IDLE_MS = 60_000

export type EmbedTexts = (texts: readonly TextInContext[]) => Promise<RecordVectors[]>
export type WorkerRequest = { readonly id: number; readonly texts: readonly TextInContext[] }
export type WorkerResponse = { readonly id: number; readonly packed: PackedVectors }

/** A part of a call. `resolve(null)` says that its worker ended; then the caller embeds it. */
type Piece = {
  readonly texts: readonly TextInContext[]
  readonly vectors: Promise<RecordVectors[] | null>
  readonly resolve: (vectors: RecordVectors[] | null) => void
}

type Slot = { worker: Worker | null; readonly pending: Map<number, Piece> }

/** Starts workers with the first call and holds them until it is closed. */
export class WorkerPool {
  readonly #file: string | null
  readonly #slots: readonly Slot[]
  readonly #queue: Piece[] = []
  #nextId = 0
  #idle: NodeJS.Timeout | null = null
  #previousCall: Promise<unknown> = Promise.resolve()

  constructor(
    count: number = Math.min(MAX_WORKERS, availableParallelism() - 1),
    file: string | null = findWorkerFile(),
  ) {
    this.#file = file
    this.#slots = Array.from({ length: file === null ? 0 : count }, () => ({
      worker: null,
      pending: new Map(),
    }))
  }

  /** `embedHere` embeds on this thread. */
  async embed(texts: readonly TextInContext[], embedHere: EmbedTexts): Promise<RecordVectors[]> {
    const pieces = splitTexts(texts).map(createPiece)
    this.#queue.push(...pieces)
    this.#dispatch()
    const previous = this.#previousCall
    this.#previousCall = Promise.all(pieces.map(({ vectors }) => vectors))
    // The results of an earlier call are written first: until then the workers have enough to do.
    await previous
    for (const piece of pieces.toReversed()) {
      await nextTurn()
      const at = this.#queue.indexOf(piece)
      if (at < 0) continue
      this.#queue.splice(at, 1)
      // A model that fails here fails below, where the error reaches the caller.
      piece.resolve(await embedHere(piece.texts).catch(() => null))
    }
    const all: RecordVectors[] = []
    for (const { texts, vectors } of pieces)
      all.push(...((await vectors) ?? (await embedHere(texts))))
    return all
  }

  async close(): Promise<void> {
    if (this.#idle !== null) clearTimeout(this.#idle)
    await Promise.all(this.#slots.map(({ worker }) => worker?.terminate()))
  }

  #dispatch(): void {
    for (const slot of this.#slots) {
      while (slot.pending.size < PIECES_PER_WORKER && this.#queue.length > 0) {
        try {
          slot.worker ??= this.#startWorker(slot)
        } catch {
          // The system allows no more threads: the main thread embeds alone.
          return
        }
        const piece = this.#queue.shift() as Piece
        const id = this.#nextId++
        slot.pending.set(id, piece)
        // A program must not end while it waits for a worker.
        slot.worker.ref()
        slot.worker.postMessage({ id, texts: piece.texts } satisfies WorkerRequest)
      }
    }
    this.#restartIdleTimer()
  }

  #startWorker(slot: Slot): Worker {
    // Nothing of this process reaches the worker, and nothing that it prints comes back.
    const isolated = { execArgv: [], env: {}, stdin: false, stdout: true, stderr: true }
    const worker = new Worker(this.#file ?? '', isolated)
    worker.on('message', ({ id, packed }: WorkerResponse) => {
      const piece = slot.pending.get(id)
      slot.pending.delete(id)
      if (piece !== undefined) piece.resolve(unpackVectors(piece.texts, packed))
      if (slot.pending.size === 0) worker.unref()
      this.#dispatch()
    })
    // An error ends the worker, and `exit` follows.
    worker.on('error', () => {})
    worker.on('exit', () => {
      slot.worker = null
      for (const piece of slot.pending.values()) piece.resolve(null)
      slot.pending.clear()
    })
    return worker
  }

  #restartIdleTimer(): void {
    if (this.#idle !== null) clearTimeout(this.#idle)
    this.#idle = setTimeout(() => {
      for (const { worker, pending } of this.#slots)
        if (pending.size === 0) void worker?.terminate()
    }, IDLE_MS).unref()
  }
}

/** Whether starting workers is worth while. */
export function isBulk(texts: readonly TextInContext[]): boolean {
  if (texts.length < BULK.texts) return false
  return texts.reduce((sum, text) => sum + countCharacters(text), 0) >= BULK.characters
}

/** In order; a text that is longer than a piece is a piece of its own. */
export function splitTexts(texts: readonly TextInContext[], limit = PIECE): TextInContext[][] {
  const pieces: TextInContext[][] = []
  let piece: TextInContext[] = []
  let characters = 0
  for (const text of texts) {
    characters += countCharacters(text)
    const isFull = piece.length >= limit.maxTexts || characters > limit.maxCharacters
    if (piece.length === 0 || isFull) {
      piece = []
      pieces.push(piece)
      characters = countCharacters(text)
    }
    piece.push(text)
  }
  return pieces
}

/** The built worker: `dist/` of the package, also where the sources run. Null where it was not built. */
export function findWorkerFile(from: string = fileURLToPath(import.meta.url)): string | null {
  for (let folder = dirname(from); dirname(folder) !== folder; folder = dirname(folder)) {
    if (!existsSync(join(folder, 'package.json'))) continue
    const file = join(folder, 'dist', 'embedding-worker.js')
    return existsSync(file) ? file : null
  }
  return null
}

function createPiece(texts: readonly TextInContext[]): Piece {
  let resolve: Piece['resolve'] = () => {}
  const vectors = new Promise<RecordVectors[] | null>((fulfil) => {
    resolve = fulfil
  })
  return { texts, vectors, resolve }
}

function countCharacters({ title, body, context }: TextInContext): number {
  return (title?.length ?? 0) + body.length + (context?.length ?? 0)
}
