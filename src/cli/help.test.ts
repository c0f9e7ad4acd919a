import { expect, test } from 'vitest'
import { temporaryFile } from '../../test/support/library.js'
import { golden, terminal } from '../../test/support/terminal.js'
import { COMMANDS, FAMILIES, GROUPS } from './commands.js'

test('the help of every command is as written down, with an example each', async () => {
  const cairn = terminal(temporaryFile(), { columns: 80 })
  let help = (await cairn('--help')).out
  for (const { name, examples } of COMMANDS) {
    const { code, out } = await cairn(name, '--help')
    expect(code).toBe(0)
    expect(examples.length).toBeGreaterThan(0)
    expect(out).toContain(examples[0])
    const tooLong = out.split('\n').filter((line) => line.length > 80)
    expect({ name, tooLong }).toEqual({ name, tooLong: [] })
    help += `\n──── cairn ${name} --help\n${out}`
  }
  for (const family of Object.keys(FAMILIES)) {
    help += `\n──── cairn ${family} --help\n${(await cairn(family, '--help')).out}`
  }
  golden('help.txt', help)
})

test('commands of two words are found by their family, and a typo suggests the nearest', async () => {
  const cairn = terminal(temporaryFile())
  const family = await cairn('session')
  expect(family.code).toBe(0)
  for (const name of ['start', 'end', 'summarise', 'list', 'show']) {
    expect(family.out).toContain(`session ${name}`)
  }
  expect((await cairn('help', 'session')).out).toBe(family.out)
  const start = await cairn('session', 'start', '--help')
  expect((await cairn('help', 'session', 'start')).out).toBe(start.out)
  expect(start.out).toContain('Usage: cairn session start')
  const typo = await cairn('session', 'strat')
  expect(typo).toMatchObject({ code: 2, out: '' })
  expect(typo.err).toContain('Did you mean "session start"?')
})

test('the overall help has a short heading for each group, and every first word once', async () => {
  const { out } = await terminal(temporaryFile())('--help')
  for (const { heading } of GROUPS) expect(out).toContain(`\n${heading}:\n`)
  for (const word of new Set(COMMANDS.map(({ name }) => name.split(' ')[0]))) {
    expect(out.match(new RegExp(`^  ${word} `, 'gm'))).toHaveLength(1)
  }
  expect(out).not.toContain('undefined')
})
