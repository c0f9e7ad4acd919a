/** `cairn watch` keeps a folder and the file in step until it is told to stop, a line for each change. */

import type { ImportReport } from '../../cairn/import-report.js'
import { badInput, CairnError } from '../../core/errors.js'
import type { OperationInput } from '../../operations/operations.js'
import type { CommandContext, Outcome } from '../command.js'
import { changesOf, renderImport } from '../render/imports.js'
import { styleOf } from '../render/style.js'

const DONE: Outcome = { json: null, text: () => '', isPrinted: true }

export async function runWatch(
  context: CommandContext,
  options: Omit<OperationInput<'import'>, 'path'>,
): Promise<Outcome> {
  const { positionals, flags, cli } = context
  const [folder] = positionals
  if (folder === undefined) throw badInput('Which folder is to be watched? Give its path.')
  const signal = cli.stopSignal()
  const cairn = await context.open({ create: true })
  let isFirst = true
  const tell = (report: ImportReport): void => {
    const changes = changesOf(report)
    if (flags.json === true) cli.writeOut(`${JSON.stringify(report)}\n`)
    else if (isFirst) {
      const style = styleOf(cli)
      const hint = cli.isTerminal ? style.dim('watching; Ctrl-C ends it\n') : ''
      cli.writeOut(renderImport(report, style) + hint)
    } else if (changes !== null) {
      cli.writeOut(`${new Date(cli.now()).toISOString().slice(11, 19)}  ${changes}\n`)
    }
    isFirst = false
  }
  try {
    const watch = await cairn.watch(folder, {
      ...options,
      signal,
      onReport: tell,
      onError: (error) => cli.writeError(`cairn: ${sayError(error)}\n`),
    })
    if (signal.aborted) await watch.stop()
    await watch.done
  } catch (error) {
    // Stopped during the first pass: what was read is kept.
    if (!signal.aborted || error instanceof CairnError) throw error
  }
  return DONE
}

function sayError(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
