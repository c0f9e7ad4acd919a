/** Sources are a tree of folders. */

import { expect, test } from 'vitest'
import { toFolders } from './folders.js'

test('each folder stands below its parent, and a chain of single folders is one', () => {
  const counts = {
    'a/*': 9,
    'a/b/*': 9,
    'a/b/c/*': 4,
    'a/b/d/*': 5,
    './*': 7,
    'git:*': 2,
    chat: 30,
  }
  const values = Object.entries(counts).map(([value, count]) => ({ value, count }))
  expect(toFolders(values).map(({ label, depth, count }) => [label, depth, count])).toEqual([
    ['chat', 0, 30],
    ['a/b', 0, 9],
    ['d', 1, 5],
    ['c', 1, 4],
    ['Single files', 0, 7],
    ['git', 0, 2],
  ])
})
