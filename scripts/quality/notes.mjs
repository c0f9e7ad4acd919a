/**
 * Thirty questions to a folder of notes: the documentation of the package `ai`, which `npm ci` installs. Each names the notes that
 * answer it, and is asked twice: as people type it, and in words that avoid those of the subject.
 */

import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import process from 'node:process'

const QUESTIONS = join(import.meta.dirname, 'questions.json')
const FORMS = ['question', 'inOtherWords']
const FIRST = 3

/** Writes the set that `cairn eval` reads, from the records that `cairn import` makes of the folder. */
export function writeNotes(cli, work) {
  const manifest = createRequire(import.meta.url).resolve('ai/package.json')
  const file = join(work, 'notes.db')
  const run = (...args) =>
    execFileSync(process.execPath, [cli, '--db', file, ...args, '--json'], {
      encoding: 'utf8',
      maxBuffer: 1 << 28,
    })
  run('import', join(dirname(manifest), 'docs'))
  const { records } = JSON.parse(run('list', '--limit', '1000'))
  const folder = join(work, 'notes')
  mkdirSync(folder, { recursive: true })
  const write = (name, lines) => writeFileSync(join(folder, name), `${lines.join('\n')}\n`)
  const questions = JSON.parse(readFileSync(QUESTIONS, 'utf8'))
  write(
    'corpus.jsonl',
    records.map(({ title, body, metadata }) =>
      JSON.stringify({ _id: metadata.path, title, text: body }),
    ),
  )
  write(
    'queries.jsonl',
    questions.flatMap((one, i) =>
      FORMS.map((form) => JSON.stringify({ _id: `${form} ${i}`, text: one[form] })),
    ),
  )
  const judged = questions.flatMap(({ notes }, i) =>
    FORMS.flatMap((form) => notes.map((note) => `${form} ${i}\t${note}\t1`)),
  )
  write('qrels.tsv', ['query-id\tcorpus-id\tscore', ...judged])
  const { version } = JSON.parse(readFileSync(manifest, 'utf8'))
  return { folder, notes: records.length, questions, version }
}

/** For how many questions a right note is among the first three, in each form and mode. */
export function countFound(lines, questions) {
  const found = {}
  for (const { mode, query, ranking } of lines) {
    const [form, i] = query.split(' ')
    const { notes } = questions[Number(i)]
    const isFound = ranking.slice(0, FIRST).some((id) => notes.includes(id))
    found[form] ??= {}
    found[form][mode] = (found[form][mode] ?? 0) + Number(isFound)
  }
  return found
}
