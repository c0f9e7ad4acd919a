/** PDF.js in a thread reads bytes alone: no file, network, eval or output, and never more than a page holds. */

/** One piece of text, as PDF.js places it. */
export type PdfItem = {
  readonly str: string
  readonly transform: readonly number[]
  readonly width: number
  readonly height: number
  readonly hasEOL: boolean
}

export type PdfMetadata = {
  /** The info dictionary. */
  readonly info: object
  /** XMP, by names such as `dc:title`. */
  readonly xmp: object
}

export type Job = { readonly bytes: Uint8Array; readonly password: string | null }

export type Message =
  /** The next page; not whole where it is damaged or says more than a page can hold. */
  | { readonly kind: 'page'; readonly items: readonly PdfItem[]; readonly isWhole: boolean }
  | {
      readonly kind: 'end'
      readonly labels: readonly string[] | null
      readonly metadata: PdfMetadata | null
    }
  | {
      readonly kind: 'failed'
      readonly name: string
      readonly code: unknown
      readonly text: string
    }

export type WorkerSettings = {
  /** Where the module of PDF.js is. */
  readonly pdfjs: string
  readonly options: Readonly<Record<string, unknown>>
  /** A printed page holds some thousand characters, the largest poster not a hundred times as many. */
  readonly maxChars: number
  readonly maxPieces: number
  /** A file may claim any number of pages: after so many broken ones in a row it is not believed. */
  readonly maxBroken: number
}

export const SETTINGS: Omit<WorkerSettings, 'pdfjs'> = {
  options: {
    verbosity: 0,
    isEvalSupported: false,
    disableFontFace: true,
    useSystemFonts: false,
    useWorkerFetch: false,
    useWasm: false,
    enableXfa: false,
    isOffscreenCanvasSupported: false,
    isImageDecoderSupported: false,
  },
  maxChars: 1_000_000,
  maxPieces: 20_000,
  maxBroken: 100,
}

/**
 * What the thread runs. It is a text, because Node starts a thread from JavaScript alone and this
 * way the sources, the bundle and the tests all start the same one.
 */
export const WORKER_CODE = `
const { parentPort, workerData } = require('node:worker_threads')
// PDF.js leaves promises behind when it repairs a damaged file; what matters arrives below as well.
process.on('unhandledRejection', () => {})
const loading = import(workerData.pdfjs)

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
      if (chars > workerData.maxChars || items.length > workerData.maxPieces) {
        await reader.cancel(new Error('more than a page can hold'))
        return { items, isWhole: false }
      }
    }
    proxy.cleanup()
    return { items, isWhole: true }
  } catch {
    return { items, isWhole: false }
  }
}

async function readMetadata(pdf) {
  const { info, metadata } = await pdf.getMetadata()
  // Through JSON, because some values are objects of PDF.js.
  return JSON.parse(JSON.stringify({ info, xmp: Object.fromEntries(metadata ?? []) }))
}

async function readAll(pdf) {
  let broken = 0
  let page = 1
  for (; page <= pdf.numPages && broken < workerData.maxBroken; page++) {
    const { items, isWhole } = await readPage(pdf, page)
    broken = isWhole ? 0 : broken + 1
    parentPort.postMessage({ kind: 'page', items, isWhole })
  }
  // Labels are made for all pages that the file claims to have, so it must have them.
  const labels = page > pdf.numPages ? await pdf.getPageLabels().catch(() => null) : null
  return { kind: 'end', labels, metadata: await readMetadata(pdf).catch(() => null) }
}

parentPort.on('message', async ({ bytes, password }) => {
  let task = null
  let last
  try {
    const { getDocument } = await loading
    const secret = password === null ? {} : { password }
    task = getDocument({ ...workerData.options, ...secret, data: bytes })
    last = await readAll(await task.promise)
  } catch (error) {
    last = { kind: 'failed', name: error?.name, code: error?.code, text: String(error?.message) }
  }
  await task?.destroy().catch(() => {})
  parentPort.postMessage(last)
})
`
