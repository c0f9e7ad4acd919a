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

/** A piece takes about ten milliseconds, so waiting for the last one is short. */
const PIECE = { maxCharacters: 100_000, maxTexts: 64 }
/** More workers would embed faster than the main thread can write to the file. */
const MAX_WORKERS = 3
/** Below these limits the main thread finishes before a worker has started. */
const BULK = { texts: 100, characters: 200_000 }
/** Idle workers are terminated after this time, because each holds a copy of the model. */
const IDLE_MS = 60_000

type EmbedTexts = (texts: readonly TextInContext[]) => Promise<RecordVectors[]>
export type WorkerRequest = {
  readonly id: number
  readonly texts: readonly TextInContext[]
  readonly claim: Claim
}
/** `packed` is null if the main thread had claimed the piece. */
export type WorkerResponse = { readonly id: number; readonly packed: PackedVectors | null }

/** One number in shared memory. A worker and the main thread compete for a piece, and the first to set it embeds it. */
type Claim = Int32Array<SharedArrayBuffer>

export function takeClaim(claim: Claim): boolean {
  return Atomics.compareExchange(claim, 0, 0, 1) === 0
}

/** A part of the texts of a call. `resolve(null)` means that its worker ended; then the main thread embeds it. */
type Piece = {
  readonly texts: readonly TextInContext[]
  readonly vectors: Promise<RecordVectors[] | null>
  readonly resolve: (vectors: RecordVectors[] | null) => void
  readonly claim: Claim
}

/** A worker, or null before it is started and after it has ended, with its unfinished pieces by request id. */
type WorkerSlot = { worker: Worker | null; readonly pending: Map<number, Piece> }

export class WorkerPool {
  readonly #file: string | null
  readonly #slots: readonly WorkerSlot[]
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

  async embed(texts: readonly TextInContext[], embedHere: EmbedTexts): Promise<RecordVectors[]> {
    const pieces = splitTexts(texts).map(createPiece)
    this.#dispatch(pieces)
    const previous = this.#previousCall
    this.#previousCall = Promise.all(pieces.map(({ vectors }) => vectors))
    // Wait for the previous call, so that the main thread can write its results. The workers start on these pieces now.
    await previous
    for (const piece of pieces.toReversed()) {
      await nextTurn()
      if (!takeClaim(piece.claim)) continue
      // If this fails, the loop below tries again and passes the error to the caller.
      piece.resolve(await embedHere(piece.texts).catch(() => null))
    }
    const all: RecordVectors[] = []
    for (const { texts, vectors } of pieces)
      all.push(...((await vectors) ?? (await embedHere(texts))))
    return all
  }

  async close(): Promise<void> {
    if (this.#idle !== null) clearTimeout(this.#idle)
    await Promise.all(
      this.#slots.map(({ worker }) => {
        // A late message must not call `unref`: Node would exit while the program only waits for the worker to end.
        worker?.removeAllListeners('message').ref()
        return worker?.terminate()
      }),
    )
  }

  /** Sends all pieces at once, because the main thread cannot send more while it writes a batch. */
  #dispatch(pieces: readonly Piece[]): void {
    for (const piece of pieces) {
      const [slot] = this.#slots.toSorted((one, other) => one.pending.size - other.pending.size)
      if (slot === undefined) return
      try {
        slot.worker ??= this.#startWorker(slot)
      } catch {
        // The system allows no more threads, so the main thread embeds alone.
        return
      }
      const id = this.#nextId++
      slot.pending.set(id, piece)
      // Keeps the process alive while it waits for the worker.
      slot.worker.ref()
      const { texts, claim } = piece
      slot.worker.postMessage({ id, texts, claim } satisfies WorkerRequest)
    }
    this.#restartIdleTimer()
  }

  #startWorker(slot: WorkerSlot): Worker {
    // The worker gets no flags and no environment of this process, and its output is discarded.
    const isolated = { execArgv: [], env: {}, stdin: false, stdout: true, stderr: true }
    const worker = new Worker(this.#file ?? '', isolated)
    worker.on('message', ({ id, packed }: WorkerResponse) => {
      const piece = slot.pending.get(id)
      slot.pending.delete(id)
      if (packed !== null) piece?.resolve(unpackVectors(piece.texts, packed))
      if (slot.pending.size === 0) worker.unref()
    })
    // An error ends the worker, and the `exit` event follows.
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

export function isBulk(texts: readonly TextInContext[]): boolean {
  if (texts.length < BULK.texts) return false
  return texts.reduce((sum, text) => sum + countCharacters(text), 0) >= BULK.characters
}

/** Splits texts into pieces, in order. A text that exceeds the limit is a piece of its own. */
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

/** Finds the built worker in `dist/` of the package, also when running from the sources. Null if it was not built. */
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
  return { texts, vectors, resolve, claim: new Int32Array(new SharedArrayBuffer(4)) }
}

function countCharacters({ title, body, context }: TextInContext): number {
  return (title?.length ?? 0) + body.length + (context?.length ?? 0)
}
