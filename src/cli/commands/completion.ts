/** `cairn completion` prints what a shell needs to complete every command there is. */

import { badInput } from '../../core/errors.js'
import type { CommandContext, Outcome } from '../command.js'
import { COMMANDS, FAMILIES } from '../commands.js'
import { bashScript } from '../completion/bash.js'
import { type Completed, completedOf, SHELLS, type Shell } from '../completion/completed.js'
import { fishScript } from '../completion/fish.js'
import { zshScript } from '../completion/zsh.js'

const SCRIPTS: Readonly<Record<Shell, (completed: Completed) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
}

export async function runCompletion({ words }: CommandContext): Promise<Outcome> {
  const [given] = words
  const shell = SHELLS.find((known) => known === given)
  if (shell === undefined) {
    throw badInput(
      given === undefined ? 'For which shell?' : `There is no completion for "${given}".`,
      `Give one of ${SHELLS.join(', ')}.`,
    )
  }
  const script = SCRIPTS[shell](completedOf(COMMANDS, FAMILIES))
  return { json: { shell, script }, text: () => script }
}
