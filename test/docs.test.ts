/** What the papers say is what the program does, and they name nothing that is not there. */

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
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

  test('docs/cli.md is the help of every command', () => {
    const page = writeCliPage()
    if (process.env.UPDATE_GOLDEN === '1') writeFileSync(join(ROOT, 'docs/cli.md'), page)
    expect(read('docs/cli.md')).toBe(page)
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

  test('docs/json.md shows what every command prints', () => {
    const page = read('docs/json.md')
    const lacking = COMMANDS.filter(({ name }) => !page.includes(`\n## cairn ${name}\n`))
    expect(lacking.map(({ name }) => name)).toEqual([])
  })

  test('docs/ranking.md has the constants as they are', () => {
    const page = readCells('docs/ranking.md')
    expect(page).toContain(`| \`HALF_STRENGTH\` | ${HALF_STRENGTH} |`)
    for (const [name, { floor, room }] of Object.entries(STEPS)) {
      expect(page).toContain(`| \`STEPS.${name}\` | floor ${floor}, room ${room} |`)
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

  test('every path of the project that a page names is there', () => {
    const named = /`((?:src|docs|test|scripts|examples|bench)\/[\w./-]+)`/g
    const broken = pages.flatMap((page) =>
      [...read(page).matchAll(named)]
        .filter(([, path = '']) => !existsSync(join(ROOT, path)))
        .map(([, path]) => `${page}: ${path}`),
    )
    expect(broken).toEqual([])
  })

  test('docs/README.md leads to every page', () => {
    const index = read('docs/README.md')
    const lacking = pages
      .filter((page) => page.startsWith('docs/') && page !== 'docs/README.md')
      .filter((page) => !index.includes(`](${page.slice('docs/'.length)})`))
    expect(lacking).toEqual([])
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

/** The whole of docs/cli.md. */
function writeCliPage(): string {
  const anchorOf = (name: string): string => `#cairn-${name.replaceAll(' ', '-')}`
  const index = GROUPS.map(({ heading, commands }) => {
    const lines = commands.map(
      ({ name, summary }) => `- [\`cairn ${name}\`](${anchorOf(name)}): ${summary}`,
    )
    return `${heading}:\n\n${lines.join('\n')}`
  })
  const sections = COMMANDS.map(
    (command) =>
      `## cairn ${command.name}\n\n\`\`\`\n${formatCommandHelp(command, 80, true)}\`\`\`\n`,
  )
  return `# The command line

This page is the help of every command, as \`cairn COMMAND --help\` prints it. A test keeps it so;
\`UPDATE_GOLDEN=1 npx vitest run test/docs.test.ts\` writes it anew.

Results go to standard output, everything else to standard error. With \`--json\` a command prints one
JSON document ([json.md](json.md)), and an error is one too ([errors.md](errors.md)).

What a flag does not say is taken from the environment and from files: [configuration.md](configuration.md). Any value of
\`$NO_COLOR\` switches colours off; they are only used on a terminal.

${index.join('\n\n')}

${sections.join('\n')}`
}
