/** Promise: files that are sent land in one folder and nowhere else, within limits, without being held in memory. */

import { createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { dirname, join } from 'node:path'
import { type Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Busboy, type BusboyInstance } from '@fastify/busboy'
import { badInput } from '../../core/errors.js'
import { Refused } from './problems.js'
import { tooLarge, tooSlow } from './read-body.js'
import { readUploadName } from './upload-name.js'

export type UploadLimits = {
  readonly maxBytes: number
  readonly maxFiles: number
  /** For how long nothing may come. */
  readonly stallMs: number
}

export type Received = {
  /** Files and folders at the top, in the order in which they came. */
  readonly tops: readonly string[]
  /** What was sent beside the files. */
  readonly fields: URLSearchParams
}

const MAX_FIELDS = 100
const MAX_FIELD_BYTES = 65_536

/** A form with files, or one file as the body itself with its name in the query string. */
export async function receive(
  incoming: IncomingMessage,
  query: URLSearchParams,
  folder: string,
  limits: UploadLimits,
): Promise<Received> {
  if (Number(incoming.headers['content-length'] ?? 0) > limits.maxBytes) {
    throw tooLarge(limits.maxBytes)
  }
  const landing = new Landing(folder)
  const fields = new URLSearchParams(query)
  const name = query.get('name')
  if (/^multipart\/form-data\b/i.test(incoming.headers['content-type'] ?? '')) {
    await receiveForm(incoming, landing, fields, limits)
  } else if (name !== null) {
    await landing.keep(name, incoming.pipe(measured(incoming, limits)))
  } else {
    throw new Refused('unsupported_media_type', 'There is no file in this request.', {
      hint: 'Send a form with parts "file", or the file itself with ?name=… in the address.',
    })
  }
  fields.delete('name')
  if (landing.tops.length === 0) throw badInput('There is no file in this form.')
  return { tops: landing.tops, fields }
}

async function receiveForm(
  incoming: IncomingMessage,
  landing: Landing,
  fields: URLSearchParams,
  limits: UploadLimits,
): Promise<void> {
  const form = openForm(incoming, limits)
  const files: Readable[] = []
  const kept: Promise<void>[] = []
  form.on('file', (_, file, name) => {
    files.push(file)
    const keeping = landing.keep(name ?? '', file)
    kept.push(keeping)
    // What follows is not read: the first thing that is wrong is told.
    keeping.catch((error: Error) => form.destroy(error))
  })
  form.on('field', (name, value) => fields.append(name, value))
  form.on('filesLimit', () =>
    form.destroy(badInput(`At most ${limits.maxFiles} files are taken at once.`)),
  )
  try {
    await pipeline(incoming, measured(incoming, limits), form)
    await Promise.all(kept)
  } catch (error) {
    for (const file of files) file.destroy()
    await Promise.allSettled(kept)
    throw isOfBusboy(error) ? badInput('The form is broken off or not well formed.') : error
  }
}

function openForm(incoming: IncomingMessage, { maxFiles }: UploadLimits): BusboyInstance {
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
    throw badInput('The form says nothing of its boundary.')
  }
}

function isOfBusboy(error: unknown): boolean {
  return error instanceof Error && error.constructor === Error
}

/** The same bytes, as long as they keep coming and are not too many. */
function measured(incoming: IncomingMessage, { maxBytes, stallMs }: UploadLimits): Transform {
  let length = 0
  const timer = setTimeout(() => counter.destroy(tooSlow(stallMs)), stallMs)
  const counter = new Transform({
    transform(part: Buffer, _, done) {
      timer.refresh()
      length += part.length
      if (length > maxBytes) done(tooLarge(maxBytes))
      else done(null, part)
    },
  })
  counter.once('close', () => clearTimeout(timer))
  incoming.once('aborted', () =>
    counter.destroy(new Refused('timeout', 'The request ended before its body did.')),
  )
  return counter
}

/** Where files land. */
class Landing {
  readonly tops: string[] = []
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Never over another file, and never through a link: nothing but what it made itself is in the folder. */
  async keep(name: string, file: Readable): Promise<void> {
    const parts = readUploadName(name)
    const [top = name] = parts
    if (!this.tops.includes(top)) this.tops.push(top)
    const path = join(this.#folder, ...parts)
    await mkdir(dirname(path), { recursive: true }).catch(() => {
      throw badInput(`The name "${name}" is that of a file and of a folder.`)
    })
    await pipeline(file, createWriteStream(path, { flags: 'wx', mode: 0o600 })).catch(
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'EEXIST' || error.code === 'EISDIR') {
          throw badInput(`Two files have the name "${name}".`)
        }
        throw error
      },
    )
  }
}
