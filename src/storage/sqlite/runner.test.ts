import { appendFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { notePlace } from './runner.js'

function fileWith(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-place-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'notes.cairn')
  writeFileSync(file, text)
  return file
}

test('a file that is written to keeps its place', () => {
  const file = fileWith('one')
  const place = notePlace(file, { isCopy: false })
  appendFileSync(file, ' and more')
  expect(place.isKept()).toBe(true)
  expect(() => place.assertKept()).not.toThrow()
})

test('a file that was deleted, or stands elsewhere now, has lost its place', () => {
  for (const take of [rmSync, (file: string) => renameSync(file, `${file}.away`)]) {
    const file = fileWith('one')
    const place = notePlace(file, { isCopy: false })
    take(file)
    expect(place.isKept()).toBe(false)
    expect(() => place.assertKept()).toThrow(`${file} was deleted or moved away while it was open`)
  }
})

test('another file at the path is not the one that was opened', () => {
  const file = fileWith('one')
  const place = notePlace(file, { isCopy: false })
  writeFileSync(`${file}.new`, 'two')
  renameSync(`${file}.new`, file)
  expect(() => place.assertKept()).toThrow(`Another file stands at ${file}`)
  renameSync(file, `${file}.new`)
  expect(place.isKept()).toBe(false)
})

test('of a file that was read whole a change is news, and so is a log beside it', () => {
  const file = fileWith('one')
  const whole = notePlace(file, { isCopy: true })
  expect(whole.isKept()).toBe(true)
  writeFileSync(`${file}-wal`, 'a log')
  expect(whole.isKept()).toBe(false)
  rmSync(`${file}-wal`)
  expect(whole.isKept()).toBe(true)
  appendFileSync(file, ' and more')
  expect(whole.isKept()).toBe(false)
})
