/** What the papers say is what the program does, and they name nothing that is not there. */

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import type { Command, Flag } from '../src/cli/command.js'
import { COMMANDS, GROUPS } from '../src/cli/commands.js'
import { formatCommandHelp } from '../src/cli/help.js'
import { getSetting, SETTING_NAMES } from '../src/config/settings.js'
import { ERROR_CODES } from '../src/core/errors.js'
import { VERSION } from '../src/core/version.js'
import { joinWhere } from '../src/query/lift-metadata.js'
import { parseQuery } from '../src/query/parse.js'
import { planQuery } from '../src/query/steps.js'
import { printQuery } from '../src/query/tree.js'
import { HALF_STRENGTH, STEPS } from '../src/search/explain.js'

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..')
const IGNORED = new Set(['node_modules', 'dist', '.git', 'test-results', 'coverage'])

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
/** With the cells of tables unpadded, however wide they were written. */
const readCells = (path: string): string => read(path).replace(/ {2,}\|/g, ' |')

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (IGNORED.has(entry.name)) return []
    const path = join(folder, entry.name)
    return entry.isDirectory() ? filesUnder(path) : entry.isFile() ? [path] : []
  })
}

const files = filesUnder(ROOT).map((path) => relative(ROOT, path).replaceAll('\\', '/'))
const pages = files.filter((path) =>
  /^(README|CONTRIBUTING|CHANGELOG|AGENTS|SECURITY)\.md$|^(docs|examples)\/.*\.md$/.test(path),
)

