/** Uploads a file or a folder in one request and reports progress. */

import type { ImportProgress, ImportReport } from '../../../src/cairn/import.js'
import { readEvents } from './events.js'
import { RequestFailure, readFailure, send } from './request.js'

export type FileToSend = { readonly file: File; readonly path: string }
export type Progress = ImportProgress & { readonly name: string }

type Choices = {
  readonly dryRun: boolean
  readonly namespace: string
  readonly tags: readonly string[]
  readonly format: string | null
}

/** `startedAt` is by the clock of the server. */
export async function importFiles(
  files: readonly FileToSend[],
  { dryRun, namespace, tags, format }: Choices,
  onProgress: (progress: Progress) => void,
  signal: AbortSignal,
): Promise<{ readonly report: ImportReport; readonly startedAt: string }> {
  const form = new FormData()
  if (dryRun) form.append('dryRun', 'true')
  if (namespace !== '') form.append('namespace', namespace)
  if (format !== null) form.append('format', format)
  for (const tag of tags) form.append('tags', tag)
  for (const { file, path } of files) form.append('file', file, path)

  const { body, headers } = await send('/api/import', { method: 'POST', body: form, signal })
  const startedAt = new Date(headers.get('date') ?? Date.now()).toISOString()
  if (body === null) throw endedEarly()
  for await (const { name, data } of readEvents(body)) {
    const sent: unknown = JSON.parse(data)
    if (name === 'progress') onProgress(sent as Progress)
    if (name === 'done') {
      const [report] = (sent as { reports: readonly ImportReport[] }).reports
      if (report !== undefined) return { report, startedAt }
    }
    if (name === 'error') throw readFailure(sent)
  }
  throw endedEarly()
}

const endedEarly = (): RequestFailure =>
  new RequestFailure(
    'gone',
    'The connection ended before the import finished.',
    'Records written so far stay. Import the same files again to continue.',
  )
