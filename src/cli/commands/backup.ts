/** `cairn backup` copies the file while others write, and shows how far it is. */

import { type OperationInput, performNamed } from '../../operations/operations.js'
import type { CommandContext, Outcome } from '../command.js'
import { createProgress } from '../render/progress.js'
import { showBytes } from '../render/size.js'

export async function runBackup(
  context: CommandContext,
  input: OperationInput<'backup'>,
): Promise<Outcome> {
  const cairn = await context.open()
  const progress = createProgress(context.cli, 'pages')
  const answer = await performNamed('backup', cairn, input, {
    onProgress: ({ done, total }) => progress.show(done, total),
  }).finally(() => progress.end())
  return {
    json: answer,
    text: (style) => `${style.good('copied')} ${showBytes(answer.bytes)} to ${answer.file}\n`,
  }
}