describe('reference pages', () => {
  test('docs/errors.md has a heading for every error code, and for nothing else', () => {
    const documented = [...read('docs/errors.md').matchAll(/^## `(.+)`$/gm)].map(([, code]) => code)
    expect(documented.sort()).toEqual([...ERROR_CODES].sort())
  })

  test('docs/cli.md and docs/cli are the help of every command', () => {
    const written = writeCliPages()
    for (const [name, page] of Object.entries(written)) {
      if (process.env.UPDATE_GOLDEN === '1') writeFileSync(join(ROOT, name), page)
      expect(read(name)).toBe(page)
    }
    const others = files.filter((name) => name.startsWith('docs/cli/') && !(name in written))
    expect(others).toEqual([])
  })

  test('docs/configuration.md has a row for every setting, as the settings are described', () => {
    const page = read('docs/configuration.md')
    const block = /(<!-- settings: .*-->\n)[\s\S]*(<!-- end of settings -->)/
    const written = page.replace(
      block,
      (_, start: string, end: string) => start + settingsTable() + end,
    )
    if (process.env.UPDATE_GOLDEN === '1')
      writeFileSync(join(ROOT, 'docs/configuration.md'), written)
    expect(read('docs/configuration.md')).toBe(written)
    expect(written).toContain('| `search.limit` |')
  })

  test('the help of every command names all of its options', () => {
    const lacking = COMMANDS.flatMap((command) =>
      Object.keys(command.flags)
        .filter((flag) => !formatCommandHelp(command, 80, true).includes(`--${flag}`))
        .map((flag) => `${command.name} --${flag}`),
    )
    expect(lacking).toEqual([])
  })

  test('docs/json.md and docs/json show what every command prints', () => {
    const page = pages
      .filter((name) => /^docs\/json[./]/.test(name))
      .map(read)
      .join('\n')
    const lacking = COMMANDS.filter(({ name }) => !page.includes(`\n## cairn ${name}\n`))
    expect(lacking.map(({ name }) => name)).toEqual([])
  })

  test('docs/ranking.md has the constants as they are', () => {
    const page = readCells('docs/ranking.md')
    expect(page).toContain(`| \`HALF_STRENGTH\` | ${HALF_STRENGTH} |`)
    for (const [name, { floor, range }] of Object.entries(STEPS)) {
      expect(page).toContain(`| \`STEPS.${name}\` | floor ${floor}, range ${range} |`)
    }
    const weights = /COLUMN_WEIGHTS = \{([^}]*)\}/.exec(read('src/storage/bm25.ts'))?.[1] ?? ''
    expect(page).toContain(
      `| \`COLUMN_WEIGHTS\` | ${weights
        .replace(/[:\s]+/g, ' ')
        .replace(/,\s*$/, '')
        .trim()} |`,
    )
  })

  test('docs/storage.md names every table, view and trigger', () => {
    const folder = 'src/storage/sqlite/migrations'
    const schema = readdirSync(join(ROOT, folder)).map((name) => read(`${folder}/${name}`))
    const created = /CREATE (?:VIRTUAL )?(?:TABLE|VIEW|TRIGGER|INDEX|UNIQUE INDEX) (\w+)/g
    const names = [...schema.join('\n').matchAll(created)].map(([, name = '']) => name)
    const page = read('docs/storage.md')
    expect(names.length).toBeGreaterThan(5)
    expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([])
  })

  test('docs/query-language.md says how each of its examples is read', () => {
    const page = readCells('docs/query-language.md')
    const tables = [...page.matchAll(/^\| typed \| read as \|\n\|.*\n((?:\|.*\n)+)/gm)]
    const rows = tables.flatMap(([, body = '']) => [
      ...body.matchAll(/^\| `(.+?)` \| `(.+?)` \|$/gm),
    ])
    expect(rows.length).toBeGreaterThan(20)
    for (const [, typed = '', readAs] of rows) {
      const query = parseQuery(typed)
      const { root } = planQuery(query, 'auto', () => [])
      const printed = printQuery(joinWhere(root, query.where))
      expect({ typed, readAs: printed || 'nothing' }).toEqual({ typed, readAs })
    }
  })
})

describe('paths and numbers', () => {
  test('every link leads to a file that is there', () => {
    const broken = pages.flatMap((page) => {
      const text = read(page).replace(/^```[\s\S]*?^```/gm, '')
      return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
        .map(([, target = '']) => target.replace(/#.*$/, ''))
        .filter((target) => target !== '' && !/^[a-z]+:/.test(target))
        .filter((target) => !existsSync(join(ROOT, dirname(page), target)))
        .map((target) => `${page}: ${target}`)
    })
    expect(broken).toEqual([])
  })

  test('every link to a heading leads to a heading that is there', () => {
    const listAnchors = (page: string): string[] =>
      [...read(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => toAnchor(heading))
    const broken = pages.flatMap((page) =>
      [...read(page).matchAll(/\]\(([\w./-]*\.md)?#([\w-]+)\)/g)]
        .map(([, file, anchor = '']) => ({
          target: file === undefined ? page : join(dirname(page), file).replaceAll('\\', '/'),
          anchor,
        }))
        .filter(({ target, anchor }) => !listAnchors(target).includes(anchor))
        .map(({ target, anchor }) => `${page}: ${target}#${anchor}`),
    )
    expect(broken).toEqual([])
  })

  test('every path of the project that a page names is there', () => {
    const named = /`((?:src|docs|test|scripts|examples|bench)\/[\w./-]+)`/g
    const broken = pages.flatMap((page) =>
      [...read(page).matchAll(named)]
        .filter(([, path = '']) => !existsSync(join(ROOT, path)))
        .map(([, path]) => `${page}: ${path}`),
    )
    expect(broken).toEqual([])
  })

  test('docs/README.md leads to every page, itself or through one page', () => {
    const linksOf = (page: string): string[] =>
      [...read(page).matchAll(/\]\(([^)#\s]+\.md)/g)].map(([, target = '']) =>
        join(dirname(page), target).replaceAll('\\', '/'),
      )
    const first = linksOf('docs/README.md').filter((page) => /^docs\/.*\.md$/.test(page))
    const reached = new Set(['docs/README.md', ...first, ...first.flatMap(linksOf)])
    const lacking = pages.filter((page) => page.startsWith('docs/') && !reached.has(page))
    expect(lacking).toEqual([])
  })

  test('no page of docs has more than 300 lines', () => {
    const long = pages
      .filter((page) => page.startsWith('docs/'))
      .map((page) => `${page}: ${read(page).trimEnd().split('\n').length}`)
      .filter((line) => Number(line.split(': ')[1]) > 300)
    expect(long).toEqual([])
  })

  test('the version is the same wherever it is written', () => {
    const manifest = JSON.parse(read('package.json')) as { version: string }
    expect(VERSION).toBe(manifest.version)
    expect(read('CHANGELOG.md')).toContain(`## ${VERSION}`)
  })

  test('package-lock.json names no address that packages came from', () => {
    expect(read('package-lock.json')).not.toContain('"resolved"')
  })

  test('no file names a registry of packages or a folder of one machine', () => {
    const machine = /(?<![\w.~/-])\/(?:work|root|home\/\w+|Users\/\w+)\//
    const registry = /\bregistry\.(?:npm|yarn)\w*\.\w|\bnpm\.pkg\.\w|\bartifactory\b|\bverdaccio\b/i
    const naming = files.filter((path) => {
      const bytes = readFileSync(join(ROOT, path))
      if (bytes.subarray(0, 8000).includes(0)) return false
      const text = bytes.toString('utf8')
      return machine.test(text) || (path !== 'test/docs.test.ts' && registry.test(text))
    })
    expect(naming).toEqual([])
  })
})

type RequirementsScript = {
  parseIds(title: string): string[]
  updatePage(
    page: string,
    filesById: ReadonlyMap<string, ReadonlySet<string>>,
  ): { page: string; problems: string[] }
}

describe('requirements', async () => {
  const script = pathToFileURL(join(ROOT, 'scripts/requirements.mjs')).href
  const { parseIds, updatePage } = (await import(/* @vite-ignore */ script)) as RequirementsScript

  test('a title names ids in one bracket or in several', () => {
    expect(parseIds('[Q4] leaves a link')).toEqual(['Q4'])
    expect(parseIds('search [Q1, Q2] and [Q10] too')).toEqual(['Q1', 'Q2', 'Q10'])
    expect(parseIds('a list [1, 2] and text [like this]')).toEqual([])
  })

  test('the page lists the tests of each id, and an id without one is a problem', () => {
    const page = '| A1 | one |  |\n| A2 | two |  |'
    const updated = updatePage(page, new Map([['A1', new Set(['b.test.ts', 'a.test.ts'])]]))
    expect(updated.page).toBe('| A1 | one | `a.test.ts` `b.test.ts` |\n| A2 | two |  |')
    expect(updated.problems).toEqual(['No test names A2.'])
    expect(updatePage('', new Map([['A9', new Set(['a'])]])).problems[0]).toContain('A9')
  })

  const whole = join(ROOT, '../shared/REQUIREMENTS.md')
  test.skipIf(!existsSync(whole))(
    'the page has every id of the full text, where it is at hand',
    () => {
      const ids = [...readFileSync(whole, 'utf8').matchAll(/^- \*\*([A-Z]\d+)\b/gm)].map(
        ([, id]) => id,
      )
      const listed = [...read('docs/requirements.md').matchAll(/^\| ([A-Z]\d+) \|/gm)].map(
        ([, id]) => id,
      )
      expect(listed).toEqual(ids)
    },
  )
})

/** The anchor that GitHub gives to a heading. */
function toAnchor(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')
}

/** One row for each setting, with the flags that go before it. */
function settingsTable(): string {
  const rows = SETTING_NAMES.map((name) => {
    const { help, kind, variables, otherwise, default: value } = getSetting(name)
    const flags = COMMANDS.flatMap((command) =>
      Object.entries(command.flags)
        .filter(([, { setting }]) => setting === name)
        .map(([flag]) => `\`--${flag}\``),
    )
    const shown = value === undefined ? otherwise : `\`${value}\``
    const file = kind === 'secret' ? `${help}; in no file` : help
    const said = [...variables.map((one) => `\`${one}\``), ...new Set(flags)]
    return `| \`${name}\` | ${file} | ${shown} | ${said.join(' ')} |\n`
  })
  return `| setting | meaning | default | variable, flag |\n| --- | --- | --- | --- |\n${rows.join('')}`
}

/** docs/cli.md and a page for each group of commands, by their paths. */
function writeCliPages(): Record<string, string> {
  const toSlug = (text: string): string => text.toLowerCase().replaceAll(' ', '-')
  const isCommon = ({ section }: Flag): boolean => section === 'Common options'
  const withFlags = (command: Command, isKept: (flag: Flag) => boolean): Command => ({
    ...command,
    flags: Object.fromEntries(Object.entries(command.flags).filter(([, flag]) => isKept(flag))),
  })
  /** Without its first line, which is the heading, and its last, which is that of every command. */
  const formatHelp = (command: Command): string =>
    formatCommandHelp(command, 100, true).split('\n').slice(2, -2).join('\n').trimEnd()
  // The commands of a session are a page of their own: memory has most.
  const isOfSession = ({ name }: Command): boolean => name.startsWith('session ')
  const parts = GROUPS.flatMap(({ heading, commands }) => {
    const rest = commands.filter((command) => !isOfSession(command))
    const own = commands.filter(isOfSession)
    return [
      ...(own.length === 0 ? [] : [{ heading: 'Sessions', commands: own }]),
      { heading, commands: rest },
    ]
  })
  const search = COMMANDS.find(({ name }) => name === 'search')
  if (search === undefined) throw new Error('there is no command search')
  /** Options that are those of a search are named, and described with it. */
  const isOfSearch = (command: Command, [name, flag]: readonly [string, Flag]): boolean =>
    command !== search && flag.section !== undefined && flag.help === search.flags[name]?.help
  const describe = (command: Command): string => {
    const flags = Object.entries(command.flags).filter(([, flag]) => !isCommon(flag))
    const shared = flags.filter((entry) => isOfSearch(command, entry)).map(([name]) => name)
    const named =
      shared.length === 0
        ? ''
        : `Also takes of \`cairn search\`: ${shared.map((name) => `\`--${name}\``).join(' ')}\n`
    const own = withFlags(
      { ...command, seeAlso: [] },
      (flag) => !isCommon(flag) && !shared.some((name) => command.flags[name] === flag),
    )
    return [
      `## cairn ${command.name}\n\n${upperFirst(command.summary)}.\n`,
      `\`\`\`\n${formatHelp(own)}\n\`\`\`\n`,
      ...(named === '' ? [] : [named]),
    ].join('\n')
  }
  const groups = parts.map(({ heading, commands }) => {
    const head = `# Commands: ${heading.toLowerCase()}\n\nEvery command also takes the [common options](../cli.md#common-options).\n`
    return [`docs/cli/${toSlug(heading)}.md`, [head, ...commands.map(describe)].join('\n')] as const
  })
  const index = parts.map(({ heading, commands }) => {
    const lines = commands.map(
      ({ name, summary }) =>
        `- [\`cairn ${name}\`](cli/${toSlug(heading)}.md#cairn-${toSlug(name)}): ${summary}`,
    )
    return `## ${heading}\n\n${lines.join('\n')}`
  })
  const common = formatHelp({
    ...withFlags(search, isCommon),
    positionals: [],
    examples: [],
    seeAlso: [],
  })
  const page = `# The command line

These pages are the help of every command, as \`cairn COMMAND --help --all\` prints it. A test keeps them so;
\`UPDATE_GOLDEN=1 npx vitest run test/docs.test.ts\` writes them anew.

Results go to standard output, everything else to standard error. With \`--json\` a command prints one
JSON document ([json.md](json.md)), and an error is one too ([errors.md](errors.md)).

What a flag does not say is taken from the environment and from files: [configuration.md](configuration.md). Any value of
\`$NO_COLOR\` switches colours off; they are only used on a terminal. A command exits with 0 when it is done, even with no hits,
with 1 when it failed, and with 2 after wrong usage.

${index.join('\n\n')}

## Common options

\`\`\`
${common.slice(common.indexOf('  -d, --db'))}
\`\`\`
`
  return Object.fromEntries([['docs/cli.md', page], ...groups])
}

function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
