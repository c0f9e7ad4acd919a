/** Imports the commits of a repository, the oldest first, with authors and changed files. */

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { CairnError } from '../core/errors.js'
import { skipped, splitBytes } from './files.js'
import type { ImportEntry, Importer, ReadOptions } from './importer.js'
import { cleanLabel, cleanLabels, hashValue, parseTimestamp } from './values.js'

export const git: Importer = {
  name: 'git',
  // A folder of notes is often a repository too, so its history is imported only on request.
  detect: (path, { files }) => files !== null && /\.git[/\\]?$/.test(path),
  read,
}

const START = '\u001e'
const FIELDS = ['%H', '%an', '%ae', '%aI', '%P', '%s', '%b'] as const
const MAX_FILES = 200

/** Runs nothing of the repository: no pager, hooks, external diff programs or signature checks. */
const LOG = [
  ...['--no-pager', '-c', 'core.quotepath=off', '-c', 'i18n.logOutputEncoding=UTF-8', 'log'],
  ...['--reverse', '--topo-order', '--no-show-signature', '--no-ext-diff', '--no-textconv'],
  ...['--no-color', '--no-decorate', '--name-only', '-z'],
  `--format=${START}%x00${FIELDS.join('%x00')}%x00`,
]

async function* read(path: string, options: ReadOptions): AsyncGenerator<ImportEntry, void> {
  const child = spawn('git', ['-C', path, ...LOG], { stdio: 'pipe' })
  const ended = waitForEnd(child, path)
  // Awaited below; until then a rejection must not count as unhandled.
  ended.catch(() => {})
  child.stdin.end()
  let fields: string[] | null = null
  let files: string[] = []
  try {
    for await (const token of readTokens(child, options)) {
      const isStart = token.replace(/^\n+/, '') === START
      if (isStart && (fields === null || fields.length === FIELDS.length)) {
        if (fields !== null) yield readCommit(fields, files)
        fields = []
        files = []
      } else if (fields !== null && fields.length < FIELDS.length) fields.push(token)
      else if (token.trim() !== '') files.push(token.replace(/^\n+/, ''))
    }
    await ended
    if (fields !== null) yield readCommit(fields, files)
  } finally {
    child.kill()
  }
}

/** Texts that end with a zero byte: a start mark, the fields of a commit, then its files. */
async function* readTokens(
  child: ChildProcessWithoutNullStreams,
  { signal, onRead }: ReadOptions,
): AsyncGenerator<string, void> {
  const limits = { separator: 0, maxBytes: Number.POSITIVE_INFINITY }
  for await (const tokens of splitBytes(child.stdout, limits)) {
    signal?.throwIfAborted()
    for (const { bytes } of tokens) {
      onRead?.(bytes?.length ?? 0)
      yield bytes?.toString('utf8') ?? ''
    }
  }
}

function readCommit(fields: readonly string[], files: readonly string[]): ImportEntry {
  const [hash = '', name = '', mail = '', at = '', parents = '', subject = '', body = ''] = fields
  const text = [subject, body.trim()].filter((part) => part.trim() !== '').join('\n\n')
  if (text === '') return skipped(hash, 'The commit has no message.')
  const record = {
    body: text,
    title: cleanLabel(subject),
    kind: 'memory' as const,
    people: cleanLabels([name, mail]),
    source: `git:${hash}`,
    occurredAt: parseTimestamp(at),
    metadata: {
      commit: hash,
      files: files.slice(0, MAX_FILES),
      ...(files.length > MAX_FILES ? { fileCount: files.length } : {}),
      parents: parents === '' ? [] : parents.split(' '),
    },
  }
  return { kind: 'record', key: hash, hash: hashValue(record), record }
}

function waitForEnd(child: ChildProcessWithoutNullStreams, path: string): Promise<void> {
  let output = ''
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    output = (output + part).slice(0, 2000)
  })
  return new Promise((resolve, reject) => {
    const fail = (message: string, hint: string, cause?: Error): void =>
      reject(new CairnError('unreadable_file', { message, hint, cause }))
    child.on('error', (cause) => {
      const message = `The history of ${path} cannot be read: git is not installed.`
      fail(message, 'Install git, or export the history to JSONL.', cause)
    })
    child.on('close', (code) => {
      const isEmpty = /does not have any commits yet/.test(output)
      const [line = ''] = output.trim().split('\n', 1)
      const reason = line.replace(/^fatal: /, '') || 'git failed'
      if (code === 0 || code === null || isEmpty) resolve()
      else if (/not a git repository/i.test(output)) {
        const hint = 'Name a folder in which `git log` works, or another format.'
        fail(`${path} is not a git repository.`, hint)
      } else fail(`The history of ${path} cannot be read: ${reason}.`, 'Try `git log` there.')
    })
  })
}
