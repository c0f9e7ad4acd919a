/** Promise: `cairn export` writes works for other programs, or with `--all` everything for Cairn itself. */

import { badInput } from '../../../core/errors.js'
import type { ExportFormat } from '../../../core/work.js'
import type { ExportFilter } from '../../../library/find-works.js'
import type { Context, Outcome } from '../command.js'
import { filterParts } from '../search-options.js'
import { withKnownSessions } from '../wanted.js'
import { wantedOutput, writeWhole } from '../write-whole.js'
import { runExportAll } from './export-all.js'

export async function runExport(context: Context): Promise<Outcome> {
  const { words, flags } = context
  if (flags.all === true) return runExportAll(context)
  const format = (flags.format ?? 'bibtex') as ExportFormat
  const filter = filterParts(flags)
  if (words.length > 0 && Object.keys(filter).length > 0) {
    throw badInput('Works were named, and filters given too.', 'Give one or the other.')
  }
  const output = wantedOutput(flags)
  const cairn = await context.open()
  const which = words.length > 0 ? words : await withKnownSessions(cairn, filter)
  const { text, works } = await cairn.works.write(format, which as readonly string[] | ExportFilter)
  if (output !== null) await writeWhole(output, [text])
  return {
    json: { format, works, output, text: output === null ? text : null },
    text: (style) =>
      output === null
        ? text
        : `${style.good('exported')} ${works} ${works === 1 ? 'work' : 'works'} to ${output}\n`,
    ...(works === 0 ? { problem: 'There is no work to export.' } : {}),
  }
}
