/** Saves uploaded files in one folder and nowhere else, within limits and without holding them in memory. */

import { createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Busboy, type BusboyInstance } from '@fastify/busboy'
import { badInput } from '../core/errors.js'
import { readTarget } from './guard.js'
import { RequestError } from './problems.js'
import { type Limits, limitBody } from './request.js'

const MAX_FIELDS = 100
const MAX_FIELD_BYTES = 65_536
const MAX_NAME_BYTES = 255
const MAX_FOLDERS = 32

/**
 * Receives a form with files, or one file as the body with its name in the query string. Returns the files and folders
 * at the top, in the order in which they came, and the query string with the form fields beside the files.
 */
export async function receiveUpload(incoming: IncomingMessage, folder: string, limits: Limits) {
  const query = readTarget(incoming).url.searchParams
  const name = query.get('name')
  const upload: Upload = { folder, names: [], fields: query }
  if (/^multipart\/form-data\b/i.test(incoming.headers['content-type'] ?? '')) {
    await receiveForm(incoming, upload, limits)
  } else if (name !== null) {
    const body = limitUpload(incoming, limits)
    // A name that is refused leaves it unread, with a timer that would keep the process alive.
    await saveFile(upload, name, body).finally(() => body.destroy())
  } else {
    throw new RequestError('unsupported_media_type', 'There is no file in this request.', {
      hint: 'Send a form with parts "file", or the file itself with ?name=… in the address.',
    })
  }
  query.delete('name')
  if (upload.names.length === 0) throw badInput('There is no file in this form.')
  return upload
}

type Upload = {
  readonly folder: string
  readonly names: string[]
  readonly fields: URLSearchParams
}

function limitUpload(incoming: IncomingMessage, { uploadBytes, bodyMs }: Limits) {
  return limitBody(incoming, { maxBytes: uploadBytes, timeoutMs: bodyMs, isPerPart: true })
}

async function receiveForm(incoming: IncomingMessage, upload: Upload, limits: Limits) {
  const { uploadFiles: maxFiles } = limits
  const form = openForm(incoming, maxFiles)
  const body = limitUpload(incoming, limits)
  const stop = new AbortController()
  const saving: Promise<void>[] = []
  try {
    await new Promise<void>((resolve, reject) => {
      form.on('file', (_, file, name) => {
        const saved = saveFile(upload, name ?? '', file, stop.signal)
        saving.push(saved)
        saved.catch(reject)
      })
      form.on('field', (name, value) => upload.fields.append(name, value))
      form.on('filesLimit', () => reject(badInput(`At most ${maxFiles} files are taken at once.`)))
      form.on('error', () => reject(badInput('The form is incomplete or malformed.')))
      form.on('finish', resolve)
      body.on('error', reject)
      body.pipe(form)
    })
    await Promise.all(saving)
  } catch (error) {
    // The parser is not destroyed: halfway through a form it would throw an error that nothing catches.
    body.unpipe(form)
    body.destroy()
    // Afterwards nothing is written into the folder any more, so the caller can remove it.
    stop.abort()
    await Promise.allSettled(saving)
    throw error
  }
}

function openForm(incoming: IncomingMessage, maxFiles: number): BusboyInstance {
  try {
    return new Busboy({
      headers: { ...incoming.headers, 'content-type': incoming.headers['content-type'] ?? '' },
      preservePath: true,
      limits: {
        files: maxFiles,
        fields: MAX_FIELDS,
        fieldSize: MAX_FIELD_BYTES,
        fieldNameSize: 100,
        headerPairs: 20,
      },
    })
  } catch {
    throw badInput('The form has no boundary.')
  }
}

/** Never writes over another file and never through a link: the folder holds only what was saved here. */
async function saveFile(
  { folder, names }: Upload,
  name: string,
  file: Readable,
  signal?: AbortSignal,
): Promise<void> {
  // A stream may fail at any time, also before the pipeline listens to it and after.
  file.on('error', () => {})
  const parts = readUploadName(name)
  const [top = name] = parts
  if (!names.includes(top)) names.push(top)
  const path = join(folder, ...parts)
  await mkdir(dirname(path), { recursive: true }).catch(() => {
    throw badInput(`The name "${name}" is that of a file and of a folder.`)
  })
  const target = createWriteStream(path, { flags: 'wx', mode: 0o600 })
  await pipeline(file, target, { ...(signal !== undefined && { signal }) }).catch((error) => {
    throw error.code === 'EEXIST' ? badInput(`Two files have the name "${name}".`) : error
  })
}

/** Splits the name of an uploaded file into `['notes', 'june.md']`; refuses every name that could lead elsewhere. */
export function readUploadName(name: string): readonly string[] {
  const shown = `"${name.slice(0, 100)}"`
  if (/^[\\/]|^[A-Za-z]:/.test(name)) throw badInput(`The name ${shown} must be a relative path.`)
  const parts = name.split(/[\\/]/)
  if (parts.length > MAX_FOLDERS) throw badInput(`The name ${shown} has too many folders.`)
  for (const part of parts) {
    if (part === '' || part === '.' || part === '..') {
      throw badInput(`The name ${shown} is not the plain name of a file.`)
    }
    if (/\p{Cc}/u.test(part)) throw badInput(`The name ${shown} has control characters.`)
    if (Buffer.byteLength(part) > MAX_NAME_BYTES) throw badInput(`The name ${shown} is too long.`)
    // The settings of a repository can name programs, and git would run them.
    if (/\.git[. ]*$/i.test(part)) {
      throw badInput(
        `A repository cannot be sent: ${shown}.`,
        'Import its history where it is, with `cairn import --format git`.',
      )
    }
  }
  return parts
}
