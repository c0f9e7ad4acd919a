/** Sends files: a copy of the whole library, and the PDF that a record was imported from. */

import { createReadStream } from 'node:fs'
import { mkdtemp, open, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import process from 'node:process'
import { Readable } from 'node:stream'
import { assertRole } from '../core/caller.js'
import { CairnError } from '../core/errors.js'
import { type App, type AppContext, type AppParts, findView } from './api.js'
import { removeFolder } from './import.js'

const PDF_SIGNATURE = '%PDF-'

export function addFiles(app: App, { cairn }: AppParts): void {
  app.get('/api/backup', async (context) => {
    assertRole(context.get('caller'), 'admin')
    const folder = await mkdtemp(join(tmpdir(), `cairn-copy-${process.pid}-`))
    try {
      const path = join(folder, 'copy.cairn')
      await findView(context, cairn).backup(path)
      const name = `${basename(cairn.file).replace(/[^\w.-]/g, '_')}-${today()}.cairn`
      return await sendFile(context, path, () => removeFolder(folder), {
        'content-type': 'application/octet-stream',
        'content-disposition': `attachment; filename="${name}"`,
      })
    } catch (error) {
      await removeFolder(folder)
      throw error
    }
  })
  app.get('/api/records/:id/file', async (context) => {
    const found = await findView(context, cairn).findFile(context.req.param('id'))
    if (found === null || !(await isPdf(found.path))) {
      throw new CairnError('not_found', {
        message: 'The PDF of this record is not on this machine.',
        hint: 'Import it by its path with `cairn import`: a file that was sent is not kept.',
      })
    }
    // The viewer of the browser has styles of its own, which the policy of the page would refuse.
    const headers = { 'content-type': 'application/pdf', 'content-disposition': 'inline' }
    const policy = { 'content-security-policy': "frame-ancestors 'none'" }
    return sendFile(context, found.path, async () => {}, { ...headers, ...policy })
  })
}

const today = (): string => new Date().toISOString().slice(0, 10)

/** By its first bytes: the metadata that names a file can be edited. */
async function isPdf(path: string): Promise<boolean> {
  const file = await open(path)
  try {
    const { buffer } = await file.read(
      Buffer.alloc(PDF_SIGNATURE.length),
      0,
      PDF_SIGNATURE.length,
      0,
    )
    return buffer.toString('latin1') === PDF_SIGNATURE
  } finally {
    await file.close()
  }
}

async function sendFile(
  { req }: AppContext,
  path: string,
  onClose: () => Promise<void>,
  headers: Record<string, string>,
) {
  const { size } = await stat(path)
  const sized = { ...headers, 'content-length': String(size) }
  if (req.method === 'HEAD') {
    await onClose()
    return new Response(null, { headers: sized })
  }
  const content = createReadStream(path)
  content.once('close', () => void onClose())
  const body = Readable.toWeb(content) as ReadableStream<Uint8Array>
  return new Response(body, { headers: sized })
}
