import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../test/support/library.js'
import { jsonOf, terminal } from '../../test/support/terminal.js'
import { IMPORT_FORMATS } from '../index.js'
import { FORMATS } from '../schemas/record-requests.js'
import { LENS_NAMES } from '../schemas/search-request.js'
import { LENSES } from '../search/lenses.js'
import { COMMANDS } from './commands.js'
import { offerArguments, offerValues, SHELLS } from './completion.js'

const isThere = (shell: string): boolean =>
  spawnSync(shell, ['-c', 'exit 0'], { stdio: 'ignore' }).status === 0

/** A folder with the script of a shell in it, and some files to complete. */
async function setUp(shell: string) {
  const folder = temporaryFolder()
  const { code, out } = await terminal('')('completion', shell)
  expect(code).toBe(0)
  const script = join(folder, 'completion')
  writeFileSync(script, out)
  mkdirSync(join(folder, 'notes'))
  writeFileSync(join(folder, 'two words.md'), '')
  return { folder, script }
}

function run(shell: string, args: readonly string[], cwd: string): string {
  const { status, stdout, stderr } = spawnSync(shell, args, { cwd, encoding: 'utf8', input: '' })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  return stdout
}

describe('what is offered', () => {
  test('what the help lists is what there is', () => {
    expect(LENS_NAMES).toEqual(LENSES.map(({ name }) => name))
    expect(FORMATS.toSorted()).toEqual(Object.keys(IMPORT_FORMATS).toSorted())
  })

  test('no name or choice needs quoting in any shell', () => {
    const words = COMMANDS.flatMap((command) => [
      ...command.name.split(' '),
      ...[offerArguments(command)].flat(),
      ...Object.entries(command.flags).flatMap(([name, flag]) => [
        name,
        ...[offerValues(flag)].flat(),
      ]),
    ])
    expect(words.filter((word) => !/^[\w.-]+$/.test(word))).toEqual([])
  })

  test('a shell that is not known is refused, and the script can be had as JSON', async () => {
    const cairn = terminal('')
    expect(await cairn('completion')).toMatchObject({
      code: 2,
      err: 'cairn: For which shell? Give one of bash, zsh, fish.\n',
    })
    expect((await cairn('completion', 'tcsh')).err).toContain('There is no completion for "tcsh".')
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

  /** What bash offers after each of these, the last word of each half typed. */
  function offered(script: string, folder: string, lines: readonly (readonly string[])[]) {
    const input = lines.map((words) => `${['cairn', ...words].join('\t')}\n`).join('')
    const ran = spawnSync('bash', ['-c', ASK, 'bash', script], {
      cwd: folder,
      encoding: 'utf8',
      input,
    })
    expect({ status: ran.status, stderr: ran.stderr }).toEqual({ status: 0, stderr: '' })
    const answers = ran.stdout.split('\n').slice(0, -1)
    return answers.map((answer) => answer.split('\t').filter((word) => word !== ''))
  }

  test('every command offers its own options and no others', async () => {
    const { script, folder } = await setUp('bash')
    const answers = offered(
      script,
      folder,
      COMMANDS.map(({ name }) => [...name.split(' '), '--']),
    )
    for (const [i, { name, flags }] of COMMANDS.entries()) {
      const expected = Object.keys(flags).map((flag) => `--${flag}`)
      expect({ name, flags: answers[i] }).toEqual({ name, flags: expected })
    }
  })

  test('commands, their second words, choices and files are offered where they belong', async () => {
    const { script, folder } = await setUp('bash')
    const cases: [string[], string[]][] = [
      [['sess'], ['session']],
      [
        ['session', ''],
        ['start', 'end', 'summarise', 'list', 'show'],
      ],
      [['session', 'st'], ['start']],
      [['mcp', 'i'], ['install']],
      [['mcp', '--po'], ['--port']],
      [['mcp', 'install', 'cu'], ['cursor']],
      [
        ['search', '--mode', ''],
        ['hybrid', 'semantic', 'keyword'],
      ],
      [['search', '--mode', '=', 'k'], ['keyword']],
      [
        ['search', '--mode', '='],
        ['hybrid', 'semantic', 'keyword'],
      ],
      [['eval', '--mode', ''], []],
      [['add', '--kind', 'w'], ['work']],
      [['export', '--format', 'r'], ['ris']],
      [['import', '--format', 'p'], ['pdf']],
      [['add', '--title', ''], []],
      [['add', '--file', 'two'], ['two words.md']],
      [['stats', '--db', 'no'], ['notes']],
      [['import', 'no'], ['notes']],
      [['add', 'two'], []],
      [
        ['config', 'set', 'search.l'],
        ['search.lens', 'search.limit'],
      ],
      [['config', 'set', 'mcp.t'], []],
      [['config', 'set', 'search.limit', 'search.l'], []],
      [
        ['completion', ''],
        ['bash', 'zsh', 'fish'],
      ],
      [['help', 'sta'], ['stats']],
    ]
    const answers = offered(
      script,
      folder,
      cases.map(([words]) => words),
    )
    expect(cases.map(([words], i) => [words, answers[i]])).toEqual(cases)
  })
})

describe.skipIf(!isThere('fish'))('in fish', () => {
  test('commands, options, choices and files are offered where they belong', async () => {
    const { script, folder } = await setUp('fish')
    const cases: [string, string[]][] = [
      ['sess', ['session']],
      ['session st', ['start']],
      ['session start --na', ['--name', '--namespace']],
      ['mcp i', ['install']],
      ['mcp --po', ['--port']],
      ['mcp install --po', []],
      ['mcp install cu', ['cursor']],
      ['search --mode ', ['hybrid', 'keyword', 'semantic']],
      ['search --mode=k', ['--mode=keyword']],
      ['export --format r', ['ris']],
      ['import no', ['notes/']],
      ['add no', []],
      ['stats --db no', ['notes/']],
      ['config set search.l', ['search.lens', 'search.limit']],
    ]
    const asked = cases.map(([line]) => `complete -C 'cairn ${line}'; echo .`).join('; ')
    const out = run('fish', ['--no-config', '-c', `source ${script}; ${asked}`], folder)
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
    const { script, folder } = await setUp('zsh')
    const cases: [string, string][] = [
      ['cairn sess', 'cairn session '],
      ['cairn session star', 'cairn session start '],
      ['cairn session start --nam', 'cairn session start --name'],
      ['cairn mcp inst', 'cairn mcp install '],
      ['cairn mcp --por', 'cairn mcp --port='],
      ['cairn mcp install curs', 'cairn mcp install cursor '],
      ['cairn search words --thres', 'cairn search words --threshold='],
      ['cairn search --mode key', 'cairn search --mode keyword '],
      ['cairn search --mode=sem', 'cairn search --mode=semantic '],
      ['cairn export --format ri', 'cairn export --format ris '],
      ['cairn import no', 'cairn import notes/'],
      ['cairn add --file tw', 'cairn add --file two\\ words.md '],
      ['cairn config set search.li', 'cairn config set search.limit '],
    ]
    const typed = cases.map(([line]) => line)
    const out = run('zsh', ['-f', '-c', TYPE, 'zsh', script, ...typed], folder)
    expect(cases.map(([line], i) => [line, out.split('\n')[i]])).toEqual(cases)
  })
})
