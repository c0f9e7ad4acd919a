import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/library.js'
import { golden, jsonOf, terminal } from '../../../test/support/terminal.js'
import { COMMANDS } from '../commands.js'

const CLI = join(import.meta.dirname, '../../../dist/cairn.cjs')

type Shown = { key: string; value: unknown; from: string; where: string | null }

/** A project with a folder inside it, and a user with settings of his own. */
function setUp() {
  const root = temporaryFolder()
  const folder = join(root, 'shop', 'src')
  const userFolder = join(root, 'config', 'cairn')
  for (const made of [folder, userFolder]) mkdirSync(made, { recursive: true })
  const project = join(root, 'shop', 'cairn.json')
  const user = join(userFolder, 'config.json')
  const base = {
    XDG_CONFIG_HOME: join(root, 'config'),
    XDG_DATA_HOME: join(root, 'data'),
    XDG_CACHE_HOME: join(root, 'cache'),
  }
  const write = (path: string, value: unknown): void =>
    writeFileSync(path, typeof value === 'string' ? value : JSON.stringify(value, null, 2))
  const cairn = (env: Record<string, string> = {}) =>
    terminal('', { folder, home: root, env: { ...base, ...env } })
  const shown = async (key: string, env: Record<string, string> = {}, ...flags: string[]) => {
    const { settings } = await jsonOf(cairn(env))<{ settings: Shown[] }>('config', 'show', ...flags)
    const { value, from, where } = settings.find((one) => one.key === key) ?? {}
    return { value, from, where }
  }
  return { root, folder, project, user, base, write, cairn, shown }
}

