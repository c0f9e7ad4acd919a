/** Prints a completion script for bash, zsh or fish; the script needs nothing but itself. */

import { getSetting, SETTING_NAMES } from '../config/settings.js'
import { badInput } from '../core/errors.js'
import { CLIENTS } from '../mcp/clients.js'
import type { Command, CommandContext, Flag, Outcome } from './command.js'
import { COMMANDS, FAMILIES, listFamily } from './commands.js'

export const SHELLS = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof SHELLS)[number]

export async function runCompletion({ positionals }: CommandContext): Promise<Outcome> {
  const [given] = positionals
  const shell = SHELLS.find((known) => known === given)
  if (shell === undefined) {
    throw badInput(
      given === undefined ? 'For which shell?' : `There is no completion for "${given}".`,
      `Give one of ${SHELLS.join(', ')}.`,
    )
  }
  const write: Record<Shell, () => string> = { bash: writeBash, zsh: writeZsh, fish: writeFish }
  const script = write[shell]()
  return { json: { shell, script }, text: () => script }
}

/** What may follow a flag or a command: nothing, a text that no shell can guess, files, or these words. */
type Offer = 'nothing' | 'text' | 'files' | readonly string[]

const FIRST_WORDS = [...new Set(COMMANDS.map(({ name }) => name.split(' ')[0] ?? name))]
const PAIRS = COMMANDS.map(({ name }) => name).filter((name) => name.includes(' '))
const HELP: Pick<Command, 'name' | 'summary' | 'flags' | 'positionals'> = {
  name: 'help',
  summary: 'show how a command is used',
  flags: {},
  positionals: [],
}
const COMPLETED = [...COMMANDS, HELP]

const FILE_SETTINGS = SETTING_NAMES.filter((name) => getSetting(name).kind !== 'secret')
const ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  'config set': FILE_SETTINGS,
  'config unset': FILE_SETTINGS,
  'mcp install': CLIENTS,
  completion: SHELLS,
  help: FIRST_WORDS,
}

/** Words are for the first argument of a command, files for all of them. */
export function offerArguments({
  name,
  positionals,
}: Pick<Command, 'name' | 'positionals'>): Offer {
  if (ARGUMENTS[name] !== undefined) return ARGUMENTS[name]
  if (positionals.some((one) => /^(PATH|FOLDER|DIR|FILE)$/.test(one.name))) return 'files'
  return positionals.length === 0 ? 'nothing' : 'text'
}

export function offerValues({ type, choices, suggestions, value = '' }: Flag): Offer {
  if (type === 'switch') return 'nothing'
  return choices ?? suggestions ?? (/^(file|path|folder)$/.test(value) ? 'files' : 'text')
}

function isWords(offer: Offer): offer is readonly string[] {
  return Array.isArray(offer)
}

function describeFirstWord(word: string): string {
  return COMPLETED.find(({ name }) => name === word)?.summary ?? FAMILIES[word] ?? ''
}

function writeBash(): string {
  const families = Object.keys(FAMILIES).map((word) => {
    const seconds = listFamily(word).map(({ name }) => name.slice(word.length + 1))
    return `      ${word}) words="${seconds.join(' ')}" ;;`
  })
  const cases = COMPLETED.map((command) => {
    const offer = offerArguments(command)
    const flags = Object.keys(command.flags).map((flag) => `--${flag}`)
    const words = isWords(offer) ? ` words="${offer.join(' ')}"` : ''
    const files = offer === 'files' ? ' files=yes' : ''
    return `    "${command.name}") flags="${flags.join(' ')}"${words}${files} ;;`
  })
  return `# Completion of cairn for bash. To have it in every shell, put this line into ~/.bashrc:
#   source <(cairn completion bash)

_cairn_offer() {
  COMPREPLY=($(compgen -W "$1" -- "$cur"))
}

_cairn_files() {
  local IFS=$'\\n'
  # Adds the slash of a folder and the backslash of a space; bash before 4 has no compopt.
  compopt -o filenames 2>/dev/null
  COMPREPLY=($(compgen -f -- "$cur"))
}

_cairn() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD - 1]}"
  local command="\${COMP_WORDS[1]}" at=2 flags="" words="" files=""
  COMPREPLY=()
  # --flag=value comes as three words.
  if [[ $cur == = ]]; then
    cur=""
  elif [[ $before == = ]]; then
    before="\${COMP_WORDS[COMP_CWORD - 2]}"
  fi
  if ((COMP_CWORD == 1)); then
    _cairn_offer "${FIRST_WORDS.join(' ')} help --help --version"
    return
  fi
  if ((COMP_CWORD > 2)); then
    case "$command \${COMP_WORDS[2]}" in
      ${PAIRS.map((name) => `"${name}"`).join(' | ')})
        command="$command \${COMP_WORDS[2]}" at=3 ;;
    esac
  fi
  case "$command $before" in
${listBashValues().join('\n')}
  esac
  case "$command" in
${cases.join('\n')}
  esac
  if ((COMP_CWORD == 2)); then
    case "$command" in
${families.join('\n')}
    esac
  fi
  if [[ $cur == -* ]]; then
    _cairn_offer "$flags"
  elif [[ -n $files ]]; then
    _cairn_files
  elif ((COMP_CWORD == at)) && [[ -n $words ]]; then
    _cairn_offer "$words"
  else
    _cairn_offer "$flags"
  fi
}

complete -F _cairn cairn
`
}

