/** Appearance, projects, the embedding model, who may use the server, the data file, its backup and its check. */

import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { runDoctor } from '../api/actions.js'
import { type Answer, readCaller, readModels, readStats } from '../api/client.js'
import { Detail } from '../parts/block.js'
import { Icon } from '../parts/icon.js'
import { bytes, count, counted, percent } from '../parts/numbers.js'
import { Prose } from '../parts/prose.js'
import { Shown } from '../parts/states.js'
import { addressOf } from '../state/addresses.js'
import { useLoad } from '../state/load.js'
import { attempt } from '../state/notices.js'
import { chooseImages, chooseProject, ownProject, showsImages } from '../state/remembered.js'
import { chooseTheme, chosenTheme } from '../state/theme.js'
import { useTitle } from '../state/title.js'
import { Access } from './tokens.js'

export function SettingsView() {
  const stats = useLoad('settings', readStats)
  const models = useLoad('settings models', readModels)
  const caller = useLoad('settings caller', readCaller)
  useTitle('Settings')
  return (
    <div class="narrow settings-view">
      <div class="view-head">
        <h1>Settings</h1>
      </div>
      <Appearance />
      <Shown loaded={stats}>{(answer) => <Projects stats={answer} />}</Shown>
      <Shown loaded={models}>{(answer) => <Model answer={answer} />}</Shown>
      <Shown loaded={caller}>{(answer) => <Access caller={answer} />}</Shown>
      <Shown loaded={stats}>{(answer) => <DataFile stats={answer} />}</Shown>
      {caller.data?.role === 'admin' && caller.data.namespaces === null && <Doctor />}
    </div>
  )
}

function Part({
  title,
  children,
}: {
  readonly title: string
  readonly children: ComponentChildren
}) {
  return (
    <section class="card">
      <h2>{title}</h2>
      {children}
    </section>
  )
}

const THEMES = [
  [null, 'As the system'],
  ['light', 'Light'],
  ['dark', 'Dark'],
] as const

function Appearance() {
  return (
    <Part title="Appearance">
      <fieldset class="segments">
        <legend class="visually-hidden">Colours</legend>
        {THEMES.map(([value, name]) => (
          <label key={name}>
            <input
              type="radio"
              name="theme"
              checked={chosenTheme.value === value}
              onChange={() => chooseTheme(value)}
            />
            <span>{name}</span>
          </label>
        ))}
      </fieldset>
      <label class="check">
        <input
          type="checkbox"
          checked={showsImages}
          onChange={({ currentTarget }) => chooseImages(currentTarget.checked)}
        />
        <span>Show images of other sites, which then see when you read a record</span>
      </label>
    </Part>
  )
}

function Projects({ stats: { namespaces } }: { readonly stats: Answer<'stats'> }) {
  const names = Object.keys(namespaces)
  return (
    <Part title="Project">
      <label class="field-inline">
        <span>New records go to</span>
        <select
          value={ownProject.value}
          onChange={({ currentTarget }) => chooseProject(currentTarget.value)}
        >
          <option value="">the default project</option>
          {[...new Set([...names, ownProject.value])]
            .filter((name) => name !== '')
            .map((name) => (
              <option key={name}>{name}</option>
            ))}
        </select>
      </label>
      <p class="quiet">This choice is kept in this browser. Searches look in all projects:</p>
      <ul class="settings-list">
        {names.map((name) => (
          <li key={name}>
            <a href={addressOf('/', { project: name })}>
              <bdi>{name}</bdi>
            </a>{' '}
            <span class="quiet">{counted(namespaces[name] ?? 0, 'record')}</span>
          </li>
        ))}
      </ul>
    </Part>
  )
}

function Model({ answer: { models, waiting } }: { readonly answer: Answer<'models'> }) {
  return (
    <Part title="Model for semantic search">
      {models.length === 0 && <p>No model has been used yet: add a record first.</p>}
      <ul class="settings-list">
        {models.map(({ id, state, vectors, coverage }) => (
          <li key={id}>
            <code>{id}</code> <span class="label">{state}</span>{' '}
            <span class="quiet">
              {counted(vectors, 'vector')}
              {vectors > 0 && `, ${percent(coverage)} of the records`}
            </span>
          </li>
        ))}
      </ul>
      {waiting > 0 && <p>{counted(waiting, 'record')} wait to be embedded.</p>}
      <p class="quiet">
        <code>cairn embed --model NAME</code> on the server changes the model.
      </p>
    </Part>
  )
}

/** A server that is pinned to a project does not tell where the file is, and sends no copy of it. */
function DataFile({ stats }: { readonly stats: Answer<'stats'> }) {
  const { file, bytes: size, format, records, deleted } = stats
  if (file === null) return null
  return (
    <Part title="Data file">
      <dl class="details">
        <Detail name="Path">
          <code>{file}</code>
        </Detail>
        {size !== null && <Detail name="Size">{bytes(size)}</Detail>}
        <Detail name="Records">
          {count(records.memory + records.document + records.work)}
          {deleted > 0 && `, and ${count(deleted)} deleted that can be restored`}
        </Detail>
        <Detail name="Format">{format}</Detail>
      </dl>
      <div class="actions">
        <a class="button" href="/api/backup" download>
          <Icon name="download" size={16} /> Download a backup
        </a>
        <span class="quiet hint">Copies the whole file. You can keep working meanwhile.</span>
      </div>
    </Part>
  )
}

function Doctor() {
  const [answer, setAnswer] = useState<Answer<'doctor'> | null>(null)
  const [isBusy, setBusy] = useState(false)
  const run = (repair: boolean): Promise<void> =>
    attempt(async () => {
      setBusy(true)
      try {
        setAnswer(await runDoctor(repair))
      } finally {
        setBusy(false)
      }
    })
  return (
    <Part title="Check the file">
      <p class="quiet">
        Looks for damage. A repair rebuilds the index and all else that can be derived.
      </p>
      <div class="actions">
        <button type="button" class="button" disabled={isBusy} onClick={() => void run(false)}>
          {isBusy ? 'Checking…' : 'Check now'}
        </button>
        {answer !== null && !answer.ok && (
          <button type="button" class="button" disabled={isBusy} onClick={() => void run(true)}>
            Repair
          </button>
        )}
      </div>
      <div aria-live="polite">
        {answer !== null && (
          <>
            <p>
              <strong>{answer.ok ? 'No damage was found.' : 'Something is damaged.'}</strong>
            </p>
            <ul class="settings-list">
              {answer.checks.map(({ name, ok, detail }) => (
                <li key={name}>
                  {ok ? '✓' : '✗'} {name} {detail !== '' && <Prose text={detail} />}
                </li>
              ))}
              {answer.models.map(({ role, id, answers, detail }) => (
                <li key={role}>
                  {answers ? '✓' : '✗'} {role} {id} {detail !== '' && <Prose text={detail} />}
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
    </Part>
  )
}
