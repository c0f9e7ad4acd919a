/** Promise: `cairn export` writes works for other programs, and never over a file that nobody gave up. */

import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { rename, rm, writeFile } from 'node:fs/promises'
import { badInput, CairnError } from '../../../core/errors.js'
import type { ExportFormat } from '../../../core/work.js'
import type { ExportFilter } from '../../../library/find-works.js'
import type { Context, Outcome } from '../command.js'
import { filterParts } from '../search-options.js'
import { withKnownSessions } from '../wanted.js'

export async function runExport(context: Context): Promise<Outcome> {
  const { words, flags } = context
  const format = (flags.format ?? 'bibtex') as ExportFormat
  const output = typeof flags.output === 'string' ? flags.output : null
  const filter = filterParts(flags)
  if (words.length > 0 && Object.keys(filter).length > 0) {
    throw badInput('Works were named, and filters given too.', 'Give one or the other.')
  }
  if (output !== null && flags.force !== true && existsSync(output)) throw isThere(output)
  const cairn = await context.open()
  const which = words.length > 0 ? words : await withKnownSessions(cairn, filter)
  const { text, works } = await cairn.works.write(format, which as readonly string[] | ExportFilter)
  if (output !== null) await writeWhole(output, text)
  return {
    json: { format, works, output, text: output === null ? text : null },
    text: (style) =>
      output === null
        ? text
        : `${style.good('exported')} ${works} ${works === 1 ? 'work' : 'works'} to ${output}\n`,
    ...(works === 0 ? { problem: 'There is no work to export.' } : {}),
  }
}

function isThere(file: string): CairnError {
  return badInput(`The file ${file} is there already.`, 'Name another one, or give --force.')
}

/** Whole or not at all: whoever reads the file meanwhile sees the old one. */
async function writeWhole(file: string, text: string): Promise<void> {
  const draft = `${file}.${randomUUID().slice(0, 8)}.tmp`
  try {
    await writeFile(draft, text)
    await rename(draft, file)
  } catch (cause) {
    await rm(draft, { force: true }).catch(() => {})
    throw new CairnError('unreadable_file', {
      message: `The file ${file} cannot be written.`,
      hint: 'Check that its folder is there and may be written to.',
      cause,
    })
  }
}
