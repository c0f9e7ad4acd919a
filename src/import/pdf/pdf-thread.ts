/** PDF.js runs in a thread that ends with a signal, a stall or a crash, and takes nothing else along. */

import { Worker } from 'node:worker_threads'
import { type Job, type Message, SETTINGS, WORKER_CODE } from './pdfjs-worker.js'

export type Outcome =
  | Extract<Message, { kind: 'end' | 'failed' }>
  /** No page came for too long, or the thread ran out of memory. */
  | { readonly kind: 'lost'; readonly cause: unknown }

export type Listener = {
  onPage(page: Extract<Message, { kind: 'page' }>): void
  readonly signal: AbortSignal | undefined
}

/** The longest that one page, or the opening of a file, may take. */
const STALL_MS = 60_000
/** A thread that waits for this long is ended: it holds the memory of PDF.js. */
const IDLE_MS = 5_000
const MAX_MEMORY_MB = 2048

/** A thread without work, kept because starting one takes longer than reading a short file. */
let spare: { readonly worker: Worker; readonly timer: NodeJS.Timeout } | null = null

export async function readInThread(job: Job, listener: Listener): Promise<Outcome> {
  const worker = takeWorker()
  try {
    const outcome = await converse(worker, job, listener)
    if (outcome.kind === 'lost') await worker.terminate()
    else keepWorker(worker)
    return outcome
  } catch (error) {
    await worker.terminate()
    throw error
  }
}

function takeWorker(): Worker {
  if (spare === null) return startWorker()
  const { worker, timer } = spare
  clearTimeout(timer)
  spare = null
  worker.ref()
  return worker
}

function startWorker(): Worker {
  const worker = new Worker(WORKER_CODE, {
    eval: true,
    workerData: { ...SETTINGS, pdfjs: import.meta.resolve('unpdf/pdfjs') },
    // Nothing of this process reaches the thread, and nothing that it prints comes back.
    execArgv: [],
    env: {},
    stdin: false,
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: MAX_MEMORY_MB },
  })
  // It may also end while nobody listens, which must neither end the process nor keep it as a spare.
  worker.on('error', () => {})
  worker.on('exit', () => {
    if (spare?.worker === worker) spare = null
  })
  return worker
}

function keepWorker(worker: Worker): void {
  if (spare !== null) {
    void worker.terminate()
    return
  }
  const end = (): void => {
    if (spare?.worker === worker) spare = null
    void worker.terminate()
  }
  // Neither the thread nor its timer keeps a program from ending.
  worker.unref()
  spare = { worker, timer: setTimeout(end, IDLE_MS).unref() }
}

function converse(worker: Worker, job: Job, { onPage, signal }: Listener): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const abort = (): void => settle(() => reject(signal?.reason))
    const lose = (cause: unknown): void => settle(() => resolve({ kind: 'lost', cause }))
    const stall = setTimeout(() => lose(new Error('no page for too long')), STALL_MS)
    const exit = (code: number): void => lose(new Error(`the thread ended with ${code}`))
    const hear = (message: Message): void => {
      stall.refresh()
      if (message.kind !== 'page') {
        settle(() => resolve(message))
        return
      }
      try {
        onPage(message)
      } catch (error) {
        settle(() => reject(error))
      }
    }
    const settle = (how: () => void): void => {
      clearTimeout(stall)
      signal?.removeEventListener('abort', abort)
      worker.off('error', lose).off('exit', exit).off('message', hear)
      how()
    }
    signal?.addEventListener('abort', abort, { once: true })
    worker.on('error', lose).on('exit', exit).on('message', hear)
    worker.postMessage(job, [job.bytes.buffer as ArrayBuffer])
  })
}
