// Shows the main job: loads the sample library into a temporary file and searches it as the command line does.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openCairn } from '../dist/index.js'
import { loadExamples } from './load-examples.mjs'

const SEARCHES = [
  ['a question in plain English', ['search', 'which day do we release?', '--limit', '2']],
  [
    'a correction stands above what it corrects',
    ['search', 'release day', '--limit', '2', '--include-superseded'],
  ],
  ['what only keyword search finds', ['search', 'retryWithJitter', '--limit', '1']],
  ['what only semantic search finds', ['search', 'hyperlinks popularity', '--limit', '1']],
  [
    'fields, phrases and negation',
    ['search', 'title:attention OR "ranked lists" -minilm', '--limit', '2'],
  ],
  ['a typing mistake', ['search', 'deploymnet', '--limit', '1']],
  [
    'what needs both, and why it is first',
    ['search', 'restore lost data from a backup', '--limit', '1', '--explain'],
  ],
  ['what a paper cites and what cites it', ['explore', 'vaswani2017attention', '--depth', '1']],
]

const folder = mkdtempSync(join(tmpdir(), 'cairn-demo-'))
try {
  const file = join(folder, 'demo.cairn')
  const cairn = await openCairn({ file })
  const started = performance.now()
  const { records, sessions, corrections } = await loadExamples(cairn)
  const ms = performance.now() - started
  await cairn.close()
  console.log(
    `${records} records of the sample library, ${sessions} sessions and ${corrections} corrections loaded in ${ms.toFixed(0)} ms.`,
  )

  const cli = join(import.meta.dirname, '../dist/cairn.cjs')
  for (const [title, args] of SEARCHES) {
    console.log(`\n── ${title}\n$ cairn ${args.map(quote).join(' ')}\n`)
    const { status } = spawnSync(process.execPath, [cli, ...args], {
      stdio: 'inherit',
      env: { ...process.env, CAIRN_DB: file },
    })
    if (status !== 0) process.exitCode = 1
  }
  console.log(
    '\nNext: npm link puts `cairn` on your path. Then `cairn add "…"` and `cairn search "…"` with a file of your own,\n`cairn import FOLDER` for notes you have, `cairn serve --open` for the page, `cairn mcp install claude` for an assistant.',
  )
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function quote(arg) {
  return /^[\w-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", "'\\''")}'`
}
