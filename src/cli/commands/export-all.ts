/** `cairn export --all` writes everything that cannot be derived, a line at a time. */

import { badInput } from '../../core/errors.js'
import type { OperationInput } from '../../operations/operations.js'
import type { CliContext, CommandContext, Outcome } from '../command.js'
import { readOutputFlag, writeFileWhole } from '../files.js'
import { createProgress } from '../render/progress.js'

/** Lines are short, and to write each by itself takes long. */
const PIECE_CHARACTERS = 65_536

export async function runExportAll(
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
  const progress = output === null ? null : createProgress(cli, 'lines')
  let lines = 0
  const pieces = joined(cairn.exportAll(), () => {
    lines++
    progress?.show(lines, null)
  })
  if (output === null) await print(pieces, cli)
  else await writeFileWhole(output, pieces).finally(() => progress?.end())
  return {
    json: { format: 'archive', lines, output },
    text: (style) => `${style.good('exported')} ${lines} lines to ${output}\n`,
    isPrinted: output === null,
  }
}

async function print(pieces: AsyncIterable<string>, cli: CliContext): Promise<void> {
  for await (const piece of pieces) {
    cli.writeOut(piece)
    await cli.outDrained()
  }
}

async function* joined(
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
