/** Runs PDF.js in a worker thread that is ended by a signal, a stall or a crash. It reads bytes only: no files, network or eval. */

import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'

/** A piece of text, as PDF.js places it. */
export type PdfItem = {
  readonly str: string
  readonly transform: readonly number[]
  readonly width: number
  readonly height: number
  readonly hasEOL: boolean
}

/** The info dictionary, and XMP by names such as `dc:title`. */
export type PdfMetadata = { readonly info: object; readonly xmp: object }

type PageMessage = {
  readonly kind: 'page'
  readonly items: readonly PdfItem[]
  /** False if the page is damaged or holds more than a page can. */
  readonly isComplete: boolean
}

/** `lost`: no page came for too long, or the thread ran out of memory. */
type PdfOutcome =
  | {
      readonly kind: 'end'
      readonly labels: readonly string[] | null
      readonly metadata: PdfMetadata | null
    }
  | { readonly kind: 'failed'; readonly name: string; readonly text: string }
  | { readonly kind: 'lost'; readonly cause: unknown }

/** The longest that one page, or opening a file, may take. */
const STALL_MS = 60_000
const MAX_MEMORY_MB = 2048
/** The text of more pages would be larger than a body may be; and PDF.js walks over all pages to find one. */
export const MAX_PAGES = 10_000

/**
 * The code of the thread. It is a text, because Node starts a thread from JavaScript only; this way sources, bundle and
 * tests run the same code. A printed page holds some thousand characters, and the largest poster not a hundred times as
 * many. A file may claim any number of pages, so reading stops after a hundred broken ones in a row.
 */
const WORKER_CODE = `
const { parentPort, workerData } = require('node:worker_threads')
const [MAX_CHARS, MAX_PIECES, MAX_BROKEN] = [1_000_000, 20_000, 100]
// PDF.js leaves rejected promises behind when it repairs a damaged file; errors that matter arrive below as well.
process.on('unhandledRejection', () => {})
const loading = import(workerData.pdfjs)
const OPTIONS = {
  verbosity: 0,
  isEvalSupported: false,
  disableFontFace: true,
  useSystemFonts: false,
  useWorkerFetch: false,
  useWasm: false,
  enableXfa: false,
  isOffscreenCanvasSupported: false,
  isImageDecoderSupported: false,
}

async function readPage(pdf, page) {
  const items = []
  try {
    const proxy = await pdf.getPage(page)
    const reader = proxy.streamTextContent().getReader()
    let chars = 0
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      for (const { str, transform, width, height, hasEOL } of next.value.items) {
        if (typeof str !== 'string') continue
        items.push({ str, transform, width, height, hasEOL })
        chars += str.length
      }
      if (chars > MAX_CHARS || items.length > MAX_PIECES) {
        await reader.cancel(new Error('more than a page can hold'))
        return { items, isComplete: false }
      }
    }
    proxy.cleanup()
    return { items, isComplete: true }
  } catch {
    return { items, isComplete: false }
  }
}

async function readMetadata(pdf) {
  const { info, metadata } = await pdf.getMetadata()
  // Through JSON, because some values are objects of PDF.js.
  return JSON.parse(JSON.stringify({ info, xmp: Object.fromEntries(metadata ?? []) }))
}

/** A file may also claim more pages than it has. */
async function hasTooMany(pdf) {
  const { maxPages } = workerData
  if (pdf.numPages <= maxPages) return false
  return pdf.getPage(maxPages + 1).then(() => true, () => false)
}

async function readAll(pdf) {
  if (await hasTooMany(pdf)) return { kind: 'failed', name: 'TooManyPages', text: String(pdf.numPages) }
  let broken = 0
  let page = 1
  for (; page <= pdf.numPages && broken < MAX_BROKEN; page++) {
    const { items, isComplete } = await readPage(pdf, page)
    broken = isComplete ? 0 : broken + 1
    parentPort.postMessage({ kind: 'page', items, isComplete })
  }
  // PDF.js makes labels for all pages that the file claims to have, so they must exist.
  const labels = page > pdf.numPages ? await pdf.getPageLabels().catch(() => null) : null
  return { kind: 'end', labels, metadata: await readMetadata(pdf).catch(() => null) }
}

parentPort.on('message', async (bytes) => {
  let task = null
  let last
  try {
    const { getDocument } = await loading
    task = getDocument({ ...OPTIONS, data: bytes })
    last = await readAll(await task.promise)
  } catch (error) {
    last = { kind: 'failed', name: error?.name, text: String(error?.message) }
  }
  await task?.destroy().catch(() => {})
  parentPort.postMessage(last)
})
`

export type PdfWorker = ReturnType<typeof createPdfWorker>

/** A thread that reads one PDF after the other; it starts with the first, and again after a lost one. */
export function createPdfWorker(maxPages = MAX_PAGES) {
  let worker: Worker | null = null
  const close = async (): Promise<void> => {
    await worker?.terminate()
    worker = null
  }
  return {
    async read(
      bytes: Uint8Array,
      onPage: (page: PageMessage) => void,
      signal: AbortSignal | undefined,
    ): Promise<PdfOutcome> {
      worker ??= startWorker(maxPages)
      try {
        const outcome = await exchange(worker, bytes, { onPage, signal })
        if (outcome.kind === 'lost') await close()
        return outcome
      } catch (error) {
        await close()
        throw error
      }
    },
    close,
  }
}

/** `unpdf/pdfjs` can only be imported, and a thread resolves no names: the file beside the package's main one. */
function findPdfjs(): string {
  const main = createRequire(import.meta.url).resolve('unpdf')
  return pathToFileURL(join(dirname(main), 'pdfjs.mjs')).href
}

function startWorker(maxPages: number): Worker {
  const worker = new Worker(WORKER_CODE, {
    eval: true,
    workerData: { pdfjs: findPdfjs(), maxPages },
    // The thread gets nothing from this process, and its output is dropped.
    execArgv: [],
    env: {},
    stdin: false,
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: MAX_MEMORY_MB },
  })
  // An error between two files must not end the process.
  worker.on('error', () => {})
  return worker
}

function exchange(
  worker: Worker,
  bytes: Uint8Array,
  { onPage, signal }: { onPage: (page: PageMessage) => void; signal: AbortSignal | undefined },
): Promise<PdfOutcome> {
  return new Promise((resolve, reject) => {
    const finish = (end: () => void): void => {
      clearTimeout(stall)
      signal?.removeEventListener('abort', abort)
      worker.off('error', lose).off('exit', exit).off('message', receive)
      end()
    }
    const abort = (): void => finish(() => reject(signal?.reason))
    const lose = (cause: unknown): void => finish(() => resolve({ kind: 'lost', cause }))
    const exit = (code: number): void => lose(new Error(`the thread ended with ${code}`))
    const stall = setTimeout(() => lose(new Error('no page for too long')), STALL_MS)
    const receive = (message: PageMessage | PdfOutcome): void => {
      stall.refresh()
      if (message.kind !== 'page') {
        finish(() => resolve(message))
        return
      }
      try {
        onPage(message)
      } catch (error) {
        finish(() => reject(error))
      }
    }
    signal?.addEventListener('abort', abort, { once: true })
    worker.on('error', lose).on('exit', exit).on('message', receive)
    worker.postMessage(bytes, [bytes.buffer as ArrayBuffer])
  })
}
