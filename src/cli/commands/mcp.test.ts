/** An assistant is told how to start Cairn, and its other settings stay as they are. */

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFile } from '../../../test/support/library.js'
import { jsonOf, terminal } from '../../../test/support/terminal.js'
import { CLIENTS } from '../../mcp/clients.js'

type Installed = {
  path: string
  written: boolean
  backup: string | null
  value: { args: string[] }
}

function assistant() {
  const file = temporaryFile()
  const home = join(dirname(file), 'home')
  return { file, home, run: terminal(file, { home }) }
}

test('what an assistant needs is shown, and nothing is written', async () => {
  const { file, home, run } = assistant()
  const shown = await jsonOf(run)<Installed>(
    ...['mcp', 'install', 'cursor', '--namespace', 'shop', '--print'],
  )
  expect(shown).toMatchObject({ path: join(home, '.cursor', 'mcp.json'), written: false })
  expect(shown.value.args.slice(1)).toEqual(['mcp', '--db', resolve(file), '--namespace', 'shop'])
  expect(existsSync(home)).toBe(false)
})

test('its help names every assistant there is', async () => {
  const { out } = await assistant().run('mcp', 'install', '--help')
  for (const client of CLIENTS) expect(out).toMatch(new RegExp(` ${client}[, \n]`))
})

test('it is merged, what was there is kept beside it, and removed again', async () => {
  const { home, run } = assistant()
  const path = join(home, '.cursor', 'mcp.json')
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, '{ "mcpServers": { "other": { "command": "x" } }, "theme": "dark" }')
  const before = readFileSync(path, 'utf8')
  const { backup } = await jsonOf(run)<Installed>('mcp', 'install', 'cursor')
  expect(readFileSync(backup ?? '', 'utf8')).toBe(before)
  const after = JSON.parse(readFileSync(path, 'utf8'))
  expect(Object.keys(after.mcpServers).sort()).toEqual(['cairn', 'other'])
  expect(after.theme).toBe('dark')
  expect(readdirSync(dirname(path))).toHaveLength(2)
  const removed = await jsonOf(run)('mcp', 'remove', 'cursor')
  expect(removed).toMatchObject({ client: 'cursor', path, removed: true })
  expect(readFileSync(path, 'utf8')).toBe(before)
  expect((await run('mcp', 'remove', 'cursor')).out).toContain('does not start Cairn')
})

test('a person is asked first, and a no changes nothing', async () => {
  const { file, home } = assistant()
  const questions: string[] = []
  const answer = (yes: boolean) =>
    terminal(file, {
      home,
      confirm: async (question) => {
        questions.push(question)
        return yes
      },
    })
  const path = join(home, '.codex', 'config.toml')
  const refused = await answer(false)('mcp', 'install', 'codex')
  expect(refused).toMatchObject({ code: 2, out: '' })
  expect(refused.err).toContain('Nothing was written.')
  expect(existsSync(path)).toBe(false)
  expect((await answer(true)('mcp', 'install', 'codex')).code).toBe(0)
  expect(readFileSync(path, 'utf8')).toContain('[mcp_servers.cairn]')
  expect((await answer(true)('mcp', 'remove', 'codex')).code).toBe(0)
  expect(existsSync(path)).toBe(false)
  expect(questions).toEqual([
    `Add Cairn to the settings of Codex in ${path}?`,
    `Add Cairn to the settings of Codex in ${path}?`,
    `Remove Cairn from the settings of Codex in ${path}?`,
  ])
})

test('settings that cannot be read are left alone, and an unknown assistant is named', async () => {
  const { home, run } = assistant()
  const path = join(home, '.cursor', 'mcp.json')
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, '{ broken')
  const broken = await run('mcp', 'install', 'cursor')
  expect({ code: broken.code, text: readFileSync(path, 'utf8') }).toEqual({
    code: 2,
    text: '{ broken',
  })
  expect(broken.err).toContain(path)
  expect((await run('mcp', 'install', 'cursr')).err).toContain('Did you mean "cursor"?')
  expect((await run('mcp', 'install')).err).toContain('Which assistant')
  expect((await run('mcp', '--pinned')).err).toContain('namespace')
  expect((await run('mcp', '--profile', 'chatgtp')).err).toContain('Did you mean "chatgpt"?')
  for (const port of ['99999999', '-1', '1.5']) {
    expect(await run('mcp', '--http', '--port', port)).toMatchObject({ code: 2, out: '' })
  }
})
