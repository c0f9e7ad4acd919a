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
/** More workers would embed faster than the main thread can write. */
const MAX_WORKERS = 3
/** Below this the main thread is done before a worker has started. */
const BULK = { texts: 100, characters: 200_000 }
/** An idle worker is ended after this time: it holds a copy of the model. */
const IDLE_MS = 60_000

export type EmbedTexts = (texts: readonly TextInContext[]) => Promise<RecordVectors[]>
export type WorkerRequest = {
  readonly id: number
  readonly texts: readonly TextInContext[]
  readonly claim: Claim
}
/** Null where the main thread had claimed the piece. */
export type WorkerResponse = { readonly id: number; readonly packed: PackedVectors | null }

/** One number in shared memory: a worker and the main thread both want a piece, and the first to set it embeds it. */
export type Claim = Int32Array<SharedArrayBuffer>

export function takeClaim(claim: Claim): boolean {
  return Atomics.compareExchange(claim, 0, 0, 1) === 0
}

/** A part of a call. `resolve(null)` says that its worker ended; then the caller embeds it. */
type Piece = {
  readonly texts: readonly TextInContext[]
  readonly vectors: Promise<RecordVectors[] | null>
  readonly resolve: (vectors: RecordVectors[] | null) => void
  readonly claim: Claim
}

type Slot = { worker: Worker | null; readonly pending: Map<number, Piece> }

export class WorkerPool {
  readonly #file: string | null
  readonly #slots: readonly Slot[]
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
    // The results of an earlier call are written first: until then the workers have enough to do.
    await previous
    for (const piece of pieces.toReversed()) {
      await nextTurn()
      if (!takeClaim(piece.claim)) continue
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
    await Promise.all(
      this.#slots.map(({ worker }) => {
        // A late answer must not unreference the worker: Node would end a program that only waits for its end.
        worker?.removeAllListeners('message').ref()
        return worker?.terminate()
      }),
    )
  }

  /** All pieces go out at once, because the main thread cannot hand out more while it writes a batch. */
  #dispatch(pieces: readonly Piece[]): void {
    for (const piece of pieces) {
      const [slot] = this.#slots.toSorted((one, other) => one.pending.size - other.pending.size)
      if (slot === undefined) return
      try {
        slot.worker ??= this.#startWorker(slot)
      } catch {
        // The system allows no more threads: the main thread embeds alone.
        return
      }
      const id = this.#nextId++
      slot.pending.set(id, piece)
      // A program must not end while it waits for a worker.
      slot.worker.ref()
      const { texts, claim } = piece
      slot.worker.postMessage({ id, texts, claim } satisfies WorkerRequest)
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
      if (packed !== null) piece?.resolve(unpackVectors(piece.texts, packed))
      if (slot.pending.size === 0) worker.unref()
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
  return { texts, vectors, resolve, claim: new Int32Array(new SharedArrayBuffer(4)) }
}

function countCharacters({ title, body, context }: TextInContext): number {
  return (title?.length ?? 0) + body.length + (context?.length ?? 0)
}