describe('the order', () => {
  test('[A4] flag, then environment, then the project, then the user, then the default', async () => {
    const { root, project, user, write, shown } = setUp()
    const variable = { CAIRN_DB: '/by/variable.cairn' }
    const byDefault = join(root, 'data', 'cairn', 'cairn.db')
    expect(await shown('db')).toEqual({ value: byDefault, from: 'default', where: null })
    write(user, { db: '~/mine.cairn', namespace: 'mine' })
    expect(await shown('db')).toEqual({
      value: join(root, 'mine.cairn'),
      from: 'user',
      where: user,
    })
    write(project, { db: 'shop.cairn' })
    const ofProject = { value: join(root, 'shop', 'shop.cairn'), from: 'project', where: project }
    expect(await shown('db')).toEqual(ofProject)
    expect(await shown('namespace')).toEqual({ value: 'mine', from: 'user', where: user })
    expect(await shown('db', variable)).toEqual({
      value: '/by/variable.cairn',
      from: 'environment',
      where: 'CAIRN_DB',
    })
    expect(await shown('db', variable, '--db', '/by/flag.cairn')).toEqual({
      value: '/by/flag.cairn',
      from: 'flag',
      where: '--db',
    })
  })

  test('[A4] a record lands in the file and the namespace that the settings name', async () => {
    const { root, project, user, write, cairn } = setUp()
    write(user, { namespace: 'mine' })
    write(project, { db: 'shop.cairn' })
    const add = async (run: ReturnType<typeof cairn>, text: string, ...flags: string[]) =>
      expect(await run('add', text, ...flags)).toMatchObject({ code: 0 })
    await add(cairn(), 'of the user')
    await add(cairn({ CAIRN_NAMESPACE: 'variable' }), 'of the variable')
    await add(cairn({ CAIRN_NAMESPACE: 'variable' }), 'of the flag', '--namespace', 'flag')
    write(project, { db: 'shop.cairn', namespace: 'shop' })
    await add(cairn(), 'of the project')
    expect(existsSync(join(root, 'shop', 'shop.cairn'))).toBe(true)
    expect(existsSync(join(root, 'data'))).toBe(false)
    const { records } = await jsonOf(cairn())<{ records: { body: string; namespace: string }[] }>(
      'list',
    )
    expect(Object.fromEntries(records.map(({ body, namespace }) => [body, namespace]))).toEqual({
      'of the user': 'mine',
      'of the variable': 'variable',
      'of the flag': 'flag',
      'of the project': 'shop',
    })
  })

  test('[A4] a search takes what it is not told: from its flags, its lens, then the settings', async () => {
    const { project, write, cairn } = setUp()
    const search = { lens: 'recent', mode: 'keyword', match: 'all', limit: 2 }
    write(project, { db: 'shop.cairn', search })
    for (const text of ['red apple', 'green apple', 'apple pie', 'apple juice'])
      await cairn()('add', text)
    type Answer = { hits: unknown[]; query: { lens: string; mode: string } }
    const ask = (...args: string[]) => jsonOf(cairn())<Answer>('search', ...args)
    const usual = await ask('apple')
    expect(usual.hits).toHaveLength(2)
    expect(usual.query).toMatchObject({ lens: 'recent', mode: 'keyword' })
    expect((await ask('red zebra')).hits).toHaveLength(0)
    expect((await ask('red zebra', '--match', 'any')).hits).toHaveLength(1)
    expect((await ask('apple', '--limit', '3', '--lens', 'exact')).hits).toHaveLength(3)
    await cairn()('lens', 'save', 'three', '--limit', '3')
    const throughLens = await ask('apple', '--lens', 'three')
    expect(throughLens.hits).toHaveLength(3)
    write(project, { db: 'shop.cairn', search: { ...search, lens: 'three' } })
    const byLens = await ask('apple')
    expect(byLens.hits).toHaveLength(3)
    expect(byLens.query.lens).toBe('three')
    write(project, { db: 'shop.cairn', search: { lens: 'three' } })
    expect((await ask('apple')).hits).toHaveLength(3)
  })

  test('[A4] vectors can be switched off, and the log switched on, for a project', async () => {
    const { root, project, write, cairn } = setUp()
    write(project, {
      db: 'x.cairn',
      vectorSearch: { enabled: false },
      log: { level: 'info', file: 'x.log' },
    })
    await cairn()('add', 'an apple')
    const { degraded } = await jsonOf(cairn())<{ degraded: { reason: string } }>('search', 'apple')
    expect(degraded.reason).toBe('vectors_off')
    expect(readFileSync(join(root, 'shop', 'x.log'), 'utf8')).toContain('"event":"search"')
    expect((await cairn({ CAIRN_VECTORS: 'true' })('search', 'apple', '--json')).out).not.toContain(
      'vectors_off',
    )
  })

  test('[A5] a project that is pinned cannot be left by a flag', async () => {
    const { project, write, cairn } = setUp()
    write(project, { db: 'x.cairn', namespace: 'shop', pinned: true })
    await cairn()('add', 'an apple')
    const left = await cairn()('add', 'a pear', '--namespace', 'other')
    expect(left).toMatchObject({ code: 1, out: '' })
    expect(left.err).toContain('Only the namespace "shop"')
    expect((await cairn()('search', 'apple', '--namespace', 'other')).code).toBe(1)
    const served = await cairn()('mcp', '--namespace', 'other')
    expect(served.err).toContain(`${project} keeps to the namespace "shop"`)
  })

  test('an assistant is told what this folder says, and not what the user’s file says', async () => {
    const { root, project, user, write, cairn } = setUp()
    write(user, { namespace: 'mine' })
    write(project, { db: 'shop.cairn' })
    const argsOf = async () => {
      type Installed = { value: { args: string[] } }
      const { value } = await jsonOf(cairn())<Installed>('mcp', 'install', 'cursor')
      return value.args.slice(2)
    }
    expect(await argsOf()).toEqual(['--db', join(root, 'shop', 'shop.cairn')])
    write(project, { namespace: 'shop', pinned: true })
    expect(await argsOf()).toEqual(['--namespace', 'shop', '--pinned'])
  })

  test('as a process: the settings of the folder it runs in', () => {
    const { root, folder, project, base, write } = setUp()
    write(project, { db: 'here.cairn' })
    const { CAIRN_DB: _, ...env }: NodeJS.ProcessEnv = { ...process.env, ...base }
    const ran = spawnSync(process.execPath, [CLI, 'add', 'apple'], { cwd: folder, env, input: '' })
    expect(ran.status).toBe(0)
    expect(existsSync(join(root, 'shop', 'here.cairn'))).toBe(true)
  })

  test('every command that opens a file takes its settings, and says so before it does anything', async () => {
    const { project, write, cairn } = setUp()
    write(project, '{')
    const opening = COMMANDS.filter(({ flags }) => flags.db !== undefined).map(({ name }) => name)
    expect(opening).toContain('mcp')
    for (const name of ['add', 'search', 'stats', 'config show', 'mcp', 'openalex search']) {
      expect(opening).toContain(name)
      const { code, out, err } = await cairn()(
        ...name.split(' '),
        ...(/^(config|mcp|stats)/.test(name) ? [] : ['x']),
      )
      expect({ name, code, out }).toEqual({ name, code: 2, out: '' })
      expect(err).toContain(`${project} is not JSON: line 1, column 2`)
    }
  })
})

