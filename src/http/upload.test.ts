/** No name leads out of the folder that it is put into. */

import { resolve, sep } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readUploadName } from './upload.js'

test('a name may have folders in it, with the strokes of either system', () => {
  expect(readUploadName('june.md')).toEqual(['june.md'])
  expect(readUploadName('notes/2026/june.md')).toEqual(['notes', '2026', 'june.md'])
  expect(readUploadName('notes\\2026\\june.md')).toEqual(['notes', '2026', 'june.md'])
  expect(readUploadName('Ünï códe …/日記.md')).toEqual(['Ünï códe …', '日記.md'])
  expect(readUploadName('..hidden/a..b')).toEqual(['..hidden', 'a..b'])
})

test.each([
  '',
  '.',
  '..',
  '../x',
  'a/../../x',
  'a/..',
  '..\\..\\x',
  'a\\..\\..\\x',
  '/etc/passwd',
  '\\\\server\\share',
  'C:\\Windows\\x',
  'c:x',
  'a//b',
  'a/./b',
  'a\0.md',
  'a\n.md',
  `${'x'.repeat(256)}.md`,
  `${'a/'.repeat(32)}x`,
  '.git/config',
  'notes/.GIT/hooks/x',
  'repo.git/HEAD',
  'repo.git./HEAD',
])('%j is refused', (name) => {
  expect(() => readUploadName(name)).toThrow(/name|repository/i)
})

test('whatever is accepted stays inside', () => {
  const part = fc.oneof(fc.constantFrom('..', '.', '', 'a', '%2e%2e', '~'), fc.string())
  const names = fc
    .array(part, { maxLength: 6 })
    .chain((parts) => fc.constantFrom('/', '\\').map((stroke) => parts.join(stroke)))
  fc.assert(
    fc.property(names, (name) => {
      let parts: readonly string[] = []
      try {
        parts = readUploadName(name)
      } catch {
        return
      }
      expect(parts.length).toBeGreaterThan(0)
      expect(resolve('/folder', ...parts).startsWith(`/folder${sep}`)).toBe(true)
    }),
    { numRuns: 300 },
  )
})
