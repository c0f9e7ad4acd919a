/** What is sent is imported under the name it was sent with, and no file of it stays behind. */

import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, sep } from 'node:path'
import process from 'node:process'
import type { Cairn } from '../cairn/cairn.js'
import type { ImportReport } from '../cairn/import-report.js'
import { badInput, CairnError } from '../core/errors.js'
import type { Log } from '../core/log.js'
import { operation } from '../operations/operations.js'
import { check } from '../schemas/check.js'
import type { ImportInput } from '../schemas/import-request.js'
import type { App, AppContext } from './api.js'
import { eventStream, type Tell } from './events.js'
import { schemaOf } from './json-schema.js'
import { problemOf } from './problems.js'
import { readQuery } from './read-query.js'
import { receive, type UploadLimits } from './receive.js'

/** So many at once that whoever searches meanwhile waits some milliseconds and not a second. */
const BATCH = 50
const PREFIX = 'cairn-upload-'

export type ImportParts = {
  readonly cairn: Cairn
  readonly log: Log
  readonly limits: UploadLimits
  /** Is aborted when the server is told to end. */
  readonly stopping: AbortSignal
}

type Sent = {
  readonly folder: string
  readonly tops: readonly string[]
  readonly options: ImportInput
}

export type ImportsAnswer = { readonly reports: readonly ImportReport[] }

export function addImport(app: App, parts: ImportParts): void {
  app.post('/api/import', async (context) => {
    const folder = await mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`))
    const remove = (): Promise<void> => rm(folder, { recursive: true, force: true })
    try {
      const sent = await readSent(context, folder, parts.limits)
      const signal = AbortSignal.any([parts.stopping, hangUpOf(context)])
      const run = (tell: Tell): Promise<ImportsAnswer> => importAll(parts.cairn, sent, signal, tell)
      if (!wantsEvents(context)) {
        const answer = await run(() => {})
        await remove()
        return context.json(answer)
      }
      return eventStream(async (tell) => {
        try {
          tell('done', await run(tell))
        } catch (error) {
          parts.log('warn', 'http.import', { reason: String(error) })
          tell('error', problemOf(error, parts.cairn.file).body)
        } finally {
          await remove()
        }
      })
    } catch (error) {
      await remove()
      throw error
    }
  })
}

/** Files that a server left which was killed. */
export async function sweepUploads(isAlive: (pid: number) => boolean): Promise<void> {
  for (const name of await readdir(tmpdir()).catch(() => [])) {
    const pid = new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1]
    if (pid === undefined || isAlive(Number(pid))) continue
    await rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => {})
  }
}

async function readSent(
  { env, req }: AppContext,
  folder: string,
  limits: UploadLimits,
): Promise<Sent> {
  const query = new URL(req.url).searchParams
  const { tops, fields } = await receive(env.incoming, query, folder, limits)
  const { importRequest } = await import('../schemas/import-request.js')
  const options = readQuery(fields, await schemaOf(operation('import')))
  check(importRequest, options)
  if (options.format === 'git') throw badInput('The history of a repository cannot be sent.')
  return { folder, tops, options }
}

async function importAll(
  cairn: Cairn,
  { folder, tops, options }: Sent,
  signal: AbortSignal,
  tell: Tell,
): Promise<ImportsAnswer> {
  const reports: ImportReport[] = []
  for (const name of tops) {
    const report = await cairn
      .import(join(folder, name), {
        source: name.slice(-500),
        // A folder of the same name may be another one.
        prune: false,
        ...options,
        batch: Math.min(options.batch ?? BATCH, BATCH),
        signal,
        onProgress: (progress) => tell('progress', { name, ...progress }),
      })
      .catch((error: unknown) => {
        throw signal.aborted ? broken() : withoutFolder(error, folder)
      })
    reports.push(nameless(report, folder))
  }
  return { reports }
}

function broken(): CairnError {
  return new CairnError('closed', {
    message: 'The import was ended; what was written up to then stays.',
    hint: 'Send it again: what is there already is left alone.',
  })
}

/** Where files lie for a moment is nothing to remember. */
function withoutFolder(error: unknown, folder: string): unknown {
  if (!(error instanceof CairnError)) return error
  const { code, message, hint } = error
  const details = { message: message.replaceAll(`${folder}${sep}`, ''), cause: error }
  return new CairnError(code, hint === null ? details : { ...details, hint })
}

function nameless(report: ImportReport, folder: string): ImportReport {
  const written = JSON.stringify(`${folder}${sep}`).slice(1, -1)
  return JSON.parse(JSON.stringify(report).replaceAll(written, '')) as ImportReport
}

function wantsEvents({ req }: AppContext): boolean {
  return /\btext\/event-stream\b/i.test(req.header('accept') ?? '')
}

function hangUpOf({ env }: AppContext): AbortSignal {
  const controller = new AbortController()
  env.outgoing.once('close', () => controller.abort())
  return controller.signal
}
