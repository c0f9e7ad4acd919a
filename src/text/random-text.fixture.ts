/** Generates texts of all scripts and character classes, for tests that compare tokens. */

import fc from 'fast-check'

function range(from: number, to: number): fc.Arbitrary<string> {
  return fc.integer({ min: from, max: to }).map((code) => String.fromCodePoint(code))
}

const character = fc.oneof(
  { weight: 6, arbitrary: range(0x20, 0x7e) },
  { weight: 4, arbitrary: range(0x61, 0x7a) },
  { weight: 4, arbitrary: range(0xa0, 0x24f) },
  range(0x250, 0x2ff),
  { weight: 3, arbitrary: range(0x300, 0x36f) },
  { weight: 2, arbitrary: range(0x370, 0x3ff) },
  { weight: 2, arbitrary: range(0x400, 0x52f) },
  range(0x1e00, 0x1fff),
  range(0x2000, 0x206f),
  range(0x3040, 0x30ff),
  range(0x4e00, 0x9fff),
  range(0xac00, 0xd7a3),
  range(0xff00, 0xffef),
  range(0x1f300, 0x1faff),
  range(0x1, 0xd7ff),
  range(0xe000, 0xffff),
  range(0x10000, 0x10ffff),
  fc.constantFrom(' ', '\n', '-', '_', '.', 'ing', 'ed', 'ness', 'ational', 's', 'y', '\u0301'),
)
export const randomText = fc.array(character, { maxLength: 40 }).map((parts) => parts.join(''))
