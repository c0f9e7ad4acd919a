/** Bash offers commands, options and their values, with nothing but what is in this script. */

import type { Completed, CompletedCommand, Offer } from './completed.js'

export function bashScript(completed: Completed): string {
  const { commands, first, families } = completed
  const pairs = commands.filter(({ name }) => name.includes(' '))
  return `# Completion of cairn for bash. To have it in every shell, put this line into ~/.bashrc:
#   source <(cairn completion bash)

_cairn_offer() {
  COMPREPLY=($(compgen -W "$1" -- "$cur"))
}

_cairn_files() {
  local IFS=$'\\n'
  # So that a folder gets its slash and a space its backslash; bash before 4 has no such thing.
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
    _cairn_offer ${quote([...first.map(({ word }) => word), '--help', '--version'])}
    return
  fi
  if ((COMP_CWORD > 2)); then
    case "$command \${COMP_WORDS[2]}" in
      ${pairs.map(({ name }) => `"${name}"`).join(' | ')})
        command="$command \${COMP_WORDS[2]}" at=3 ;;
    esac
  fi
  case "$command $before" in
${valueCases(commands)}
  esac
  case "$command" in
${commands.map(commandCase).join('\n')}
  esac
  if ((COMP_CWORD == 2)); then
    case "$command" in
${families.map(({ word, second }) => `      ${word}) words=${quote(second.map((one) => one.word))} ;;`).join('\n')}
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

function commandCase({ name, flags, words }: CompletedCommand): string {
  const parts = [
    `flags=${quote(flags.map((flag) => flag.name))}`,
    ...(words.kind === 'choices' ? [`words=${quote(words.choices)}`] : []),
    ...(words.kind === 'files' ? ['files=yes'] : []),
  ]
  return `    "${name}") ${parts.join(' ')} ;;`
}

/** One case for each thing that is offered after a flag; a flag that is the same everywhere is named once. */
function valueCases(commands: readonly CompletedCommand[]): string {
  const everyFlag = commands.flatMap(({ name, flags }) =>
    flags.map((flag) => ({ command: name, flag: flag.name, body: bodyOf(flag.offer) })),
  )
  const patterns = new Map<string, Set<string>>()
  for (const { command, flag, body } of everyFlag) {
    if (body === null) continue
    const isSame = everyFlag.every((other) => other.flag !== flag || other.body === body)
    const pattern = isSame ? `*" ${flag}"` : `"${command} ${flag}"`
    patterns.set(body, (patterns.get(body) ?? new Set()).add(pattern))
  }
  return [...patterns]
    .map(([body, ofBody]) => `    ${[...ofBody].join(' | ')})\n      ${body} ;;`)
    .join('\n')
}

function bodyOf(offer: Offer): string | null {
  switch (offer.kind) {
    case 'nothing':
      return null
    case 'text':
      return 'return'
    case 'files':
      return '_cairn_files; return'
    case 'choices':
      return `_cairn_offer ${quote(offer.choices)}; return`
  }
}

/** Words that need no quoting of their own, as one. */
function quote(words: readonly string[]): string {
  return `"${words.join(' ')}"`
}
