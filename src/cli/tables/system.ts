/** The commands that serve, manage models, maintain the file, measure search and configure Cairn. */

import type { Command, Flags } from '../command.js'
import { FILE_FLAGS, numberFlag, PLAIN_FLAGS, settingFlag, switchFlag, textFlag } from '../flags.js'
import { createCommands } from '../operation-command.js'

const command = createCommands(() => import('../commands/maintenance.js'))

const NAMESPACE_FLAGS: Flags = {
  namespace: settingFlag('namespace', { value: 'name' }),
  pinned: settingFlag('pinned'),
}

const ASSISTANT = {
  name: 'CLIENT',
  help: 'claude, claude-desktop, cursor, vscode, windsurf, zed, codex or gemini',
}
const HOOK_CLIENT = { name: 'CLIENT', help: 'claude-code, codex, gemini or cursor' }
const YES = switchFlag('do not ask')
const INSTALL_FLAGS: Flags = {
  print: switchFlag('show what belongs there, and write nothing'),
  yes: YES,
}

function modelFlags(help: string, byDefault: string): Flags {
  return {
    model: textFlag('model', help, { default: byDefault }),
    'base-url': textFlag('url', 'the address of a remote model'),
    dimensions: numberFlag('the number of dimensions of a vector, if it can be chosen'),
  }
}

export const SERVER_COMMANDS: readonly Command[] = [
  {
    name: 'serve',
    summary: 'serve the web page and the HTTP API on this machine',
    positionals: [],
    examples: ['cairn serve --open', 'cairn serve --port 8080', 'cairn serve --host 0.0.0.0'],
    flags: {
      port: settingFlag('http.port'),
      host: textFlag('name', 'the address to listen on; other machines need a token', {
        default: '127.0.0.1',
      }),
      token: settingFlag('mcp.token', {
        default: '$CAIRN_TOKEN, else none on this machine',
      }),
      cert: textFlag('file', 'a certificate in PEM form: then it speaks HTTPS'),
      key: textFlag('file', 'the key of the certificate'),
      'trust-proxy': textFlag('name', 'the name under which a reverse proxy serves it'),
      rate: numberFlag('requests a second of one caller; 0 for no limit', {
        default: 'none without a token, else 50',
      }),
      open: switchFlag('open it in the browser'),
      ...NAMESPACE_FLAGS,
      ...FILE_FLAGS,
    },
    seeAlso: ['mcp', 'search'],
    load: async () => (await import('../commands/agents.js')).runServeCommand,
  },
  {
    name: 'mcp',
    summary: 'serve agents over the Model Context Protocol',
    positionals: [],
    examples: ['cairn mcp', 'cairn mcp --namespace shop --pinned', 'cairn mcp --http --port 7377'],
    flags: {
      http: switchFlag('over HTTP on this machine, with a token'),
      port: settingFlag('mcp.port'),
      token: settingFlag('mcp.token'),
      profile: textFlag('name', 'chatgpt: search and fetch in the shapes of its connectors', {
        default: 'all tools',
      }),
      'no-recall': switchFlag('searches leave no trace: nothing is logged as recalled'),
      ...NAMESPACE_FLAGS,
      ...FILE_FLAGS,
    },
    seeAlso: ['mcp install', 'mcp remove'],
    load: async () => (await import('../commands/agents.js')).runMcpCommand,
  },
  {
    name: 'mcp install',
    summary: 'add Cairn to the settings of an assistant',
    positionals: [ASSISTANT],
    examples: ['cairn mcp install claude', 'cairn mcp install cursor --print'],
    flags: { ...INSTALL_FLAGS, ...NAMESPACE_FLAGS, ...FILE_FLAGS },
    seeAlso: ['mcp', 'mcp remove'],
    load: async () => (await import('../commands/clients.js')).runMcpInstall,
  },
  {
    name: 'mcp remove',
    summary: 'remove Cairn from the settings of an assistant',
    positionals: [ASSISTANT],
    examples: ['cairn mcp remove cursor'],
    flags: { yes: YES, ...FILE_FLAGS },
    seeAlso: ['mcp install'],
    load: async () => (await import('../commands/clients.js')).runMcpRemove,
  },
  {
    name: 'hook install',
    summary: 'add the hooks of Cairn to the settings of an assistant',
    positionals: [HOOK_CLIENT],
    examples: ['cairn hook install claude-code', 'cairn hook install codex --print'],
    flags: { ...INSTALL_FLAGS, ...NAMESPACE_FLAGS, ...FILE_FLAGS },
    seeAlso: ['hook remove', 'mcp install', 'briefing'],
    load: async () => (await import('../commands/clients.js')).runHookInstall,
  },
  {
    name: 'hook remove',
    summary: 'remove the hooks of Cairn from the settings of an assistant',
    positionals: [HOOK_CLIENT],
    examples: ['cairn hook remove claude-code'],
    flags: { yes: YES, ...FILE_FLAGS },
    seeAlso: ['hook install'],
    load: async () => (await import('../commands/clients.js')).runHookRemove,
  },
  {
    name: 'hook run',
    summary: 'answer a hook of an assistant: JSON in, JSON out; it never fails',
    positionals: [{ name: 'EVENT', help: 'session-start, prompt or session-end' }],
    examples: [`echo '{"prompt": "…"}' | cairn hook run prompt --client claude-code`],
    flags: {
      client: textFlag('name', 'the assistant that calls'),
      ...NAMESPACE_FLAGS,
      ...FILE_FLAGS,
    },
    seeAlso: ['hook install'],
    load: async () => (await import('../commands/hooks.js')).runHook,
  },
]

