/** Promise: help shows an example before anything else, and the default of every option. */

import { VERSION } from '../../core/version.js'
import type { Command, CommandGroup, Flag } from './command.js'

const EXIT_CODES = 'Exit: 0 done, even with no hits · 1 failed · 2 wrong usage'

/** Commands of two words stand in one line with their family. */
export function overallHelp(
  groups: readonly CommandGroup[],
  families: Readonly<Record<string, string>>,
): string {
  const sections = groups.map(({ heading, commands }) => ({
    heading,
    rows: rowsOf(commands, families),
  }))
  const width = widest(sections.flatMap(({ rows }) => [...rows.keys()]))
  return [
    `cairn ${VERSION}: search what you and your agents wrote down, in one local file`,
    '',
    '  cairn add "We deploy on Thursdays." --tag release',
    '  cairn search "deploy"',
    ...sections.flatMap(({ heading, rows }) => [
      '',
      `${heading}:`,
      ...[...rows].map(([name, about]) => `  ${name.padEnd(width)}  ${about}`),
    ]),
    '',
    '`cairn COMMAND --help` shows examples and options. `cairn --version` prints the version.',
    EXIT_CODES,
    '',
  ].join('\n')
}

function rowsOf(
  commands: readonly Command[],
  families: Readonly<Record<string, string>>,
): Map<string, string> {
  const rows = new Map<string, string>()
  for (const { name, summary } of commands) {
    const [family = '', second] = name.split(' ')
    const before = rows.get(family)
    if (second === undefined) rows.set(name, summary)
    else rows.set(family, before ? `${before}, ${second}` : `${families[family]}: ${second}`)
  }
  return rows
}

export function familyHelp(family: string, about: string, commands: readonly Command[]): string {
  const width = widest(commands.map(({ name }) => name))
  return [
    `cairn ${family}: ${about}`,
    ...commands.map(({ examples }) => `  ${examples[0]}`),
    '',
    'Commands:',
    ...commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    '',
    `\`cairn ${commands[0]?.name} --help\` shows its options.`,
    '',
  ].join('\n')
}

export function commandHelp(command: Command): string {
  const rows = Object.entries(command.flags).map(([name, flag]) => ({
    spelled: spell(name, flag),
    section: flag.section ?? 'Options',
    about: flag.default === undefined ? flag.help : `${flag.help}  (default: ${flag.default})`,
  }))
  const width = widest(rows.map(({ spelled }) => spelled))
  const sections = [...new Set(rows.map(({ section }) => section))]
  return [
    `cairn ${command.name}: ${command.summary}`,
    ...command.examples.map((example) => `  ${example}`),
    '',
    `Usage: cairn ${command.usage}`,
    ...sections.flatMap((section) => [
      `${section}:`,
      ...rows
        .filter((row) => row.section === section)
        .map(({ spelled, about }) => `  ${spelled.padEnd(width)}  ${about}`),
    ]),
    EXIT_CODES,
    '',
  ].join('\n')
}

function spell(name: string, flag: Flag): string {
  return flag.type === 'switch' ? `--${name}` : `--${name} <${flag.value ?? 'value'}>`
}

function widest(texts: readonly string[]): number {
  return Math.max(...texts.map((text) => text.length))
}
