import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CairnError } from '../core/errors.js'
import { CLIENTS, describeClient, mergeConfig, removeFromConfig } from './clients.js'

const LAUNCH = { command: 'cairn', args: ['mcp', '--db', 'notes.cairn'] }
const HOME = '/users/ada'

const configOf = (client: string, platform = 'linux') =>
  describeClient(client, LAUNCH, { platform, home: HOME })

describe('where the configuration is', () => {
  test('each client has a place on each system', () => {
    const places = ['linux', 'darwin', 'win32'].flatMap((platform) =>
      CLIENTS.map((client) => describeClient(client, LAUNCH, { platform, home: HOME }).path),
    )
    expect(places.filter((path) => /\.(json|toml)$/.test(path))).toHaveLength(24)
  })

  test('Claude Desktop and VS Code keep theirs where the system keeps settings', () => {
    expect(configOf('claude-desktop', 'darwin').path).toBe(
      '/users/ada/Library/Application Support/Claude/claude_desktop_config.json',
    )
    expect(configOf('vscode', 'linux').path).toBe('/users/ada/.config/Code/User/mcp.json')
    expect(describeClient('zed', LAUNCH, { platform: 'win32', home: 'C:\\Users\\Ada' }).path).toBe(
      'C:\\Users\\Ada\\AppData\\Roaming\\zed\\settings.json',
    )
  })

  test('an unknown client is answered with the nearest', () => {
    expect(() => configOf('curser')).toThrow('There is no client "curser". Did you mean "cursor"?')
  })

  test('Claude Code has a command of its own for it', () => {
    expect(configOf('claude').ownCommand?.join(' ')).toBe(
      'claude mcp add --scope user cairn -- cairn mcp --db notes.cairn',
    )
    expect(configOf('cursor').ownCommand).toBeNull()
  })
})

describe('what stands in it', () => {
  test('a new file holds our entry alone', () => {
    expect(JSON.parse(configOf('cursor').text)).toEqual({ mcpServers: { cairn: LAUNCH } })
    expect(JSON.parse(configOf('vscode').text)).toEqual({
      servers: { cairn: { type: 'stdio', ...LAUNCH } },
    })
    expect(configOf('codex').text).toBe(
      '[mcp_servers.cairn]\ncommand = "cairn"\nargs = ["mcp", "--db", "notes.cairn"]\n',
    )
  })

  test('a file that is there keeps everything else, comments and commas as well', () => {
    const before = `{
  // my settings
  "theme": "dark", /* always */
  "context_servers": {
    "other": { "command": "x", },
  },
}
`
    const after = mergeConfig(before, configOf('zed'))
    expect(after).toContain('// my settings')
    expect(after).toContain('"other": { "command": "x", }')
    expect(after.replace(/\n {4}"cairn": \{[\s\S]*?\n {4}\},/, '')).toBe(before)
  })

  test('an entry of ours is replaced, and the second time nothing changes', () => {
    const config = configOf('cursor')
    const before = `{"mcpServers": {"cairn": {"command": "old"}, "other": {"command": "x"}}, "a": 1}`
    const after = mergeConfig(before, config)
    expect(JSON.parse(after)).toEqual({
      mcpServers: { cairn: LAUNCH, other: { command: 'x' } },
      a: 1,
    })
    expect(mergeConfig(after, config)).toBe(after)
  })

  test('a file without servers, and an empty one, gain them', () => {
    const config = configOf('gemini')
    expect(JSON.parse(mergeConfig('{"a": 1}', config))).toEqual({
      mcpServers: { cairn: LAUNCH },
      a: 1,
    })
    expect(mergeConfig('{}', config)).toBe(
      '{\n  "mcpServers": {\n    "cairn": {\n      "command": "cairn",\n      "args": [\n        "mcp",\n        "--db",\n        "notes.cairn"\n      ]\n    }\n  }\n}',
    )
    expect(mergeConfig(' \n', config)).toBe(config.text)
  })

  test('broken JSON is refused with its line, and so is a list where servers should be', () => {
    const config = configOf('cursor')
    for (const broken of [
      '{"a": 1',
      '{"a" 1}',
      '{"a": 1}\n}',
      '[]',
      '{"a": tru}',
      '{"a": "x\n"}',
    ]) {
      expect(() => mergeConfig(broken, config)).toThrow(CairnError)
      expect(() => mergeConfig(broken, config)).toThrow(/mcp\.json is not JSON: line \d cannot/)
    }
    expect(() => mergeConfig('{"mcpServers": []}', config)).toThrow('is no object')
  })

  test('any JSON object keeps its values', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.constantFrom(0, 2),
        (object, n) => {
          const { mcpServers: _, ...rest } = object
          const after = mergeConfig(JSON.stringify(rest, null, n), configOf('cursor'))
          expect(JSON.parse(removeFromConfig(after, configOf('cursor')))).toMatchObject(
            JSON.parse(JSON.stringify(rest)),
          )
          expect(JSON.parse(after)).toEqual(
            JSON.parse(JSON.stringify({ ...rest, mcpServers: { cairn: LAUNCH } })),
          )
        },
      ),
    )
  })

  test('TOML gains a table at its end, or has ours replaced where it stands', () => {
    const config = configOf('codex')
    const before = 'model = "o9"\n\n[mcp_servers.other]\ncommand = "x"\n'
    const after = mergeConfig(before, config)
    expect(after).toBe(`${before}\n${config.text}`)
    expect(mergeConfig(after, config)).toBe(after)
    expect(removeFromConfig(after, config)).toBe(before)
    expect(removeFromConfig(before, config)).toBe(before)
    const old = `[mcp_servers.cairn]\ncommand = "old"\n\n[mcp_servers.cairn.env]\nA = "1"\n\n[mcp_servers.other]\ncommand = "x"\n`
    expect(mergeConfig(old, config)).toBe(`${config.text}\n[mcp_servers.other]\ncommand = "x"\n`)
  })
})
