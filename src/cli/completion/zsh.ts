/** Zsh offers commands, options and their values, each with its line of the help. */

import type { Completed, CompletedCommand, CompletedFlag, Offer, Word } from './completed.js'

export function zshScript({ commands, first, families }: Completed): string {
  const pairs = commands.filter(({ name }) => name.includes(' '))
  return `#compdef cairn
# Completion of cairn for zsh. To have it in every shell, put this line into ~/.zshrc, after compinit:
#   source <(cairn completion zsh)

_cairn() {
  local -a found
  local command="$words[2]"
  if (( CURRENT == 2 )); then
    found=(
${described(first)}
    )
    _describe -t commands 'command of cairn' found
    return
  fi
  if (( CURRENT == 3 )) && [[ $words[3] != -* ]]; then
    case "$command" in
${families.map(familyCase).join('\n')}
    esac
  fi
  case "$command $words[3]" in
    (${pairs.map(({ name }) => quoted(name)).join('|')})
      command="$command $words[3]"
      shift words
      (( CURRENT-- ))
      ;;
  esac
  shift words
  (( CURRENT-- ))
  case "$command" in
${commands.map(commandCase).join('\n')}
  esac
}

# Read from a folder of functions it is what completes; read with source it says so itself.
if [[ $funcstack[1] == _cairn ]]; then
  _cairn "$@"
else
  compdef _cairn cairn
fi
`
}

function described(words: readonly Word[]): string {
  return words.map(({ word, about }) => `      ${quoted(`${word}:${about}`)}`).join('\n')
}

function familyCase({ word, second }: Completed['families'][number]): string {
  return `      (${word})
        found=(
${described(second)}
        )
        _describe -t commands ${quoted(`command of cairn ${word}`)} found
        return
        ;;`
}

function commandCase({ name, flags, words }: CompletedCommand): string {
  const specs = [...flags.map(flagSpec), ...wordSpecs(words)]
  return `    (${quoted(name)})
      _arguments -S \\
${specs.map((spec) => `        ${quoted(spec)}`).join(' \\\n')}
      ;;`
}

/** `*--tag=[a tag; repeatable]:tag:` */
function flagSpec({ name, help, value, isRepeatable, offer }: CompletedFlag): string {
  const about = `[${help.replace(/[\\[\]]/g, '\\$&')}]`
  const repeated = isRepeatable ? '*' : ''
  if (offer.kind === 'nothing') return `${repeated}${name}${about}`
  return `${repeated}${name}=${about}:${value.replaceAll(':', '\\:')}:${actionOf(offer)}`
}

function wordSpecs(words: Offer): string[] {
  switch (words.kind) {
    case 'nothing':
      return []
    case 'text':
      // An empty list: a message would keep the options from being completed.
      return ['*:text:()']
    case 'files':
      return [`*:file:${actionOf(words)}`]
    case 'choices':
      return [`1:word:${actionOf(words)}`]
  }
}

function actionOf(offer: Offer): string {
  if (offer.kind === 'files') return '_files'
  return offer.kind === 'choices' ? `(${offer.choices.join(' ')})` : ' '
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
