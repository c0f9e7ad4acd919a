/** Imports dropped files and shows progress. */

import { useRef, useState } from 'preact/hooks'
import type { ImportReport } from '../../../src/cairn/import.js'
import { type FileToSend, importFiles, type Progress } from '../api/import-files.js'
import { isAbort, type RequestFailure, toFailure } from '../api/request.js'
import { filesOfDrop, filesOfInput } from '../parts/dropped-files.js'
import { Icon } from '../parts/icon.js'
import { bytes, counted } from '../parts/numbers.js'
import { Trouble } from '../parts/states.js'
import { TagField } from '../parts/tag-field.js'
import { ImportReports } from './import-report.js'

type State =
  | { readonly kind: 'idle' }
  | { readonly kind: 'busy'; readonly progress: Progress | null; readonly stop: () => void }
  | { readonly kind: 'done'; readonly reports: readonly ImportReport[] }
  | { readonly kind: 'failed'; readonly failure: RequestFailure }

export function ImportPanel() {
  const [files, setFiles] = useState<readonly FileToSend[]>([])
  const [isTrial, setTrial] = useState(false)
  const [namespace, setNamespace] = useState('')
  const [tags, setTags] = useState<readonly string[]>([])
  const [state, setState] = useState<State>({ kind: 'idle' })

  const run = async (sent: readonly FileToSend[], dryRun: boolean): Promise<void> => {
    if (sent.length === 0) return
    const controller = new AbortController()
    const stop = (): void => controller.abort()
    setFiles(sent)
    setState({ kind: 'busy', progress: null, stop })
    const tell = (progress: Progress): void => setState({ kind: 'busy', progress, stop })
    try {
      const choices = { dryRun, namespace: namespace.trim(), tags }
      const reports = await importFiles(sent, choices, tell, controller.signal)
      setState({ kind: 'done', reports })
    } catch (error) {
      setState(isAbort(error) ? { kind: 'idle' } : { kind: 'failed', failure: toFailure(error) })
    }
  }
  const isTried = state.kind === 'done' && state.reports.some(({ dryRun }) => dryRun)
  return (
    <section class="card" aria-labelledby="import-title">
      <h2 id="import-title">Files</h2>
      <DropZone isBusy={state.kind === 'busy'} onFiles={(sent) => void run(sent, isTrial)} />
      <div class="field-row">
        <div class="field">
          <label for="import-tags">Tags for all of them</label>
          <TagField id="import-tags" tags={tags} onChange={setTags} />
        </div>
        <label class="field">
          <span>Project</span>
          <input
            value={namespace}
            placeholder="default"
            onInput={({ currentTarget }) => setNamespace(currentTarget.value)}
          />
        </label>
        <label class="check">
          <input
            type="checkbox"
            checked={isTrial}
            onChange={({ currentTarget }) => setTrial(currentTarget.checked)}
          />
          <span>Dry run first: show what would change, write nothing</span>
        </label>
      </div>
      <div aria-live="polite">
        {state.kind === 'busy' && (
          <Busy files={files} progress={state.progress} stop={state.stop} />
        )}
        {state.kind === 'done' && <ImportReports reports={state.reports} />}
        {isTried && (
          <button type="button" class="button button-main" onClick={() => void run(files, false)}>
            Import {counted(files.length, 'file')} now
          </button>
        )}
      </div>
      {state.kind === 'failed' && (
        <Trouble failure={state.failure} retry={() => void run(files, isTrial)} />
      )}
    </section>
  )
}

function DropZone({
  isBusy,
  onFiles,
}: {
  readonly isBusy: boolean
  readonly onFiles: (files: readonly FileToSend[]) => void
}) {
  const [isOver, setOver] = useState(false)
  const chooser = useRef<HTMLInputElement>(null)
  const folderChooser = useRef<HTMLInputElement>(null)
  const take = ({ currentTarget }: { readonly currentTarget: HTMLInputElement }): void => {
    onFiles(filesOfInput(currentTarget.files))
    currentTarget.value = ''
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the buttons inside do the same for the keyboard
    <div
      class={isOver ? 'drop is-over' : 'drop'}
      data-drop-zone
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setOver(false)
        const { dataTransfer } = event
        if (dataTransfer !== null && !isBusy) void filesOfDrop(dataTransfer).then(onFiles)
      }}
    >
      <Icon name="upload" size={28} />
      <p>
        Drop files or folders here: notes, PDFs, BibTeX, RIS, conversations, mail.
        <br />
        <span class="quiet">
          What was imported before is compared, and only changes are written.
        </span>
      </p>
      <div class="actions">
        <button
          type="button"
          class="button"
          disabled={isBusy}
          onClick={() => chooser.current?.click()}
        >
          Choose files
        </button>
        <button
          type="button"
          class="button"
          disabled={isBusy}
          onClick={() => folderChooser.current?.click()}
        >
          Choose a folder
        </button>
      </div>
      <input ref={chooser} type="file" multiple hidden onChange={take} />
      <input
        ref={(input) => {
          folderChooser.current = input
          input?.setAttribute('webkitdirectory', '')
        }}
        type="file"
        multiple
        hidden
        onChange={take}
      />
    </div>
  )
}

function Busy({
  files,
  progress,
  stop,
}: {
  readonly files: readonly FileToSend[]
  readonly progress: Progress | null
  readonly stop: () => void
}) {
  const size = files.reduce((sum, { file }) => sum + file.size, 0)
  const share =
    progress?.bytesTotal == null ? undefined : progress.bytesRead / Math.max(1, progress.bytesTotal)
  return (
    <div class="busy">
      <progress value={share} max={1} aria-label="Import" />
      <p>
        {progress === null
          ? `Sending ${counted(files.length, 'file')}, ${bytes(size)}…`
          : `${progress.name}: ${counted(progress.read, 'record')} read, ${progress.created} created, ${progress.skipped} skipped`}
      </p>
      <button type="button" class="button" onClick={stop}>
        Stop
      </button>
    </div>
  )
}
