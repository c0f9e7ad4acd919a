import { expect, test } from 'vitest'
import { hasPassword, hidePassword, isDatabaseUrl } from './database-url.js'

test('an address is told from the path of a file', () => {
  expect(isDatabaseUrl('postgres://me@host/notes')).toBe(true)
  expect(isDatabaseUrl('POSTGRESQL://host/notes')).toBe(true)
  expect(isDatabaseUrl('mysql://host/notes')).toBe(true)
  for (const path of ['notes/postgres.cairn', 'C:\\notes.cairn', 'c:/notes.cairn', ':memory:']) {
    expect(isDatabaseUrl(path)).toBe(false)
  }
})

test('no form of an address shows its password', () => {
  const shown = [
    'postgres://me:secret@host:5432/notes',
    'postgres://me:sec%40ret@host/notes?schema=team',
    'postgres://me:s:e/c@ret@host/notes',
    'postgres://host/notes?user=me&password=secret&schema=team',
    'postgres://host:5432/notes?replica=postgres://me:secret@other:5432/notes&schema=team',
    'postgres://me:secret@host/notes?replica=postgres%3A%2F%2Fme%3Asecret%40other%2Fnotes',
  ].map(hidePassword)
  expect(shown).toEqual([
    'postgres://me@host:5432/notes',
    'postgres://me@host/notes?schema=team',
    'postgres://me@host/notes',
    'postgres://host/notes?user=me&password=…&schema=team',
    'postgres://host:5432/notes?replica=postgres://me@other:5432/notes&schema=team',
    'postgres://me@host/notes?replica=postgres://me@other/notes',
  ])
  expect(hasPassword('postgres://me@host/notes')).toBe(false)
})
