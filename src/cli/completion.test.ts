import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../test/support/library.js'
import { jsonOf, terminal } from '../../test/support/terminal.js'
import { IMPORT_FORMATS } from '../index.js'
import { FORMATS } from '../schemas/record-requests.js'
import { LENS_NAMES } from '../schemas/search-request.js'
import { LENSES } from '../search/lenses.js'
import { COMMANDS } from './commands.js'
import { complete, SHELLS } from './completion.js'

/** Stands for the path of the script in the arguments of a shell. */
const SCRIPT = 'SCRIPT'

const isThere = (shell: string): boolean =>
  process.platform !== 'win32' &&
  spawnSync(shell, ['-c', 'exit 0'], { stdio: 'ignore' }).status === 0

/** A folder with the script of a shell, some files to complete, and a `cairn` that answers these lines. */
async function setUp(shell: string, lines: readonly (readonly string[])[]) {
  const folder = temporaryFolder()
  const { code, out } = await terminal('')('completion', shell)
  expect(code).toBe(0)
  const script = join(folder, 'completion')
  writeFileSync(script, out)
  mkdirSync(join(folder, 'notes'))
  writeFileSync(join(folder, 'two words.md'), '')
  const answers = join(folder, 'answers')
  mkdirSync(answers)
  for (const words of lines) writeFileSync(join(answers, words.join(' ')), complete(words))
  mkdirSync(join(folder, 'bin'))
  const program = join(folder, 'bin/cairn')
  writeFileSync(program, `#!/bin/sh\nshift\ncat "${answers}/$*"\n`)
  chmodSync(program, 0o755)
  const env = { ...process.env, PATH: `${join(folder, 'bin')}:${process.env.PATH}` }
  return (args: readonly string[], input = '') => {
    const ran = spawnSync(
      shell,
      args.map((arg) => (arg === SCRIPT ? script : arg)),
      {
        cwd: folder,
        encoding: 'utf8',
        input,
        env,
      },
    )
    expect({ status: ran.status, stderr: ran.stderr }).toEqual({ status: 0, stderr: '' })
    return ran.stdout
  }
}

const listWords = (words: readonly string[]): string[] =>
  complete(words)
    .split('\n')
    .map((line) => line.split('\t')[0] ?? '')
    .filter((word) => word !== '')

describe('what is offered', () => {
  test('what the help lists is what there is', () => {
    expect(LENS_NAMES).toEqual(LENSES.map(({ name }) => name))
    expect(FORMATS.toSorted()).toEqual(Object.keys(IMPORT_FORMATS).toSorted())
  })

  test.each(COMMANDS.map(({ name, flags }) => [name, flags] as const))(
    '%s offers its own options and no others, with their help',
    (name, flags) => {
      const lines = Object.entries(flags).map(([flag, { help }]) => `--${flag}\t${help}\n`)
      expect(complete([...name.split(' '), '--'])).toBe(lines.join(''))
    },
  )

  test('no name or choice needs quoting in any shell', () => {
    const words = COMMANDS.flatMap(({ name, flags }) => {
      const typed = name.split(' ')
      const values = Object.keys(flags).flatMap((flag) => listWords([...typed, `--${flag}`, '']))
      return [...typed, ...Object.keys(flags), ...listWords([...typed, '']), ...values]
    })
    expect(words.filter((word) => !/^:?[\w.-]+$/.test(word))).toEqual([])
  })

  test.each([
    [['sess'], ['session']],
    [[''], expect.arrayContaining(['add', 'search', 'session', 'help', '--version'])],
    [
      ['session', ''],
      ['start', 'end', 'summarise', 'list', 'show'],
    ],
    [['session', 'st'], ['start']],
    [['mcp', 'i'], ['install']],
    [['mcp', '--po'], ['--port']],
    [['mcp', 'install', 'cu'], ['cursor']],
    [['mcp', 'install', '--po'], []],
    [
      ['search', '--mode', ''],
      ['hybrid', 'semantic', 'keyword'],
    ],
    [['search', '--mode', '=', 'k'], ['keyword']],
    [
      ['search', '--mode', '='],
      ['hybrid', 'semantic', 'keyword'],
    ],
    [['search', '--mode=k'], ['--mode=keyword']],
    [['search', 'words', '--thres'], ['--threshold']],
    [['eval', '--mode', ''], []],
    [['add', '--kind', 'w'], ['work']],
    [['export', '--format', 'r'], ['ris']],
    [['import', '--format', 'p'], ['pdf']],
    [['add', '--title', ''], []],
    [['add', '--file', 'two'], [':files']],
    [['stats', '--db', 'no'], [':files']],
    [['stats', '--db=no'], [':files']],
    [['import', 'a', 'no'], [':files']],
    [['add', 'two'], []],
    [
      ['config', 'set', 'search.l'],
      ['search.lens', 'search.limit'],
    ],
    [['config', 'set', 'mcp.t'], []],
    [['config', 'set', 'search.limit', 'search.l'], []],
    [['completion', ''], SHELLS],
    [['help', 'sta'], ['stats']],
    [['unknown', ''], []],
  ])('after %j comes %j', (typed, words) => {
    expect(listWords(typed)).toEqual(words)
  })

  test('a shell that is not known is refused, and the script can be had as JSON', async () => {
    const cairn = terminal('')
    expect(await cairn('completion')).toMatchObject({
      code: 2,
      err: 'cairn: For which shell? Give one of bash, zsh, fish.\n',
    })
    expect((await cairn('completion', 'tcsh')).err).toContain('There is no completion for "tcsh".')
    expect((await cairn('__complete', 'sess')).out).toBe('session\tconversations\n')
    for (const shell of SHELLS) {
      const { out } = await cairn('completion', shell)
      expect(await jsonOf(cairn)('completion', shell)).toEqual({ shell, script: out })
    }
  })
})