/** A case for each thing that is offered after a flag, with the commands and flags it is for. */
function listBashValues(): string[] {
  const patterns = new Map<string, string[]>()
  for (const { name, flags } of COMMANDS) {
    for (const [flag, about] of Object.entries(flags)) {
      const offer = offerValues(about)
      if (offer === 'nothing') continue
      const words = isWords(offer) ? `_cairn_offer "${offer.join(' ')}"; ` : ''
      const action = `${offer === 'files' ? '_cairn_files; ' : words}return`
      patterns.set(action, [...(patterns.get(action) ?? []), `"${name} --${flag}"`])
    }
  }
  return [...patterns].map(([action, ofIt]) => `    ${ofIt.join(' | ')})\n      ${action} ;;`)
}

function writeFish(): string {
  const start = 'complete -c cairn -n'
  const first = [...FIRST_WORDS, 'help'].map(
    (word) => `${start} __cairn_begins -a ${word} -d ${quoteFish(describeFirstWord(word))}`,
  )
  const second = Object.keys(FAMILIES).flatMap((word) =>
    listFamily(word).map(({ name, summary }) => {
      const rest = name.slice(word.length + 1)
      return `${start} '__cairn_follows ${word}' -a ${rest} -d ${quoteFish(summary)}`
    }),
  )
  const rest = COMPLETED.flatMap((command) => {
    const begin = `${start} ${quoteFish(`__cairn_is ${command.name}`)}`
    const flags = Object.entries(command.flags).map(
      ([flag, about]) =>
        `${begin} -l ${flag} -d ${quoteFish(about.help)}${offerInFish(offerValues(about), ' -x', ' -r')}`,
    )
    const words = offerInFish(offerArguments(command), '', '')
    return words === '' ? flags : [...flags, begin + words]
  })
  return `# Completion of cairn for fish. To have it in every shell:
#   cairn completion fish > ~/.config/fish/completions/cairn.fish

function __cairn_begins
    test (count (commandline -opc)) -eq 1
end

# The one word after cairn is this one, and nothing follows it yet.
function __cairn_follows
    set -l typed (commandline -opc)
    test (count $typed) -eq 2; and test "$typed[2]" = "$argv"
end

# The command that was typed is this one, of one word or of two.
function __cairn_is
    set -l typed (commandline -opc)
    set -l pair (string join ' ' -- $typed[2..3])
    if contains -- "$pair" ${PAIRS.map(quoteFish).join(' ')}
        test "$argv" = "$pair"
    else
        test "$argv" = "$typed[2]"
    end
end

complete -c cairn -f
${[...first, ...second, ...rest].join('\n')}
`
}

/** `exclusive` refuses files after a flag, `required` asks for a value. */
function offerInFish(offer: Offer, exclusive: string, required: string): string {
  if (offer === 'nothing') return ''
  if (offer === 'text') return exclusive
  return isWords(offer) ? `${exclusive} -a ${quoteFish(offer.join(' '))}` : `${required} -F`
}

function quoteFish(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`
}

function writeZsh(): string {
  const describe = (words: readonly (readonly [string, string])[]): string =>
    words.map(([word, about]) => `      ${quoteZsh(`${word}:${about}`)}`).join('\n')
  const families = Object.keys(FAMILIES).map((word) => {
    const seconds = listFamily(word).map(
      ({ name, summary }) => [name.slice(word.length + 1), summary] as const,
    )
    return `      (${word})
        found=(
${describe(seconds)}
        )
        _describe -t commands ${quoteZsh(`command of cairn ${word}`)} found
        return
        ;;`
  })
  const cases = COMPLETED.map((command) => {
    const flags = Object.entries(command.flags).map(([name, flag]) => formatZshFlag(name, flag))
    const specs = [...flags, ...offerInZsh(offerArguments(command))]
    return `    (${quoteZsh(command.name)})
      _arguments -S \\
${specs.map((spec) => `        ${quoteZsh(spec)}`).join(' \\\n')}
      ;;`
  })
  return `#compdef cairn
# Completion of cairn for zsh. To have it in every shell, put this line into ~/.zshrc, after compinit:
#   source <(cairn completion zsh)

_cairn() {
  local -a found
  local command="$words[2]"
  if (( CURRENT == 2 )); then
    found=(
${describe([...FIRST_WORDS, 'help'].map((word) => [word, describeFirstWord(word)]))}
    )
    _describe -t commands 'command of cairn' found
    return
  fi
  if (( CURRENT == 3 )) && [[ $words[3] != -* ]]; then
    case "$command" in
${families.join('\n')}
    esac
  fi
  case "$command $words[3]" in
    (${PAIRS.map(quoteZsh).join('|')})
      command="$command $words[3]"
      shift words
      (( CURRENT-- ))
      ;;
  esac
  shift words
  (( CURRENT-- ))
  case "$command" in
${cases.join('\n')}
  esac
}

# Loaded from a folder of functions this file is the completion itself; loaded with source it registers it.
if [[ $funcstack[1] == _cairn ]]; then
  _cairn "$@"
else
  compdef _cairn cairn
fi
`
}

/** `*--tag=[a tag; repeatable]:tag:` */
function formatZshFlag(name: string, flag: Flag): string {
  const { type, help, value = 'value' } = flag
  const start = `${type === 'list' ? '*' : ''}--${name}`
  const about = `[${help.replace(/[\\[\]]/g, '\\$&')}]`
  const offer = offerValues(flag)
  if (offer === 'nothing') return start + about
  const words = isWords(offer) ? `(${offer.join(' ')})` : ' '
  return `${start}=${about}:${value.replaceAll(':', '\\:')}:${offer === 'files' ? '_files' : words}`
}

function offerInZsh(offer: Offer): string[] {
  if (offer === 'nothing') return []
  // An empty list: a message would keep the options from being completed.
  if (offer === 'text') return ['*:text:()']
  return [offer === 'files' ? '*:file:_files' : `1:word:(${(offer as string[]).join(' ')})`]
}

function quoteZsh(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
