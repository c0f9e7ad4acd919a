/** Fish offers commands, options and their values, each with its line of the help. */

import type { Completed, CompletedCommand, CompletedFlag, Offer } from './completed.js'

export function fishScript({ commands, first, families }: Completed): string {
  const pairs = commands.map(({ name }) => name).filter((name) => name.includes(' '))
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
    if contains -- "$pair" ${pairs.map(quoted).join(' ')}
        test "$argv" = "$pair"
    else
        test "$argv" = "$typed[2]"
    end
end

complete -c cairn -f
${[
  ...first.map(
    ({ word, about }) => `complete -c cairn -n __cairn_begins -a ${word} -d ${quoted(about)}`,
  ),
  ...families.flatMap(({ word, second }) =>
    second.map(
      (one) =>
        `complete -c cairn -n '__cairn_follows ${word}' -a ${one.word} -d ${quoted(one.about)}`,
    ),
  ),
  ...commands.flatMap(linesOf),
].join('\n')}
`
}

function linesOf({ name, flags, words }: CompletedCommand): string[] {
  const start = `complete -c cairn -n ${quoted(`__cairn_is ${name}`)}`
  const ofWords: Readonly<Record<Offer['kind'], string[]>> = {
    nothing: [],
    text: [],
    files: [`${start} -F`],
    choices: words.kind === 'choices' ? [`${start} -a ${quoted(words.choices.join(' '))}`] : [],
  }
  return [...flags.map((flag) => `${start} ${flagPart(flag)}`), ...ofWords[words.kind]]
}

function flagPart({ name, help, offer }: CompletedFlag): string {
  const long = `-l ${name.replace(/^--/, '')} -d ${quoted(help)}`
  switch (offer.kind) {
    case 'nothing':
      return long
    case 'text':
      return `${long} -x`
    case 'files':
      return `${long} -r -F`
    case 'choices':
      return `${long} -x -a ${quoted(offer.choices.join(' '))}`
  }
}

function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`
}
