/** Imports files one after the other, whatever view is shown; a file that fails does not stop the others. */

import { computed, signal } from '@preact/signals'
import type { ImportReport } from '../../../src/cairn/import.js'
import type { ImportFormat } from '../../../src/import/importer.js'
import { type FileToSend, importFiles, type Progress } from '../api/import-files.js'
import { isAbort, type RequestFailure, toFailure } from '../api/request.js'
import { holdBack } from './draft.js'

export type ImportChoices = {
  readonly dryRun: boolean
  readonly namespace: string
  readonly tags: readonly string[]
  /** Null: detected. */
  readonly format: ImportFormat | null
}

type LineState =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'busy'; readonly progress: Progress | null }
  | { readonly kind: 'done'; readonly report: ImportReport; readonly startedAt: string }
  | { readonly kind: 'failed'; readonly failure: RequestFailure }
  | { readonly kind: 'stopped' }

/** One dropped file or folder. */
export type ImportLine = {
  readonly id: number
  readonly name: string
  readonly files: readonly FileToSend[]
  readonly choices: ImportChoices
  readonly state: LineState
}

/** The choices in the form of the Add view; they also apply to files dropped on other views. */
export const importChoices = signal<ImportChoices>({
  dryRun: false,
  namespace: '',
  tags: [],
  format: null,
})

export const importLines = signal<readonly ImportLine[]>([])

const isOpen = ({ state: { kind } }: ImportLine): boolean => kind === 'waiting' || kind === 'busy'

export const isImporting = computed(() => importLines.value.some(isOpen))

let lastId = 0
let controller = new AbortController()

/** Files of one folder are one import. What an earlier import left in the list goes. */
export function startImport(files: readonly FileToSend[]): void {
  const byName = new Map<string, FileToSend[]>()
  for (const file of files) {
    const name = file.path.split('/', 1)[0] ?? file.path
    byName.set(name, [...(byName.get(name) ?? []), file])
  }
  const added = [...byName].map(([name, own]) => ({
    id: ++lastId,
    name,
    files: own,
    choices: importChoices.value,
    state: { kind: 'waiting' } as const,
  }))
  importLines.value = [...importLines.value.filter(isOpen), ...added]
  void run()
}

/** Imports these again, with other choices. */
export function repeatImport(lines: readonly ImportLine[], choices: Partial<ImportChoices>): void {
  const ids = new Set(lines.map(({ id }) => id))
  importLines.value = importLines.value.map((line) =>
    ids.has(line.id)
      ? { ...line, choices: { ...line.choices, ...choices }, state: { kind: 'waiting' } }
      : line,
  )
  void run()
}

/** Records that are written already stay. */
export function stopImport(): void {
  importLines.value = importLines.value.map((line) =>
    isOpen(line) ? { ...line, state: { kind: 'stopped' } } : line,
  )
  controller.abort()
}

export function dismissImports(): void {
  importLines.value = importLines.value.filter(isOpen)
}

let isRunning = false

async function run(): Promise<void> {
  if (isRunning) return
  isRunning = true
  const release = holdBack({ isKept: false, isForm: false })
  for (;;) {
    const next = importLines.value.find(({ state }) => state.kind === 'waiting')
    if (next === undefined) break
    controller = new AbortController()
    const { signal: stop } = controller
    const set = (state: LineState): void => {
      if (stop.aborted) return
      importLines.value = importLines.value.map((line) =>
        line.id === next.id ? { ...line, state } : line,
      )
    }
    set({ kind: 'busy', progress: null })
    try {
      const tell = (progress: Progress): void => set({ kind: 'busy', progress })
      const { report, startedAt } = await importFiles(next.files, next.choices, tell, stop)
      set({ kind: 'done', report, startedAt })
    } catch (error) {
      if (!isAbort(error)) set({ kind: 'failed', failure: toFailure(error) })
    }
  }
  release()
  isRunning = false
}
