/** Promise: help shows an example before anything else, and the default of every option. */

import { VERSION } from '../../core/version.js'
import type { Command, Flag } from './command.js'

export function overallHelp(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length))
  return [
    `cairn ${VERSION}: search what you and your agents wrote down, in one local file`,
    '',
    '  cairn add "We deploy on Thursdays." --tag release',
    '  cairn search "deploy"',
    '',
    'Commands:',
    ...commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    '',
    '`cairn COMMAND --help` shows examples and options. `cairn --version` prints the version.',
    'Exit: 0 done, even with no hits · 1 failed · 2 wrong usage',
    '',
  ].join('\n')
}

export function commandHelp(command: Command): string {
  const rows = Object.entries(command.flags).map(
    ([name, flag]) => [spell(name, flag), flag.help, flag.default] as const,
  )
  const width = Math.max(...rows.map(([spelled]) => spelled.length))
  const options = rows.map(([spelled, help, byDefault]) => {
    const shown = byDefault === undefined ? '' : `  (default: ${byDefault})`
    return `  ${spelled.padEnd(width)}  ${help}${shown}`
  })
  return [
    `cairn ${command.name}: ${command.summary}`,
    ...command.examples.map((example) => `  ${example}`),
    '',
    `Usage: cairn ${command.usage}`,
    'Options:',
    ...options,
    'Exit: 0 done, even with no hits · 1 failed · 2 wrong usage',
    '',
  ].join('\n')
}

function spell(name: string, flag: Flag): string {
  return flag.type === 'switch' ? `--${name}` : `--${name} <${flag.value ?? 'value'}>`
}
