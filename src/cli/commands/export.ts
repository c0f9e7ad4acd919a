/** `cairn export` writes works for other programs, or with `--all` everything for Cairn itself. */

import { type OperationInput, performNamed } from '../../operations/operations.js'
import type { CommandContext, Outcome } from '../command.js'
import { readOutputFlag, writeFileWhole } from '../files.js'
import { withKnownSessions } from '../resolve-ids.js'
import { runExportAll } from './export-all.js'

export async function runExport(
  context: CommandContext,
  input: OperationInput<'export'>,
): Promise<Outcome> {
  const { flags } = context
  if (flags.all === true) return runExportAll(context, input)
  const output = readOutputFlag(flags)
  const cairn = await context.open()
  const asked = await withKnownSessions(input, cairn)
  const { format, works, text } = await performNamed('export', cairn, asked)
  if (output !== null) await writeFileWhole(output, [text])
  return {
    json: { format, works, output, text: output === null ? text : null },
    text: (style) =>
      output === null
        ? text
        : `${style.good('exported')} ${works} ${works === 1 ? 'work' : 'works'} to ${output}\n`,
    ...(works === 0 && { problem: 'There is no work to export.' }),
  }
}
