/** `cairn export` writes works for other programs, or with `--all` the whole file as an archive. */

import { badInput } from '../../core/errors.js'
import { type OperationInput, performNamed } from '../../operations/operations.js'
import type { CommandContext, Outcome } from '../command.js'
import { readOutputFlag, writeFileWhole } from '../files.js'
import { createProgress } from '../render/progress.js'
import { formatCount } from '../render/style.js'
import { withKnownSessions } from '../resolve-ids.js'

/** Lines are short, and writing each by itself is slow. */
const PIECE_CHARACTERS = 65_536

export async function runExport(
  context: CommandContext,
  input: OperationInput<'export'>,
): Promise<Outcome> {
  if (context.flags.all === true) return exportAll(context, input)
  const output = readOutputFlag(context.flags)
  const cairn = await context.open()
  const asked = await withKnownSessions(input, cairn)
  const { format, works, text } = await performNamed('export', cairn, asked)
  if (output !== null) await writeFileWhole(output, [text])
  return {
    json: { format, works, output, text: output === null ? text : null },
    text: (style) =>
      output === null
        ? text
        : `${style.good('exported')} ${formatCount(works, 'work')} to ${output}\n`,
    ...(works === 0 && { problem: 'There is no work to export.' }),
  }
}

async function exportAll(
  context: CommandContext,
  input: OperationInput<'export'>,
): Promise<Outcome> {
  const { flags, cli } = context
  if (Object.keys(input).length > 0) {
    throw badInput(
      '--all writes everything, in one format.',
      'Leave ids, filters and --format out.',
    )
  }
  const output = readOutputFlag(flags)
  if (output === null && flags.json === true) {
    throw badInput('An archive is no single JSON document.', 'Give --output with --json.')
  }
  const cairn = await context.open()
  const progress = output === null ? null : createProgress(cli)
  let lines = 0
  const pieces = joinLines(cairn.exportAll(), () => {
    lines++
    progress?.show({ unit: 'lines', done: lines, total: null })
  })
  if (output !== null) await writeFileWhole(output, pieces).finally(() => progress?.end())
  else {
    for await (const piece of pieces) {
      cli.writeOut(piece)
      await cli.outDrained()
    }
  }
  return {
    json: { format: 'archive', lines, output },
    text: (style) => `${style.good('exported')} ${lines} lines to ${output}\n`,
    isPrinted: output === null,
  }
}

async function* joinLines(
  lines: AsyncIterable<string>,
  onLine: () => void,
): AsyncGenerator<string, void> {
  let piece = ''
  for await (const line of lines) {
    piece += `${line}\n`
    onLine()
    if (piece.length < PIECE_CHARACTERS) continue
    yield piece
    piece = ''
  }
  yield piece
}
