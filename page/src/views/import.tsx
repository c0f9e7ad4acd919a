/** Chooses files to import, and how; the tray shows what becomes of them. */

import { useRef } from 'preact/hooks'
import type { ImportFormat } from '../../../src/import/importer.js'
import { Button } from '../parts/button.js'
import { filesOfInput } from '../parts/dropped-files.js'
import { CheckField, TextField } from '../parts/fields.js'
import { Icon } from '../parts/icon.js'
import { TagField } from '../parts/tag-field.js'
import { type ImportChoices, importChoices, startImport } from '../state/imports.js'

export function ImportPanel() {
  const { dryRun, namespace, tags, format } = importChoices.value
  const set = (part: Partial<ImportChoices>): void => {
    importChoices.value = { ...importChoices.value, ...part }
  }
  return (
    <section class="card" aria-labelledby="import-title">
      <h2 id="import-title">Files</h2>
      <DropZone />
      <div class="field-row">
        <div class="field">
          <label for="import-tags">Tags for all of them</label>
          <TagField id="import-tags" tags={tags} onChange={(next) => set({ tags: next })} />
        </div>
        <TextField
          name="Project"
          value={namespace}
          placeholder="default"
          onChange={(next) => set({ namespace: next.trim() })}
        />
        <div class="field">
          <label for="import-format">Format</label>
          <FormatChoice
            id="import-format"
            format={format}
            none="Detect it"
            onChange={(next) => set({ format: next })}
          />
        </div>
        <CheckField
          name="Dry run first: show what would change, write nothing"
          value={dryRun}
          onChange={(next) => set({ dryRun: next })}
        />
      </div>
    </section>
  )
}

/** Those that can be sent: a repository and the folder of a program stay where they are. */
const FORMATS: Readonly<
  Record<Exclude<ImportFormat, 'folder' | 'git' | 'zotero' | 'beir'>, string>
> = {
  markdown: 'Markdown',
  text: 'Plain text',
  pdf: 'PDF',
  html: 'Web page',
  docx: 'Word document',
  epub: 'E-book (EPUB)',
  bibtex: 'BibTeX',
  ris: 'RIS',
  csl: 'CSL-JSON',
  mbox: 'Mail',
  chat: 'Messages (JSON)',
  chatgpt: 'ChatGPT export',
  claude: 'Claude export',
  gemini: 'Gemini CLI session',
  'claude-code': 'Claude Code session',
  codex: 'Codex session',
  jsonl: 'JSON or JSONL',
  archive: 'Cairn archive',
  zip: 'Zip',
}

export function FormatChoice({
  id,
  format,
  none,
  onChange,
}: {
  readonly id?: string
  readonly format: ImportFormat | null
  readonly none: string
  readonly onChange: (format: ImportFormat | null) => void
}) {
  return (
    <select
      id={id}
      aria-label={id === undefined ? none : undefined}
      value={format ?? ''}
      onChange={({ currentTarget: { value } }) =>
        onChange(value === '' ? null : (value as ImportFormat))
      }
    >
      <option value="">{none}</option>
      {Object.entries(FORMATS).map(([name, shown]) => (
        <option key={name} value={name}>
          {shown}
        </option>
      ))}
    </select>
  )
}

function DropZone() {
  const chooser = useRef<HTMLInputElement>(null)
  const folderChooser = useRef<HTMLInputElement>(null)
  const take = ({ currentTarget }: { readonly currentTarget: HTMLInputElement }): void => {
    startImport(filesOfInput(currentTarget.files))
    currentTarget.value = ''
  }
  return (
    <div class="drop" data-drop-zone>
      <Icon name="upload" size={28} />
      <p>
        Drop files or folders here, or on any other view: notes, PDFs, BibTeX, RIS, conversations,
        mail.
        <br />
        <span class="quiet">
          What was imported before is compared, and only changes are written.
        </span>
      </p>
      <div class="actions">
        <Button onClick={() => chooser.current?.click()}>Choose files</Button>
        <Button onClick={() => folderChooser.current?.click()}>Choose a folder</Button>
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
