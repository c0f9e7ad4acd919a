/** The commits of a repository become records, the oldest first, with who made them and what they touched. */

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { CairnError } from '../core/errors.js'
import { cleanLabel, cleanLabels, hashValue, parseTimestamp } from './fields.js'
import { skipped } from './files.js'
import {
  FORMAT_DESCRIPTIONS,
  type ImportEntry,
  type Importer,
  type ReadOptions,
} from './importer.js'

export const git: Importer = {
  name: 'git',
  sentence: FORMAT_DESCRIPTIONS.git,
  isMirror: false,
  // A folder of notes is often a repository too: its history is read only where it is asked for.
  detect: (path, { files }) => files !== null && /(?:^|[/\\])?[^/\\]*\.git[/\\]?$/.test(path),
  read,
}

const BEGIN = '\u001e'
const FIELDS = ['%H', '%an', '%ae', '%aI', '%P', '%s', '%b'] as const
const MAX_FILES = 200

/** Nothing of the repository is run: no pager, no hooks, no programs that show differences or signatures. */
const LOG = [
  '--no-pager',
  '-c',
  'core.quotepath=off',
  '-c',
  'i18n.logOutputEncoding=UTF-8',
  'log',
  '--reverse',
  '--topo-order',
  '--no-show-signature',
  '--no-ext-diff',
  '--no-textconv',
  '--no-color',
  '--no-decorate',
  '--name-only',
  '-z',
  `--format=${BEGIN}%x00${FIELDS.join('%x00')}%x00`,
]

async function* read(
  path: string,
  { signal, onRead }: ReadOptions,
): AsyncGenerator<ImportEntry, void> {
  const child = spawn('git', ['-C', path, ...LOG], { stdio: 'pipe' })
  const ending = endOf(child, path)
  // Seen below, after what was read; until then nobody waits for it.
  ending.catch(() => {})
  child.stdin.end()
  const commits = new Commits()
  try {
    for await (const chunk of child.stdout) {
      signal?.throwIfAborted()
      onRead?.((chunk as Buffer).length)
      yield* commits.take(chunk as Buffer)
    }
    await ending
    yield* commits.end()
  } finally {
    child.kill()
  }
}

function endOf(child: ChildProcessWithoutNullStreams, path: string): Promise<void> {
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    said = (said + part).slice(0, 2000)
  })
  return new Promise((resolve, reject) => {
    child.on('error', (cause) => {
      reject(
        new CairnError('unreadable_file', {
          message: `The history of ${path} cannot be read: git is not there.`,
          hint: 'Install git, or export the history to JSONL.',
          cause,
        }),
      )
    })
    child.on('close', (code) => {
      // A repository without a commit has no history, which is no mistake.
      if (code === 0 || code === null || /does not have any commits yet/.test(said)) resolve()
      else reject(refusal(path, said))
    })
  })
}

function refusal(path: string, said: string): CairnError {
  if (/not a git repository/i.test(said)) {
    return new CairnError('unreadable_file', {
      message: `${path} is no git repository.`,
      hint: 'Name a folder in which `git log` works, or another format.',
    })
  }
  const [first = ''] = said.trim().split('\n')
  return new CairnError('unreadable_file', {
    message: `The history of ${path} cannot be read: ${first.replace(/^fatal: /, '') || 'git failed'}.`,
    hint: 'Try `git log` there.',
  })
}

/** Reads texts that end with a zero byte: a mark, the fields of a commit, then the files it touched. */
class Commits {
  readonly #decoder = new TextDecoder()
  #rest: Buffer[] = []
  #fields: string[] = []
  #files: string[] = []
  #fileCount = 0
  #isIn = false;

  *take(chunk: Buffer): Generator<ImportEntry, void> {
    let start = 0
    for (let end = chunk.indexOf(0); end >= 0; end = chunk.indexOf(0, start)) {
      const bytes = Buffer.concat([...this.#rest, chunk.subarray(start, end)])
      this.#rest = []
      start = end + 1
      yield* this.#token(this.#decoder.decode(bytes))
    }
    this.#rest.push(chunk.subarray(start))
  }

  *end(): Generator<ImportEntry, void> {
    if (!this.#isIn) return
    const [hash = '', name = '', mail = '', at = '', parents = '', subject = '', body = ''] =
      this.#fields
    this.#isIn = false
    const text = [subject, body.trim()].filter((part) => part.trim() !== '').join('\n\n')
    if (text === '') {
      yield skipped(hash, 'The commit has no message.')
      return
    }
    const occurredAt = parseTimestamp(at)
    const record = {
      body: text,
      title: cleanLabel(subject),
      kind: 'memory' as const,
      people: cleanLabels([name, mail === '' ? null : mail]),
      source: `git:${hash}`,
      ...(occurredAt === null ? {} : { occurredAt }),
      metadata: {
        commit: hash,
        files: this.#files,
        ...(this.#fileCount > this.#files.length ? { fileCount: this.#fileCount } : {}),
        parents: parents === '' ? [] : parents.split(' '),
      },
    }
    yield { kind: 'record', key: hash, hash: hashValue(record), record }
  }

  *#token(token: string): Generator<ImportEntry, void> {
    const isMark = token.replace(/^\n+/, '') === BEGIN
    if (isMark && (!this.#isIn || this.#fields.length === FIELDS.length)) {
      yield* this.end()
      this.#fields = []
      this.#files = []
      this.#fileCount = 0
      this.#isIn = true
    } else if (this.#fields.length < FIELDS.length) this.#fields.push(token)
    else if (token.trim() !== '') {
      this.#fileCount++
      if (this.#files.length < MAX_FILES) this.#files.push(token.replace(/^\n+/, ''))
    }
  }
}
