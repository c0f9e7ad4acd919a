import { expect, test } from 'vitest'
import { nearestName } from './nearest-name.js'

test('a nearly correct name is recognized', () => {
  const names = ['query', 'namespaces', 'sectors', 'limit']
  expect(nearestName('qurey', names)).toBe('query')
  expect(nearestName('sector', names)).toBe('sectors')
  expect(nearestName('name_spaces', names)).toBe('namespaces')
  expect(nearestName('namespace', names)).toBe('namespaces')
  expect(nearestName('colour', names)).toBeNull()
  expect(nearestName('q', ['k', 'query'])).toBeNull()
})
