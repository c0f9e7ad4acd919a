import { expect, test } from 'vitest'
import { chooseEditor, chooseOpener } from './open-file.js'

const file = { path: '/notes/a b.md', line: 7 }

test('an editor gets the line in its own way', () => {
  const words = (named: string) => chooseEditor(named, file, 'linux')?.words
  expect(words('vim')).toEqual(['vim', '+7', '/notes/a b.md'])
  expect(words('code --wait')).toEqual(['code', '--wait', '-g', '/notes/a b.md:7'])
  expect(words('"/opt/my editor/subl"')).toEqual(['/opt/my editor/subl', '/notes/a b.md:7'])
  expect(words('something')).toEqual(['something', '/notes/a b.md'])
  expect(chooseEditor(' ', file, 'linux')).toBeNull()
})

test('on Windows an editor may be a script, and no name of a file is read by its shell', () => {
  const odd = { path: 'C:\\notes\\a & b.md', line: 2 }
  expect(chooseEditor('"C:\\Program Files\\VS\\code.cmd" --wait', odd, 'win32')).toEqual({
    isInShell: true,
    words: ['"C:\\Program Files\\VS\\code.cmd"', '"--wait"', '"-g"', '"C:\\notes\\a & b.md:2"'],
  })
})

test('every system opens an address without a shell', () => {
  const address = 'https://example.org/?a=1&b=2|calc'
  expect(chooseOpener(address, 'linux')).toEqual(['xdg-open', address])
  expect(chooseOpener(address, 'darwin')).toEqual(['open', address])
  expect(chooseOpener(address, 'win32').at(-1)).toBe(address)
  expect(chooseOpener(address, 'win32')).not.toContain('cmd')
})
