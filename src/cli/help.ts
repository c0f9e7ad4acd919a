/** Formats the help pages: examples first, the default of every option, no line longer than the terminal. */

import { VERSION } from '../core/version.js'
import type { Command, Flag } from './command.js'
import { FAMILIES, GROUPS, listFamily } from './commands.js'
import { EVERYDAY_FLAGS, SECTIONS, SHORT_FLAGS } from './flags.js'
import { wrap } from './render/layout.js'

/** Longer lines are harder to read. */
const MAX_COLUMNS = 100
/** Longer names stand on a line of their own. */
const MAX_NAME = 24

type Row = readonly [name: string, about: string]
type Section = { readonly heading: string; readonly rows: readonly Row[] }

const GENERAL: readonly Section[] = [
  {
    heading: 'Environment',
    rows: [
      ['CAIRN_DB', 'the file, unless --db names one'],
      ['CAIRN_LOG', 'the log level, unless --log-level is given'],
      ['NO_COLOR', 'any value turns colours off'],
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
]

export function formatOverallHelp(columns: number): string {
  const sections = GROUPS.map(({ heading, commands }) => ({ heading, rows: listRows(commands) }))
  return [
    `cairn ${VERSION}: search what you and your agents wrote down, in one local file`,
    '',
    '  cairn add "We deploy on Thursdays." --tag release',
    '  cairn search "deploy"',
    ...formatSections(sections, columns),
    ...formatSections(GENERAL, columns),
    '',
    '`cairn help COMMAND` shows the options of a command.',
    '`cairn --version` prints the version.',
    '',
  ].join('\n')
}

/** The commands of two words share a line with their family. */
function listRows(commands: readonly Command[]): readonly Row[] {
  const firstWords = [...new Set(commands.map(({ name }) => name.split(' ')[0] ?? ''))]
  return firstWords.map((word): Row => {
    const single = commands.find(({ name }) => name === word)?.summary
    const family = commands.filter(({ name }) => name.startsWith(`${word} `))
    const seconds = family.map(({ name }) => name.slice(word.length + 1)).join(', ')
    if (single === undefined) return [word, `${FAMILIES[word]}: ${seconds}`]
    return [word, seconds === '' ? single : `${single}; also: ${seconds}`]
  })
}

export function formatFamilyHelp(family: string, columns: number): string {
  const commands = listFamily(family)
  const rows = commands.map(({ name, summary }): Row => [name, summary])
  return [
    `cairn ${family}: ${FAMILIES[family]}`,
    '',
    ...commands.map(({ examples }) => `  ${examples[0]}`),
    ...formatSections([{ heading: 'Commands', rows }], columns),
    '',
    `\`cairn help ${commands[0]?.name}\` shows its options.`,
    '',
  ].join('\n')
}

/** A command with more options shows the everyday ones, and all of them with `--all`. */
const MANY_FLAGS = 16

export function formatCommandHelp(command: Command, columns: number, isComplete: boolean): string {
  const { name, summary, positionals, examples, seeAlso = [] } = command
  const all = Object.entries(command.flags)
  const isShort = all.length > MANY_FLAGS && !isComplete
  const flags = isShort ? all.filter(([flag]) => EVERYDAY_FLAGS.has(flag)) : all
  const sections = [
    { heading: 'Arguments', rows: positionals.map((one): Row => [one.name, one.help]) },
    ...SECTIONS.map((heading) => ({
      heading,
      rows: flags
        .filter(([, { section = 'Options' }]) => section === heading)
        .map(([flag, about]): Row => [formatFlag(flag, about), describeFlag(about)]),
    })),
  ]
  const usage = positionals.map(({ name: word, takes, isOptional }) => {
    const one = takes ? `${word}…` : word
    return isOptional ? `[${one}]` : one
  })
  const others = seeAlso.map((other) => `cairn ${other}`).join(', ')
  return [
    `cairn ${name}: ${summary}`,
    '',
    ...examples.map((example) => `  ${example}`),
    '',
    `Usage: ${['cairn', name, ...usage, '[options]'].join(' ')}`,
    ...formatSections(
      sections.filter(({ rows }) => rows.length > 0),
      columns,
    ),
    '',
    ...(isShort ? [`\`cairn ${name} --help --all\` shows all ${all.length} options.`] : []),
    ...(others === '' ? [] : wrap(`See also: ${others}`, columns)),
    'Exit: 0 done, even with no hits · 1 failed · 2 wrong usage',
    '',
  ].join('\n')
}

/** All names of a page are in one column, their descriptions in another. */
function formatSections(sections: readonly Section[], columns: number): string[] {
  const lengths = sections.flatMap(({ rows }) => rows.map(([name]) => name.length))
  const width = Math.max(0, ...lengths.filter((length) => length <= MAX_NAME))
  const aboutWidth = Math.min(columns, MAX_COLUMNS) - width - 4
  return sections.flatMap(({ heading, rows }) => [
    '',
    `${heading}:`,
    ...rows.flatMap(([name, about]) => {
      const [first = '', ...rest] = wrap(about, aboutWidth).map((line) => line.replaceAll(TIE, ' '))
      const indent = ' '.repeat(width + 4)
      return name.length > width
        ? [`  ${name}`, ...[first, ...rest].map((line) => indent + line)]
        : [`  ${name.padEnd(width)}  ${first}`, ...rest.map((line) => indent + line)]
    }),
  ])
}

/** A space at which a line is not broken. */
const TIE = '\u00a0'

function formatFlag(name: string, { type, value = 'value' }: Flag): string {
  const short = SHORT_FLAGS[name]
  const names = short === undefined ? `--${name}` : `-${short}, --${name}`
  return type === 'switch' ? names : `${names} <${value}>`
}

function describeFlag({ type, help, choices, default: byDefault }: Flag): string {
  const values = choices === undefined ? '' : `: ${choices.join(`${TIE}| `)}`
  const again = type === 'list' ? '; repeatable' : ''
  const otherwise = byDefault === undefined ? '' : ` (default:${TIE}${byDefault})`
  return `${help}${values}${again}${otherwise}`
}
