/** Every operation, with every option, is on each face, or a table of that face says why not. */

import { describe, expect, test } from 'vitest'
import { COMMANDS } from '../src/cli/commands.js'
import { NOT_ON_THE_COMMAND_LINE, WITHOUT_A_FLAG } from '../src/cli/left-out.js'
import { OPERATIONS, type OperationName } from '../src/operations/operations.js'

type Reasons = Readonly<Record<string, string | undefined>>

/** What a face offers, and what it leaves out with a reason. */
type Face = {
  readonly name: string
  /** The options with which the operation can be asked for there; null where it cannot. */
  readonly optionsOf: (operation: OperationName) => readonly string[] | null
  readonly leavesOut: Partial<Record<OperationName, string>>
  readonly leavesOutOf: Partial<Record<OperationName, Reasons>>
}

const COMMAND_LINE: Face = {
  name: 'the command line',
  optionsOf: (name) => {
    const command = COMMANDS.find(({ performs }) => performs?.includes(name))
    if (command === undefined) return null
    const { speech, performs } = command
    // An operation that only a flag of its own asks for takes what the flag is given.
    if (performs?.[0] !== name) return optionsOf(name)
    return optionsOf(name).filter((key) => (speech?.nameOf([key]) ?? null) !== null)
  },
  leavesOut: NOT_ON_THE_COMMAND_LINE,
  leavesOutOf: WITHOUT_A_FLAG,
}

const FACES: readonly Face[] = [COMMAND_LINE]

function optionsOf(name: OperationName): string[] {
  return Object.keys(OPERATIONS.find((one) => one.name === name)?.options ?? {})
}

describe.each(FACES.map((face) => [face.name, face] as const))('%s', (_, face) => {
  const { leavesOut, leavesOutOf } = face

  test('[M1] has every operation, or says why not', () => {
    const absent = OPERATIONS.filter(({ name }) => face.optionsOf(name) === null)
    expect(absent.map(({ name }) => name)).toEqual(Object.keys(leavesOut))
  })

  test('[M1] has every option of each, or says why not', () => {
    for (const { name } of OPERATIONS) {
      const there = face.optionsOf(name)
      if (there === null) continue
      const absent = optionsOf(name).filter((key) => !there.includes(key))
      const explained = Object.keys(leavesOutOf[name] ?? {})
      expect({ name, absent: absent.toSorted() }).toEqual({ name, absent: explained.toSorted() })
    }
  })

  test('gives a reason in words for what it leaves out', () => {
    const reasons = [...Object.values(leavesOutOf), leavesOut].flatMap((one) => Object.values(one))
    for (const reason of reasons) expect(reason).toMatch(/\w+ \w+ \w+/)
  })
})
