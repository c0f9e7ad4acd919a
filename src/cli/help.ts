/** Help shows examples before anything else, the default of every option, and no line that is too long. */

import { VERSION } from '../core/version.js'
import { type Command, type CommandGroup, type Flag, usageOf } from './command.js'
import { wrap } from './render/paragraph.js'

/** What help is written for where nobody says how wide the terminal is. */
export const HELP_COLUMNS = 80
/** Longer lines are harder to read, however wide the terminal. */
const MOST_COLUMNS = 100
/** Names that are longer stand on a line of their own. */
const WIDEST_NAME = 24

const EXIT_CODES = 'Exit: 0 done, even with no hits · 1 failed · 2 wrong usage'

type Row = readonly [name: string, about: string]

/** Commands of two words stand in one line with their family. */
export function overallHelp(
  groups: readonly CommandGroup[],
  families: Readonly<Record<string, string>>,
  columns = HELP_COLUMNS,
): string {
  const sections = groups.map(({ heading, commands }) => ({
    heading,
    rows: rowsOf(commands, families),
  }))
  return [
    `cairn ${VERSION}: search what you and your agents wrote down, in one local file`,
    '',
    '  cairn add "We deploy on Thursdays." --tag release',
    '  cairn search "deploy"',
    ...sectionLines(sections, columns),
    ...sectionLines(ALWAYS, columns),
    '',
    '`cairn help COMMAND` shows what a command takes.',
    '`cairn --version` prints the version.',
    '',
  ].join('\n')
}

const ALWAYS = [
  {
    heading: 'Environment',
    rows: [
      ['CAIRN_DB', 'the file, where --db names none'],
      ['CAIRN_LOG', 'the log level, where --log-level names none'],
      ['NO_COLOR', 'any value switches colours off'],
    ],
  },
  {
    heading: 'Exit codes',
    rows: [
      ['0', 'done, even with no hits'],
      ['1', 'failed, or done in part'],
      ['2', 'wrong usage'],
    ],
  },
] as const satisfies readonly { readonly heading: string; readonly rows: readonly Row[] }[]

function rowsOf(
  commands: readonly Command[],
  families: Readonly<Record<string, string>>,
): readonly Row[] {
  const rows = new Map<string, string>()
  for (const { name, summary } of commands) {
    const [family = '', second] = name.split(' ')
    const before = rows.get(family)
    if (second === undefined)
      rows.set(name, commands.some(isUnder(name)) ? `${summary}; also:` : summary)
    else if (before === undefined) rows.set(family, `${families[family]}: ${second}`)
    else rows.set(family, before.endsWith(':') ? `${before} ${second}` : `${before}, ${second}`)
  }
  return [...rows]
}

function isUnder(family: string) {
  return ({ name }: Command): boolean => name.startsWith(`${family} `)
}

export function familyHelp(
  family: string,
  about: string,
  commands: readonly Command[],
  columns = HELP_COLUMNS,
): string {
  const rows = commands.map(({ name, summary }): Row => [name, summary])
  return [
    `cairn ${family}: ${about}`,
    '',
    ...commands.map(({ examples }) => `  ${examples[0]}`),
    ...sectionLines([{ heading: 'Commands', rows }], columns),
    '',
    `\`cairn help ${commands[0]?.name}\` shows its options.`,
    '',
  ].join('\n')
}

export function commandHelp(command: Command, columns = HELP_COLUMNS): string {
  const words = command.words.map(({ name, help }): Row => [name, help])
  const sections = new Map<string, Row[]>()
  for (const [name, flag] of Object.entries(command.flags)) {
    const heading = flag.section ?? 'Options'
    sections.set(heading, [...(sections.get(heading) ?? []), [spell(name, flag), aboutFlag(flag)]])
  }
  const all = [
    ...(words.length === 0 ? [] : [{ heading: 'Arguments', rows: words }]),
    ...[...sections].map(([heading, rows]) => ({ heading, rows })),
  ]
  return [
    `cairn ${command.name}: ${command.summary}`,
    '',
    ...command.examples.map((example) => `  ${example}`),
    '',
    `Usage: cairn ${usageOf(command)}`,
    ...sectionLines(all, columns),
    '',
    ...seeAlso(command, columns),
    EXIT_CODES,
    '',
  ].join('\n')
}

function seeAlso({ seeAlso: others = [] }: Command, columns: number): string[] {
  if (others.length === 0) return []
  return wrap(`See also: ${others.map((name) => `cairn ${name}`).join(', ')}`, columns)
}

/** All names of a page stand in one column, what is said of them in another. */
function sectionLines(
  sections: readonly { readonly heading: string; readonly rows: readonly Row[] }[],
  columns: number,
): string[] {
  const names = sections.flatMap(({ rows }) => rows.map(([name]) => name.length))
  const width = Math.max(0, ...names.filter((length) => length <= WIDEST_NAME))
  const room = Math.min(columns, MOST_COLUMNS) - width - 4
  return sections.flatMap(({ heading, rows }) => [
    '',
    `${heading}:`,
    ...rows.flatMap(([name, about]) => {
      const lines = wrap(about, room).map((line) => `  ${' '.repeat(width)}  ${untied(line)}`)
      return name.length > width
        ? [`  ${name}`, ...lines]
        : [`  ${name.padEnd(width)}  ${lines[0]?.trimStart() ?? ''}`, ...lines.slice(1)]
    }),
  ])
}

/** Between words that stay on one line. */
const TIE = '\u00a0'

function untied(line: string): string {
  return line.replaceAll(TIE, ' ')
}

function spell(name: string, flag: Flag): string {
  return flag.type === 'switch' ? `--${name}` : `--${name} <${flag.value ?? 'value'}>`
}

function aboutFlag({ type, help, choices, default: byDefault }: Flag): string {
  const which = choices === undefined ? '' : `: ${choices.join(`${TIE}| `)}`
  const again = type === 'list' ? '; repeatable' : ''
  const otherwise = byDefault === undefined ? '' : ` (default:${TIE}${byDefault})`
  return `${help}${which}${again}${otherwise}`
}
