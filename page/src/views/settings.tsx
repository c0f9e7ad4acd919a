/** Appearance, projects, the embedding model, who may use the server, the data file, its backup and its check. */

import { useState } from 'preact/hooks'
import { type Answer, readCaller, readModels, readStats, runDoctor } from '../api/client.js'
import { Block, Detail } from '../parts/block.js'
import { Button } from '../parts/button.js'
import { CheckField, Segments, SelectField } from '../parts/fields.js'
import { Icon } from '../parts/icon.js'
import { bytes, count, counted, percent } from '../parts/numbers.js'
import { Prose } from '../parts/prose.js'
import { Shown } from '../parts/states.js'
import { View } from '../parts/view.js'
import { addressOf } from '../state/addresses.js'
import { useLoad } from '../state/load.js'
import { attempt } from '../state/notices.js'
import { chooseImages, chooseProject, ownProject, showsImages } from '../state/remembered.js'
import { chooseTheme, chosenTheme } from '../state/theme.js'
import { Access } from './tokens.js'

export function SettingsView() {
  const stats = useLoad('settings', readStats)
  const models = useLoad('settings models', readModels)
  const caller = useLoad('settings caller', readCaller)
  return (
    <View title="Settings" class="narrow settings-view">
      <Appearance />
      <Shown loaded={stats}>{(answer) => <Projects stats={answer} />}</Shown>
      <Shown loaded={models}>{(answer) => <Model answer={answer} />}</Shown>
      <Shown loaded={caller}>{(answer) => <Access caller={answer} />}</Shown>
      <Shown loaded={stats}>{(answer) => <DataFile stats={answer} />}</Shown>
      {caller.data?.role === 'admin' && caller.data.namespaces === null && <Doctor />}
    </View>
  )
}

const THEMES = [
  [null, 'As the system'],
  ['light', 'Light'],
  ['dark', 'Dark'],
] as const

function Appearance() {
  return (
    <Block class="card" title="Appearance">
      <Segments
        name="Colours"
        group="theme"
        value={chosenTheme.value}
        options={THEMES}
        onChange={chooseTheme}
      />
      <CheckField
        name="Show images of other sites, which then see when you read a record"
        value={showsImages}
        onChange={chooseImages}
      />
    </Block>
  )
}

function Projects({ stats: { namespaces } }: { readonly stats: Answer<'stats'> }) {
  const names = Object.keys(namespaces)
  return (
    <Block class="card" title="Project">
      <SelectField
        name="New records go to"
        value={ownProject.value}
        options={[...new Set(['', ...names, ownProject.value])].map((name) => [
          name,
          name === '' ? 'the default project' : name,
        ])}
        onChange={chooseProject}
      />
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
    </Block>
  )
}

function Model({ answer: { models, waiting } }: { readonly answer: Answer<'models'> }) {
  return (
    <Block class="card" title="Model for semantic search">
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
    </Block>
  )
}

/** A server that is pinned to a project does not tell where the file is, and sends no copy of it. */
function DataFile({ stats }: { readonly stats: Answer<'stats'> }) {
  const { file, bytes: size, format, records, deleted } = stats
  if (file === null) return null
  return (
    <Block class="card" title="Data file">
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
    </Block>
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
    <Block class="card" title="Check the file">
      <p class="quiet">
        Looks for damage. A repair rebuilds the index and all else that can be derived.
      </p>
      <div class="actions">
        <Button disabled={isBusy} onClick={() => run(false)}>
          {isBusy ? 'Checking…' : 'Check now'}
        </Button>
        {answer !== null && !answer.ok && (
          <Button disabled={isBusy} onClick={() => run(true)}>
            Repair
          </Button>
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
    </Block>
  )
}