describe('cairn config', () => {
  test('show says of a secret that it is set, and nothing else of it', async () => {
    const { cairn } = setUp()
    const env = {
      OPENAI_API_KEY: 'sk-secret',
      OPENALEX_API_KEY: 'oa-secret',
      CAIRN_TOKEN: 'tk-secret',
    }
    for (const flags of [[], ['--json']]) {
      const { out } = await cairn(env)('config', 'show', ...flags)
      expect(out).not.toContain('secret')
      expect(out).toContain('OPENAI_API_KEY')
      expect(out.match(/\bset\b/g)).toHaveLength(3)
    }
  })

  test('path names every file that is looked at, and those that are there', async () => {
    const { root, folder, project, user, write, cairn } = setUp()
    write(project, {})
    const { files } = await jsonOf(cairn())<{ files: unknown[] }>('config', 'path')
    expect(files).toEqual([
      { kind: 'project', path: join(folder, 'cairn.json'), exists: false },
      { kind: 'project', path: project, exists: true },
      { kind: 'user', path: user, exists: false },
    ])
    write(project, 'broken')
    expect((await cairn()('config', 'path')).out).toBe(
      `project  not there  ${join(root, 'shop', 'src', 'cairn.json')}\nproject  read       ${project}\nuser     not there  ${user}\n`,
    )
  })

  test('set writes one value, unset takes it away, and the rest of the file stays as it was', async () => {
    const { folder, root, project, user, write, cairn, shown } = setUp()
    const before = '{\n\t"namespace": "shop",   "search": {"mode": "keyword"}\n}\n'
    write(project, before)
    chmodSync(project, 0o600)
    const json = jsonOf(cairn())
    expect(await json('config', 'set', 'search.limit', '5')).toEqual({
      key: 'search.limit',
      value: 5,
      path: project,
    })
    expect(readFileSync(project, 'utf8')).toContain('\t"namespace": "shop",   "search"')
    if (process.platform !== 'win32') expect(statSync(project).mode & 0o777).toBe(0o600)
    expect(JSON.parse(readFileSync(project, 'utf8'))).toEqual({
      namespace: 'shop',
      search: { limit: 5, mode: 'keyword' },
    })
    // Typed in a folder inside the project, kept from where the file is.
    await json('config', 'set', 'db', 'notes.cairn')
    expect(await shown('db')).toMatchObject({ value: join(folder, 'notes.cairn'), where: project })
    expect(await json('config', 'unset', 'db')).toMatchObject({ changed: true })
    expect(await json('config', 'unset', 'db')).toMatchObject({ changed: false })
    expect(await shown('db')).toMatchObject({ from: 'default' })
    await json('config', 'set', 'memory.decay', '0', '--user')
    expect(await shown('memory.decay')).toMatchObject({ value: 0, where: user })
    expect(existsSync(join(root, 'shop', 'cairn.json.new'))).toBe(false)
  })

  test('set makes a file where there is none, and follows a link', async () => {
    const { folder, root, user, write, cairn } = setUp()
    await cairn()('config', 'set', 'vectorSearch.enabled', 'off')
    expect(readFileSync(join(folder, 'cairn.json'), 'utf8')).toBe(
      '{\n  "vectorSearch": {\n    "enabled": false\n  }\n}\n',
    )
    const kept = join(root, 'dotfiles.json')
    write(kept, '{}')
    symlinkSync(kept, user)
    await cairn()('config', 'set', 'namespace', 'mine', '--user')
    expect(JSON.parse(readFileSync(kept, 'utf8'))).toEqual({ namespace: 'mine' })
  })

  test('what is wrong with settings is one sentence, as written down', async () => {
    const { root, project, write, cairn } = setUp()
    const lines: string[] = []
    const note = async (what: string, ran: ReturnType<ReturnType<typeof cairn>>): Promise<void> => {
      const { code, out, err } = await ran
      expect({ what, out }).toEqual({ what, out: '' })
      lines.push(`${what}\n${err.replaceAll(root, '').trim()}  [exit ${code}]`)
    }
    const files = [
      '{"vectorSearch": {"modle": "x"}}',
      '{"limit": 5}',
      '{"colour": "red"}',
      '{"search.limit": 5}',
      '{"search": {"limit": 0}}',
      '{"search": {"lens": ""}}',
      '{"search": 5}',
      '{"vectorSearch": {"enabled": "yes"}}',
      '{"vectorSearch": {"provider": "acme"}}',
      '{"vectorSearch": {"model": "x"}}',
      '{"vectorSearch": {"provider": "onnx", "dimensions": 1.5}}',
      '{"vectorSearch": {"provider": "openai", "baseUrl": "https://example.org/v1"}}',
      '{"vectorSearch": {"apiKey": "x"}}',
      '{"openAlex": {"mailto": "nobody"}}',
      '{"log": {"level": "loud"}}',
      '[]',
      '{\n  "db": "x"\n  "namespace": "y"\n}',
    ]
    for (const file of files) {
      write(project, file)
      await note(`cairn.json: ${file.replaceAll('\n', '⏎')}`, cairn()('stats'))
    }
    write(project, '{}')
    await note('CAIRN_LIMIT=many', cairn({ CAIRN_LIMIT: 'many' })('stats'))
    await note('CAIRN_PINNED=maybe', cairn({ CAIRN_PINNED: 'maybe' })('stats'))
    for (const args of [
      ['config', 'shwo'],
      ['config', 'set'],
      ['config', 'set', 'namspace', 'x'],
      ['config', 'set', 'search.limit', 'many'],
      ['config', 'set', 'mcp.token', 'x'],
      ['config', 'set', 'vectorSearch.baseUrl', 'https://example.org'],
      ['config', 'unset'],
    ]) {
      await note(`$ cairn ${args.join(' ')}`, cairn()(...args))
    }
    write(project, '{"search": 5}')
    await note('$ cairn config set search.limit 5', cairn()('config', 'set', 'search.limit', '5'))
    golden('config-errors.txt', `${lines.join('\n\n')}\n`)
  })
})
