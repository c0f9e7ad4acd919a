/** Catches files that are dropped on any view, and shows on every view what becomes of them. */

import { useEffect, useState } from 'preact/hooks'
import { Button, IconButton } from '../parts/button.js'
import { filesOfDrop } from '../parts/dropped-files.js'
import { Icon } from '../parts/icon.js'
import { bytes, counted } from '../parts/numbers.js'
import { Prose } from '../parts/prose.js'
import { addressOf } from '../state/addresses.js'
import {
  dismissImports,
  type ImportLine,
  importLines,
  isImporting,
  repeatImport,
  startImport,
  stopImport,
} from '../state/imports.js'
import { attempt } from '../state/notices.js'
import { FormatChoice } from './import.js'
import { Report } from './import-report.js'

export function ImportTray() {
  const isOver = useFileDrop()
  const [isOpen, setOpen] = useState(true)
  const lines = importLines.value
  return (
    <>
      {isOver && (
        <div class="drop-cover" aria-hidden="true">
          <Icon name="upload" size={34} />
          <p>Drop to import</p>
        </div>
      )}
      {lines.length > 0 && (
        <section class="tray" aria-label="Imports">
          <div class="tray-head">
            <button
              type="button"
              class="tray-title"
              aria-expanded={isOpen}
              onClick={() => setOpen(!isOpen)}
            >
              <Icon name="chevron" size={14} />
              <span aria-live="polite">{titleOf(lines)}</span>
            </button>
            {isImporting.value ? (
              <Button class="button-small" onClick={stopImport}>
                Stop
              </Button>
            ) : (
              <IconButton icon="close" label="Close the imports" onClick={dismissImports} />
            )}
          </div>
          {isOpen && (
            <>
              <ul class="reports">
                {lines.map((line) => (
                  <Line key={line.id} line={line} />
                ))}
              </ul>
              <Next lines={lines} />
            </>
          )}
        </section>
      )}
    </>
  )
}

function titleOf(lines: readonly ImportLine[]): string {
  const done = lines.filter(({ state: { kind } }) => kind !== 'waiting' && kind !== 'busy').length
  if (done < lines.length) return `Importing ${done + 1} of ${lines.length}`
  const failed = lines.filter(({ state: { kind } }) => kind === 'failed').length
  return `Import finished${failed === 0 ? '' : `, ${failed} of ${lines.length} failed`}`
}

/** One press shows what arrived; after a dry run, one press imports it. */
function Next({ lines }: { readonly lines: readonly ImportLine[] }) {
  if (isImporting.value) return null
  const done = lines.flatMap((line) =>
    line.state.kind === 'done' ? [{ ...line, ...line.state }] : [],
  )
  const tried = done.filter(({ report }) => report.dryRun)
  const [first] = done.filter(({ report: { dryRun, created, updated, restored, works } }) => {
    return !dryRun && created + updated + restored + (works?.created ?? 0) > 0
  })
  if (tried.length === 0 && first === undefined) return null
  const files = tried.reduce((sum, line) => sum + line.files.length, 0)
  return (
    <div class="actions">
      {tried.length > 0 && (
        <Button class="button-main" onClick={() => repeatImport(tried, { dryRun: false })}>
          Import {counted(files, 'file')} now
        </Button>
      )}
      {first !== undefined && (
        <a class="button button-main" href={addressOf('/', { arrived: first.startedAt })}>
          Show what arrived
        </a>
      )}
    </div>
  )
}

function Line({ line }: { readonly line: ImportLine }) {
  const { name, state } = line
  if (state.kind === 'done') return <Report name={name} report={state.report} />
  return (
    <li class="report">
      <p class="report-head">
        <bdi>{name}</bdi>
      </p>
      {state.kind === 'waiting' && <p class="quiet">Waiting</p>}
      {state.kind === 'stopped' && <p class="quiet">Stopped; what was written stays.</p>}
      {state.kind === 'busy' && <Busy line={line} progress={state.progress} />}
      {state.kind === 'failed' && (
        <>
          <p class="report-failure">
            <Prose text={state.failure.message} />
          </p>
          <div class="actions">
            <FormatChoice
              format={null}
              none="Import it as…"
              onChange={(format) => repeatImport([line], { format })}
            />
            <Button class="button-small" onClick={() => repeatImport([line], {})}>
              Retry
            </Button>
          </div>
        </>
      )}
    </li>
  )
}

function Busy({
  line: { files },
  progress,
}: {
  readonly line: ImportLine
  readonly progress: Extract<ImportLine['state'], { kind: 'busy' }>['progress']
}) {
  const size = files.reduce((sum, { file }) => sum + file.size, 0)
  const share =
    progress?.bytesTotal == null ? undefined : progress.bytesRead / Math.max(1, progress.bytesTotal)
  return (
    <div class="busy">
      <progress value={share} max={1} aria-label="Import" />
      <p class="quiet">
        {progress === null
          ? `Sending ${counted(files.length, 'file')}, ${bytes(size)}`
          : `${counted(progress.read, 'record')} read, ${progress.created} created, ${progress.skipped} skipped`}
      </p>
    </div>
  )
}

/** Whether files are held over the page. The browser would otherwise open what is dropped and leave the page. */
function useFileDrop(): boolean {
  const [isOver, setOver] = useState(false)
  useEffect(() => {
    const stop = new AbortController()
    const listen = (name: 'dragover' | 'dragleave' | 'drop', act: (event: DragEvent) => void) =>
      addEventListener(name, act, { signal: stop.signal })
    listen('dragover', (event) => {
      if (!event.dataTransfer?.types.includes('Files')) return
      event.preventDefault()
      setOver(true)
    })
    // Null: out of the window.
    listen('dragleave', ({ relatedTarget }) => relatedTarget === null && setOver(false))
    listen('drop', (event) => {
      const { dataTransfer } = event
      setOver(false)
      if (dataTransfer === null || !dataTransfer.types.includes('Files')) return
      event.preventDefault()
      void attempt(async () => startImport(await filesOfDrop(dataTransfer)))
    })
    return () => stop.abort()
  }, [])
  return isOver
}
