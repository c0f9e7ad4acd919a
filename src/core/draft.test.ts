import { expect, test } from 'vitest'
import { renameOver } from './draft.js'

const busy = (code: string) => Object.assign(new Error(code), { code })

/** Fails as often as told, with this code. */
function failing(times: number, code: string) {
  let calls = 0
  const move = async (): Promise<void> => {
    if (++calls <= times) throw busy(code)
  }
  return { move, calls: () => calls }
}

test('on Windows a file that is open for a moment is replaced when it is free', async () => {
  const { move, calls } = failing(2, 'EPERM')
  await renameOver('a', 'b', { platform: 'win32', move })
  expect(calls()).toBe(3)
})

test('elsewhere, and for other reasons, a rename that fails is not tried again', async () => {
  const denied = failing(9, 'EACCES')
  await expect(renameOver('a', 'b', { platform: 'linux', move: denied.move })).rejects.toThrow(
    'EACCES',
  )
  const missing = failing(9, 'ENOENT')
  await expect(renameOver('a', 'b', { platform: 'win32', move: missing.move })).rejects.toThrow(
    'ENOENT',
  )
  expect([denied.calls(), missing.calls()]).toEqual([1, 1])
})
