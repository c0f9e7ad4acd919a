/** Promise: `cairn backup` copies the file while others write, and shows how far it is. */

import { badInput } from '../../../core/errors.js'
import type { Context, Outcome } from '../command.js'
import { createProgress } from '../render/progress.js'
import { showBytes } from '../render/size.js'

export async function runBackup(context: Context): Promise<Outcome> {
  const { words, flags, world } = context
  const [file] = words
  if (file === undefined) {
    throw badInput('Where to? Name the file of the copy.', 'For example: cairn backup notes.cairn')
  }
  const cairn = await context.open()
  const progress = createProgress(world, 'pages')
  const answer = await cairn
    .backup(file, {
      force: flags.force === true,
      onProgress: ({ done, total }) => progress.show(done, total),
    })
    .finally(() => progress.end())
  return {
    json: answer,
    text: (style) => `${style.good('copied')} ${showBytes(answer.bytes)} to ${answer.file}\n`,
  }
}
