/** Imports uploaded files under the names they were sent with, reports progress as events and removes the files. */

import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { isAbsolute, join, sep } from 'node:path'
import process from 'node:process'
import type { Cairn } from '../cairn/cairn.js'
import type { ImportReport } from '../cairn/import.js'
import { assertRole } from '../core/caller.js'
import { isAlive } from '../core/draft.js'
import { badInput, CairnError } from '../core/errors.js'
import { operation } from '../operations/operations.js'
import { assertInput } from '../schemas/check.js'
import { type ImportInput, importRequest } from '../schemas/record-requests.js'
import { type App, type AppContext, type AppParts, findView } from './api.js'
import { createImportLimit, nameCaller } from './limits.js'
import { describeInput } from './openapi.js'
import { type Limits, readQuery } from './request.js'
import { createHangUp, streamEvents, wantsEvents } from './respond.js'
import { receiveUpload } from './upload.js'

/** Records per transaction: few enough that a search meanwhile waits milliseconds and not a second. */
const BATCH = 50

export function addImport(app: App, parts: AppParts): void {
  const { limits, stopping, isProxied } = parts
  const startImport = createImportLimit()
  app.post('/api/import', async (context) => {
    // Unlike the operation, it takes no path of the server.
    assertRole(context.get('caller'), 'write')
    const endImport = startImport(nameCaller(context, isProxied))
    context.env.outgoing.once('close', endImport)
    const folder = await mkdtemp(join(tmpdir(), `cairn-upload-${process.pid}-`))
    try {
      const signal = createHangUp(context, stopping)
      const upload = { ...(await readUpload(context, folder, limits)), signal }
      const cairn = findView(context, parts.cairn, upload.options)
      if (!wantsEvents(context)) {
        const reports = await importAll(cairn, upload, () => {})
        await removeFolder(folder)
        return context.json({ reports })
      }
      return streamEvents(context, parts, async (send) => {
        try {
          const report = (progress: object) => send('progress', progress)
          send('done', { reports: await importAll(cairn, upload, report) })
        } finally {
          await removeFolder(folder)
        }
      })
    } catch (error) {
      await removeFolder(folder)
      throw error
    }
  })
}

/** Removes the uploads and copies that a killed server left. */
export async function sweepLeftovers(): Promise<void> {
  for (const name of await readdir(tmpdir()).catch(() => [])) {
    const pid = /^cairn-(?:upload|copy)-(\d+)-/.exec(name)?.[1]
    if (pid === undefined || isAlive(Number(pid))) continue
    await removeFolder(join(tmpdir(), name)).catch(() => {})
  }
}

/** Retries: Windows refuses while a file is being closed. */
export async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 3 })
}

async function readUpload({ env }: AppContext, folder: string, limits: Limits) {
  const { names, fields } = await receiveUpload(env.incoming, folder, limits)
  const options: ImportInput = readQuery(fields, describeInput(operation('import')))
  assertInput(importRequest, options)
  if (options.format === 'git') throw badInput('The history of a repository cannot be sent.')
  // By its source a record is led back to its file.
  if (isAbsolute((options.source ?? '').replace(/^[a-z-]+:/, ''))) {
    throw badInput('The source of what is sent is a name, and no path of the server.')
  }
  return { folder, names, options }
}

type Upload = Awaited<ReturnType<typeof readUpload>> & { readonly signal: AbortSignal }

async function importAll(
  cairn: Cairn,
  { folder, names, options, signal }: Upload,
  report: (progress: object) => void,
): Promise<ImportReport[]> {
  const reports: ImportReport[] = []
  for (const name of names) {
    const imported = await cairn
      .import(join(folder, name), {
        source: name.slice(-500),
        // A folder of the same name may be another one.
        prune: false,
        ...options,
        batch: Math.min(options.batch ?? BATCH, BATCH),
        signal,
        isUpload: true,
        onProgress: (progress) => report({ name, ...progress }),
      })
      .catch((error: unknown) => {
        if (!signal.aborted) throw withoutFolder(error, folder)
        throw new CairnError('closed', {
          message: 'The import was stopped; what was written up to then stays.',
          hint: 'Send it again: what is there already is left alone.',
        })
      })
    const written = JSON.stringify(`${folder}${sep}`).slice(1, -1)
    reports.push(JSON.parse(JSON.stringify(imported).replaceAll(written, '')))
  }
  return reports
}

/** The temporary folder is of no use to the client. */
function withoutFolder(error: unknown, folder: string): unknown {
  if (!(error instanceof CairnError)) return error
  const { code, message, hint } = error
  const details = { message: message.replaceAll(`${folder}${sep}`, ''), cause: error }
  return new CairnError(code, hint === null ? details : { ...details, hint })
}