const EVAL: Command = {
  name: 'eval',
  summary: 'measure search quality on queries with known answers',
  positionals: [
    {
      name: 'DIR',
      help: 'a folder with corpus.jsonl, queries.jsonl and qrels.tsv',
      takes: 'list',
    },
  ],
  examples: [
    'cairn eval sets/scifact',
    'cairn eval sets/scifact sets/chats --mode keyword,semantic --json',
    'cairn eval sets/chats --corpus sessions.jsonl --qrels qrels_sessions.tsv',
    'cairn eval sets/chats --among library.bib',
    'cairn eval sets --per-query before.jsonl',
    'cairn eval sets --compare before.jsonl',
  ],
  flags: {
    mode: textFlag('modes', 'the modes to compare, separated by commas', {
      default: 'keyword,semantic,hybrid',
    }),
    lens: textFlag('lens', 'the lens of every search', { default: 'none' }),
    ...modelFlags('the embedding model: static, onnx:FOLDER, ollama:NAME or openai:NAME', 'static'),
    among: textFlag(
      'path',
      'add these documents, which no query asks for: anything that can be imported',
    ),
    'per-query': textFlag('file', 'write the result of each query there, a line each'),
    compare: textFlag('file', 'compare with such a file of an earlier run, with a paired test'),
    'limit-queries': numberFlag('only the first n queries of each set', { default: 'all' }),
    corpus: textFlag('file', 'the documents, inside each folder', { default: 'corpus.jsonl' }),
    qrels: textFlag('file', 'the judgements, inside each folder', {
      default: 'qrels.tsv, else qrels/test.tsv',
    }),
    evidence: textFlag(
      'file',
      'judgements of passages (in corpus.jsonl): does the snippet show one?',
    ),
    ...PLAIN_FLAGS,
  },
  seeAlso: ['search', 'embed'],
  load: async () => (await import('../commands/eval.js')).runEval,
}

