/** The commands that show and change how Cairn is set up, and teach it to the shell. */

import type { Command, Flag } from '../command.js'
import { FILE_FLAGS, HELP_FLAG, JSON_FLAG } from '../flags.js'

const USER: Flag = {
  type: 'switch',
  help: 'in your own file, for every project',
  default: 'the nearest cairn.json, else a new one here',
}

export const CONFIG_COMMANDS: readonly Command[] = [
  {
    name: 'config show',
    summary: 'show every setting, its value and where that comes from',
    words: [],
    examples: ['cairn config show', `cairn config show --json | jq '.settings[] | select(.where)'`],
    flags: { ...FILE_FLAGS },
    seeAlso: ['config path', 'config set'],
    load: async () => (await import('../commands/config.js')).runConfigShow,
  },
  {
    name: 'config path',
    summary: 'show which files are looked at, and which are there',
    words: [],
    examples: ['cairn config path'],
    flags: { json: JSON_FLAG, help: HELP_FLAG },
    seeAlso: ['config show'],
    load: async () => (await import('../commands/config.js')).runConfigPath,
  },
  {
    name: 'config set',
    summary: 'write a setting into a file, and leave the rest of it alone',
    words: [
      { name: 'KEY', help: 'the setting, as `cairn config show` names it' },
      { name: 'VALUE', help: 'what it shall be' },
    ],
    examples: ['cairn config set namespace shop', 'cairn config set search.limit 50 --user'],
    flags: { user: USER, json: JSON_FLAG, help: HELP_FLAG },
    seeAlso: ['config unset', 'config show'],
    load: async () => (await import('../commands/config.js')).runConfigSet,
  },
  {
    name: 'config unset',
    summary: 'take a setting out of a file',
    words: [{ name: 'KEY', help: 'the setting, as `cairn config show` names it' }],
    examples: ['cairn config unset search.limit --user'],
    flags: { user: USER, json: JSON_FLAG, help: HELP_FLAG },
    seeAlso: ['config set', 'config show'],
    load: async () => (await import('../commands/config.js')).runConfigUnset,
  },
  {
    name: 'completion',
    summary: 'print the completion script of a shell',
    words: [{ name: 'bash|zsh|fish', help: 'the shell' }],
    examples: [
      `echo 'source <(cairn completion bash)' >> ~/.bashrc`,
      `echo 'source <(cairn completion zsh)' >> ~/.zshrc`,
      'cairn completion fish > ~/.config/fish/completions/cairn.fish',
    ],
    flags: { json: JSON_FLAG, help: HELP_FLAG },
    load: async () => (await import('../commands/completion.js')).runCompletion,
  },
]
