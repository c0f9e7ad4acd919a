/** Files that are sent land in one folder and nowhere else, within limits, without being held in memory. */

import type { WriteStream } from 'node:fs'
import { mkdir, open } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { dirname, join } from 'node:path'
import { type Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Busboy, type BusboyInstance } from '@fastify/busboy'
import { badInput } from '../core/errors.js'
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
  const counted = measured(incoming, limits)
  const kept: Promise<void>[] = []
  try {
    await new Promise<void>((resolve, reject) => {
      form.on('file', (_, file, name) => {
        const keeping = landing.keep(name ?? '', file)
        kept.push(keeping)
        // What follows is not read: the first thing that is wrong is told.
        keeping.catch(reject)
      })
      form.on('field', (name, value) => fields.append(name, value))
      form.on('filesLimit', () =>
        reject(badInput(`At most ${limits.maxFiles} files are taken at once.`)),
      )
      form.on('error', () => reject(badInput('The form is broken off or not well formed.')))
      form.on('finish', resolve)
      counted.on('error', reject)
      incoming.pipe(counted).pipe(form)
    })
    await Promise.all(kept)
  } catch (error) {
    // The parser itself is left alone: destroyed halfway, it would throw where nobody listens.
    counted.unpipe(form)
    counted.destroy()
    await landing.giveUp()
    throw error
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
  readonly #open = new Set<WriteStream>()
  readonly #keeping = new Set<Promise<void>>()
  #isOver = false

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Never over another file, and never through a link: nothing but what it made itself is in the folder. */
  keep(name: string, file: Readable): Promise<void> {
    const keeping = this.#keep(name, file)
    this.#keeping.add(keeping)
    return keeping
  }

  async #keep(name: string, file: Readable): Promise<void> {
    // A file may break off at any time, also before and after it is listened to below.
    file.on('error', () => {})
    const parts = readUploadName(name)
    const [top = name] = parts
    if (!this.tops.includes(top)) this.tops.push(top)
    const path = join(this.#folder, ...parts)
    await mkdir(dirname(path), { recursive: true }).catch(() => {
      throw badInput(`The name "${name}" is that of a file and of a folder.`)
    })
    const opened = await open(path, 'wx', 0o600).catch(() => {
      throw badInput(`Two files have the name "${name}".`)
    })
    if (this.#isOver) {
      await opened.close()
      throw badInput(`"${name}" came too late.`)
    }
    const target = opened.createWriteStream()
    this.#open.add(target)
    target.once('close', () => this.#open.delete(target))
    await pipeline(file, target)
  }

  /** Afterwards nothing comes into the folder any more, also nothing that was about to be opened: it can be removed. */
  async giveUp(): Promise<void> {
    this.#isOver = true
    const closing = [...this.#open].map(
      (target) => new Promise<void>((resolve) => target.once('close', resolve)),
    )
    for (const target of this.#open) target.destroy()
    await Promise.all([...closing, Promise.allSettled(this.#keeping)])
  }
}
