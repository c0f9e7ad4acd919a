/** Completes a command line that is half typed; the scripts for bash, zsh and fish call back into this program. */

import { getSetting, SETTING_NAMES } from '../config/settings.js'
import { badInput } from '../core/errors.js'
import { CLIENTS } from '../mcp/clients.js'
import { HOOK_CLIENTS, HOOK_EVENTS } from '../mcp/hooks.js'
import type { Command, CommandContext, Flag, Outcome } from './command.js'
import { COMMANDS, FAMILIES, listFamily } from './commands.js'

/**
 * Each calls `cairn __complete WORD…` with the words after `cairn`, the last one half typed. It prints the words that
 * may stand there, each with a tab and its description, or the one line `:files`.
 */
const SCRIPTS: Readonly<Record<string, string>> = {
  bash: `# Completion of cairn for bash. To have it in every shell, put this line into ~/.bashrc:
#   source <(cairn completion bash)

_cairn() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" words IFS=$'\\n'
  words=$(cairn __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f 1)
  # --flag=value comes as three words.
  [[ $cur == = ]] && cur=""
  if [[ $words == :files ]]; then
    # Adds the slash of a folder and the backslash of a space; bash before 4 has no compopt.
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen -f -- "$cur"))
  else
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
  fi
}

complete -F _cairn cairn
`,
  zsh: `#compdef cairn
# Completion of cairn for zsh. To have it in every shell, put this line into ~/.zshrc, after compinit:
#   source <(cairn completion zsh)

_cairn() {
  local -a found
  found=("\${(@f)$(cairn __complete "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ $found[1] == :files ]]; then
    compset -P '--*='
    _files
  elif [[ -n $found[1] ]]; then
    found=("\${(@)found//:/\\\\:}")
    found=("\${(@)found/$'\\t'/:}")
    _describe -t words 'word of cairn' found
  fi
}

# Loaded from a folder of functions this file is the completion itself; loaded with source it registers it.
if [[ $funcstack[1] == _cairn ]]; then
  _cairn "$@"
else
  compdef _cairn cairn
fi
`,
  fish: `# Completion of cairn for fish. To have it in every shell:
#   cairn completion fish > ~/.config/fish/completions/cairn.fish

# False where files belong: then fish completes them itself.
function __cairn_complete
    set -l typed (commandline -opc) (commandline -ct)
    set -g __cairn_found (cairn __complete $typed[2..-1] 2>/dev/null)
    test "$__cairn_found" != ':files'
end

complete -c cairn -n __cairn_complete -f -a '(string join \\n -- $__cairn_found)'
`,
}
export const SHELLS = Object.keys(SCRIPTS)

export async function runCompletion({ positionals }: CommandContext): Promise<Outcome> {
  const [shell] = positionals
  const script = SCRIPTS[shell ?? '']
  if (script === undefined) {
    throw badInput(
      shell === undefined ? 'For which shell?' : `There is no completion for "${shell}".`,
      `Give one of ${SHELLS.join(', ')}.`,
    )
  }
  return { json: { shell, script }, text: () => script }
}

const FILES = ':files'
type Candidate = readonly [word: string, about: string]
type Candidates = typeof FILES | readonly Candidate[]

/** What `cairn __complete` prints. */
export function complete(typed: readonly string[]): string {
  const { words, prefix } = splitFlag(typed)
  const current = words.at(-1) ?? ''
  const found = listCandidates(words.slice(0, -1), current)
  if (found === FILES) return `${FILES}\n`
  return found
    .filter(([word]) => word.startsWith(current))
    .map(([word, about]) => `${prefix}${word}${about && `\t${about}`}\n`)
    .join('')
}

/** Makes two words of `--mode=key`, which bash gives as three; zsh and fish replace it as a whole. */
function splitFlag(typed: readonly string[]) {
  const [, flag, value = ''] = /^(--[^=]+)=(.*)$/s.exec(typed.at(-1) ?? '') ?? []
  if (flag !== undefined) return { words: [...typed.slice(0, -1), flag, value], prefix: `${flag}=` }
  const isEmptyValue = typed.at(-1) === '='
  const words = typed.filter((word) => word !== '=')
  return { words: isEmptyValue ? [...words, ''] : words, prefix: '' }
}

function listCandidates(before: readonly string[], current: string): Candidates {
  const [first, second] = before
  if (first === undefined)
    return [...FIRST_WORDS, ['help', 'show how a command is used'], ...GLOBAL]
  if (first === 'help') return before.length === 1 ? FIRST_WORDS : []
  const named = COMMANDS.find(({ name }) => name === `${first} ${second}`)
  const command = named ?? COMMANDS.find(({ name }) => name === first)
  const flags = Object.entries(command?.flags ?? {})
  const [, asked] = flags.find(([name]) => before.at(-1) === `--${name}`) ?? []
  if (asked !== undefined && asked.type !== 'switch') return listValues(asked)
  const options = flags.map(([name, { help }]): Candidate => [`--${name}`, help])
  if (current.startsWith('-')) return options
  const seconds = before.length === 1 ? listFamily(first) : []
  if (seconds.length > 0) {
    return seconds.map(({ name, summary }) => [name.slice(first.length + 1), summary])
  }
  const isFirst = before.length === (named === undefined ? 1 : 2)
  return (command && listArguments(command, isFirst)) ?? options
}

const FIRST_WORDS = [...new Set(COMMANDS.map(({ name }) => name.split(' ')[0] ?? name))].map(
  (word): Candidate => {
    const command = COMMANDS.find(({ name }) => name === word)
    return [word, command?.summary ?? FAMILIES[word] ?? '']
  },
)
const GLOBAL = toCandidates(['--help', '--version'])
const FILE_SETTINGS = SETTING_NAMES.filter((name) => getSetting(name).kind !== 'secret')
const ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  'config set': FILE_SETTINGS,
  'config unset': FILE_SETTINGS,
  'mcp install': CLIENTS,
  'mcp remove': CLIENTS,
  'hook install': HOOK_CLIENTS,
  'hook remove': HOOK_CLIENTS,
  'hook run': HOOK_EVENTS,
  completion: SHELLS,
}

/** Words complete only the first argument of a command; files complete every argument. */
function listArguments({ name, positionals }: Command, isFirst: boolean): Candidates | undefined {
  if (positionals.some((one) => /^(PATH|FOLDER|DIR|FILE)$/.test(one.name))) return FILES
  return isFirst && ARGUMENTS[name] ? toCandidates(ARGUMENTS[name]) : undefined
}

function listValues({ choices, suggestions, value = '' }: Flag): Candidates {
  if (/^(file|path|folder)$/.test(value)) return FILES
  return toCandidates(choices ?? suggestions ?? [])
}

function toCandidates(words: readonly string[]): Candidate[] {
  return words.map((word) => [word, ''])
}