describe.skipIf(!isThere('bash'))('in bash', () => {
  const ASK = `source "$1"; shift
while IFS= read -r line; do
  IFS=$'\\t' read -ra COMP_WORDS <<< "$line"
  [[ $line == *$'\\t' ]] && COMP_WORDS+=("")
  COMP_CWORD=$(( \${#COMP_WORDS[@]} - 1 ))
  _cairn
  printf '%s\\t' "\${COMPREPLY[@]}"; echo
done`

  test('commands, options, choices and files are offered where they belong', async () => {
    const cases: [string[], string[]][] = [
      [['sess'], ['session']],
      [['mcp', '--po'], ['--port']],
      [
        ['search', '--mode', ''],
        ['hybrid', 'semantic', 'keyword'],
      ],
      [['search', '--mode', '=', 'k'], ['keyword']],
      [
        ['search', '--mode', '='],
        ['hybrid', 'semantic', 'keyword'],
      ],
      [['add', '--title', ''], []],
      [['add', '--file', 'two'], ['two words.md']],
      [['stats', '--db', '=', 'no'], ['notes']],
      [['import', 'no'], ['notes']],
    ]
    const lines = cases.map(([words]) => words)
    const run = await setUp('bash', lines)
    const input = lines.map((words) => `${['cairn', ...words].join('\t')}\n`).join('')
    const answers = run(['-c', ASK, 'bash', SCRIPT], input).split('\n').slice(0, -1)
    const offered = answers.map((answer) => answer.split('\t').filter((word) => word !== ''))
    expect(cases.map(([words], i) => [words, offered[i]])).toEqual(cases)
  })
})

describe.skipIf(!isThere('fish'))('in fish', () => {
  test('commands, options, choices and files are offered where they belong', async () => {
    const cases: [string, string[]][] = [
      ['sess', ['session']],
      ['session st', ['start']],
      ['session start --na', ['--name', '--namespace']],
      ['mcp install --po', []],
      ['search --mode ', ['hybrid', 'keyword', 'semantic']],
      ['search --mode=k', ['--mode=keyword']],
      ['import no', ['notes/']],
      ['add no', []],
      ['stats --db no', ['notes/']],
    ]
    const run = await setUp(
      'fish',
      cases.map(([line]) => line.split(' ')),
    )
    const asked = cases.map(([line]) => `complete -C 'cairn ${line}'; echo .`).join('; ')
    const out = run(['--no-config', '-c', `source $argv[1]; ${asked}`, SCRIPT])
    const words = out.split(/^\.\n/m).map((answer) =>
      answer
        .split('\n')
        .map((line) => line.split('\t')[0] ?? '')
        .filter((word) => word !== ''),
    )
    expect(cases.map(([line], i) => [line, words[i]])).toEqual(cases)
  })
})

describe.skipIf(!isThere('zsh'))('in zsh', () => {
  /** Types each line into a zsh on a terminal of its own, presses Tab, and prints what stands there then. */
  const TYPE = `zmodload zsh/zpty
zpty shell zsh -f -i
wait_for() { zpty -r -m shell REPLY "*$1*" }
zpty -w -n shell "PS1=; autoload -Uz compinit && compinit -D -u; source \${(q)1}"$'; report() { zle -I; print -r -- "<""<$BUFFER>>"; BUFFER=; }; zle -N report; bindkey "^X^X" report; print rea""dy\\n'
wait_for ready
shift
for line in "$@"; do
  zpty -w -n shell "$line"$'\\t\\x18\\x18'
  wait_for '<<*>>'
  print -r -- "\${\${REPLY##*<<}%%>>*}"
done
zpty -d shell`

  test('commands, options, choices and files are completed as they are typed', async () => {
    const cases: [string, string][] = [
      ['cairn sess', 'cairn session '],
      ['cairn session star', 'cairn session start '],
      ['cairn mcp --por', 'cairn mcp --port '],
      ['cairn search --mode key', 'cairn search --mode keyword '],
      ['cairn search --mode=sem', 'cairn search --mode=semantic '],
      ['cairn import no', 'cairn import notes/'],
      ['cairn add --file tw', 'cairn add --file two\\ words.md '],
      ['cairn config set search.li', 'cairn config set search.limit '],
    ]
    const typed = cases.map(([line]) => line)
    const run = await setUp(
      'zsh',
      typed.map((line) => line.split(' ').slice(1)),
    )
    const out = run(['-f', '-c', TYPE, 'zsh', SCRIPT, ...typed])
    expect(cases.map(([line], i) => [line, out.split('\n')[i]])).toEqual(cases)
  })
})
