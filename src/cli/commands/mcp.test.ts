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
  const shown = await jsonOf(run)<Installed>('mcp', 'install', 'cursor', '--namespace', 'shop')
  expect(shown).toMatchObject({ path: join(home, '.cursor', 'mcp.json'), written: false })
  expect(shown.value.args.slice(1)).toEqual(['mcp', '--db', resolve(file), '--namespace', 'shop'])
  expect(existsSync(home)).toBe(false)
})

test('its help names every assistant there is', async () => {
  const { out } = await assistant().run('mcp', 'install', '--help')
  for (const client of CLIENTS) expect(out).toMatch(new RegExp(` ${client}[, \n]`))
})

test('with --write it is merged, and what was there is kept beside it', async () => {
  const { home, run } = assistant()
  const path = join(home, '.cursor', 'mcp.json')
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, '{ "mcpServers": { "other": { "command": "x" } }, "theme": "dark" }')
  const before = readFileSync(path, 'utf8')
  const { backup } = await jsonOf(run)<Installed>('mcp', 'install', 'cursor', '--write')
  expect(readFileSync(backup ?? '', 'utf8')).toBe(before)
  const after = JSON.parse(readFileSync(path, 'utf8'))
  expect(Object.keys(after.mcpServers).sort()).toEqual(['cairn', 'other'])
  expect(after.theme).toBe('dark')
  expect(readdirSync(dirname(path))).toHaveLength(2)
})

test('settings that cannot be read are left alone, and an unknown assistant is named', async () => {
  const { home, run } = assistant()
  const path = join(home, '.cursor', 'mcp.json')
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, '{ broken')
  const broken = await run('mcp', 'install', 'cursor', '--write')
  expect({ code: broken.code, text: readFileSync(path, 'utf8') }).toEqual({
    code: 2,
    text: '{ broken',
  })
  expect(broken.err).toContain(path)
  expect((await run('mcp', 'install', 'cursr')).err).toContain('Did you mean "cursor"?')
  expect((await run('mcp', 'install')).err).toContain('Which assistant')
  expect((await run('mcp', '--pinned')).err).toContain('namespace')
  for (const port of ['99999999', '-1', '1.5']) {
    expect(await run('mcp', '--http', '--port', port)).toMatchObject({ code: 2, out: '' })
  }
})
