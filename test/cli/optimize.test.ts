import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Cairn } from '../../src/index.js'
import { temporaryFile, temporaryFolder } from '../support/library.js'
import { jsonOf, terminal } from '../support/terminal.js'

/** Notes how a library is asked to put itself in order. */
function watchOptimize(): unknown[] {
  const asked: unknown[] = []
  const own = Object.getOwnPropertyDescriptor(Cairn.prototype, 'optimize')
  Object.defineProperty(Cairn.prototype, 'optimize', {
    configurable: true,
    value: async (options: unknown) => {
      asked.push(options)
      return { bytesBefore: 2_000_000, bytesAfter: 1_500_000 }
    },
  })
  onTestFinished(() => {
    if (own === undefined) Reflect.deleteProperty(Cairn.prototype, 'optimize')
    else Object.defineProperty(Cairn.prototype, 'optimize', own)
  })
  return asked
}

test('optimize says how large the file was and is', async () => {
  const asked = watchOptimize()
  const cairn = terminal(temporaryFile())
  await cairn('add', 'apple')
  expect((await cairn('optimize')).out).toBe('optimized 2.0 MB → 1.5 MB\n')
  const answer = await jsonOf(cairn)('optimize', '--vacuum')
  expect(answer).toEqual({ bytesBefore: 2_000_000, bytesAfter: 1_500_000 })
  expect(asked).toEqual([{ vacuum: false }, { vacuum: true }])
})

test('a large import puts the index in order, a dry run of it does not', async () => {
  const asked = watchOptimize()
  const file = join(temporaryFolder(), 'many.jsonl')
  const lines = Array.from({ length: 10_001 }, (_, i) => `{"key":"${i}","body":"note ${i}"}\n`)
  writeFileSync(file, lines.join(''))
  const cairn = terminal(temporaryFile())
  await cairn('import', file, '--dry-run')
  expect(asked).toEqual([])
  expect((await cairn('import', file)).out).toContain('created  10001 records')
  expect(asked).toEqual([{}])
}, 60_000)
