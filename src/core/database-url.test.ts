import { expect, test } from 'vitest'
import { hasPassword, hidePassword, isDatabaseUrl } from './database-url.js'

test('an address of PostgreSQL is told from the path of a file', () => {
  expect(isDatabaseUrl('postgres://me@host/notes')).toBe(true)
  expect(isDatabaseUrl('POSTGRESQL://host/notes')).toBe(true)
  expect(isDatabaseUrl('notes/postgres.cairn')).toBe(false)
})

test('no form of an address shows its password', () => {
  const shown = [
    'postgres://me:secret@host:5432/notes',
    'postgres://me:sec%40ret@host/notes?schema=team',
    'postgres://me:s:e/c@ret@host/notes',
    'postgres://host/notes?user=me&password=secret&schema=team',
  ].map(hidePassword)
  expect(shown).toEqual([
    'postgres://me@host:5432/notes',
    'postgres://me@host/notes?schema=team',
    'postgres://me@host/notes',
    'postgres://host/notes?user=me&password=…&schema=team',
  ])
  expect(hasPassword('postgres://me@host/notes')).toBe(false)
})