export const MAINTENANCE_COMMANDS: readonly Command[] = [
  command('embed', {
    ownFlags: modelFlags(
      'static, onnx:FOLDER, ollama:NAME or openai:NAME; active once all vectors are made',
      'the active one',
    ),
    examples: [
      'cairn embed --model onnx:models/all-MiniLM-L6-v2',
      'cairn embed --model ollama:nomic-embed-text',
    ],
    seeAlso: ['models', 'search'],
  }),
  command('models', {
    ownFlags: { remove: textFlag('model', 'delete the vectors of a model that is not active') },
    examples: ['cairn models --remove cairn/static@2'],
    seeAlso: ['embed', 'stats'],
    alsoPerforms: ['models.remove'],
  }),
  EVAL,
  command('stats', {
    without: { sizes: 'the command always shows the sizes' },
    examples: [`cairn stats --json | jq '.sizes.parts'`],
    seeAlso: ['doctor', 'models'],
  }),
  command('overview', {
    examples: [`cairn overview --by month --json | jq '.overTime'`],
    seeAlso: ['stats', 'timeline'],
  }),
  command('backup', { seeAlso: ['export', 'doctor'] }),
  command('copy', {
    flags: { to: { to: {} } },
    ownFlags: {
      from: settingFlag('db', {
        value: 'source',
        help: 'the source of the copy; the same as --db',
      }),
    },
    examples: ['cairn copy --from notes.cairn --to postgres://ada@db.example/notes?schema=team'],
    seeAlso: ['backup', 'export'],
  }),
  command('token.add', {
    seeAlso: ['token list', 'token revoke', 'serve'],
    creates: true,
  }),
  command('token.list', { seeAlso: ['token add', 'token revoke'] }),
  command('token.revoke', { seeAlso: ['token list', 'token add'] }),
  command('optimize', { seeAlso: ['doctor', 'purge'] }),
  command('doctor', { seeAlso: ['stats', 'optimize'] }),
]

const USER = switchFlag('in your own file, for every project', {
  default: 'the nearest cairn.json, else a new one here',
})
const KEY = { name: 'KEY', help: 'the setting, as `cairn config show` names it' }

export const CONFIG_COMMANDS: readonly Command[] = [
  {
    name: 'config show',
    summary: 'show every setting, its value and where it comes from',
    positionals: [],
    examples: ['cairn config show', `cairn config show --json | jq '.settings[] | select(.where)'`],
    flags: FILE_FLAGS,
    seeAlso: ['config path', 'config set'],
    load: async () => (await import('../commands/config.js')).runConfigShow,
  },
  {
    name: 'config path',
    summary: 'show the configuration files, and which of them exist',
    positionals: [],
    examples: ['cairn config path'],
    flags: PLAIN_FLAGS,
    seeAlso: ['config show'],
    load: async () => (await import('../commands/config.js')).runConfigPath,
  },
  {
    name: 'config set',
    summary: 'write a setting into a file, and leave the rest of it alone',
    positionals: [KEY, { name: 'VALUE', help: 'its new value' }],
    examples: ['cairn config set namespace shop', 'cairn config set search.limit 50 --user'],
    flags: { user: USER, ...PLAIN_FLAGS },
    seeAlso: ['config unset', 'config show'],
    load: async () => (await import('../commands/config.js')).runConfigSet,
  },
  {
    name: 'config unset',
    summary: 'remove a setting from a file',
    positionals: [KEY],
    examples: ['cairn config unset search.limit --user'],
    flags: { user: USER, ...PLAIN_FLAGS },
    seeAlso: ['config set', 'config show'],
    load: async () => (await import('../commands/config.js')).runConfigUnset,
  },
  {
    name: 'completion',
    summary: 'print the completion script for a shell',
    positionals: [{ name: 'bash|zsh|fish', help: 'the shell' }],
    examples: [
      `echo 'source <(cairn completion bash)' >> ~/.bashrc`,
      `echo 'source <(cairn completion zsh)' >> ~/.zshrc`,
      'cairn completion fish > ~/.config/fish/completions/cairn.fish',
    ],
    flags: PLAIN_FLAGS,
    load: async () => (await import('../completion.js')).runCompletion,
  },
]
