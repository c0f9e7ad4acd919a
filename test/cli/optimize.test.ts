import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { Cairn } from '../../src/index.js'
import { temporaryFile, temporaryFolder } from '../support/library.js'
import { jsonOf, terminal } from '../support/terminal.js'

test('[L8] optimize says how large the file was and is', async () => {
  const cairn = terminal(temporaryFile())
  await cairn('add', 'apple')
  expect((await cairn('optimize')).out).toMatch(/^optimized \d+ kB → \d+ kB\n$/)
  const answer = await jsonOf(cairn)('optimize', '--vacuum')
  expect(answer).toEqual({ bytesBefore: expect.any(Number), bytesAfter: expect.any(Number) })
  expect((await cairn('search', 'apple')).out).toContain('1 record')
})

test('[L8] a large import puts the index in order, a dry run of it does not', async () => {
  const optimize = vi.spyOn(Cairn.prototype, 'optimize')
  const file = join(temporaryFolder(), 'many.jsonl')
  const lines = Array.from({ length: 10_001 }, (_, i) => `{"key":"${i}","body":"note ${i}"}\n`)
  writeFileSync(file, lines.join(''))
  const cairn = terminal(temporaryFile())
  await cairn('import', file, '--dry-run')
  expect(optimize).not.toHaveBeenCalled()
  expect((await cairn('import', file)).out).toContain('created  10001 records')
  expect(optimize).toHaveBeenCalledOnce()
  optimize.mockRestore()
}, 60_000)
