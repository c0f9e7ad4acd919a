/** A real input becomes a broken one, in the ways in which files and messages break. */

const PIECES = [
  '"',
  '{',
  '}',
  '[',
  ']',
  '\n',
  '\\',
  '\u0000',
  'null',
  'true',
  '-1e999',
  '---\n',
  '@',
  ',',
  ':',
  '<',
  '\ufeff',
  '💥',
  '\ud800',
]

/** Cuts, doubles, swaps and noise, a few of them at a time. */
export function mutateBytes(bytes, chance) {
  let changed = Buffer.from(bytes)
  for (let i = 1 + chance.below(4); i > 0; i--) changed = mutateOnce(changed, chance)
  return changed
}

function mutateOnce(bytes, chance) {
  const at = chance.below(bytes.length + 1)
  const length = chance.below(chance.pick([4, 40, 400]))
  const [before, cut, after] = [
    bytes.subarray(0, at),
    bytes.subarray(at, at + length),
    bytes.subarray(at + length),
  ]
  switch (chance.below(6)) {
    case 0:
      return Buffer.concat([before, after])
    case 1:
      return Buffer.concat([before, cut, cut, after])
    case 2:
      return Buffer.concat([before, Buffer.from(chance.pick(PIECES)), after])
    case 3:
      return Buffer.concat([
        before,
        Buffer.from(Array.from({ length: 8 }, () => chance.below(256))),
        after,
      ])
    case 4:
      return before
    default:
      return Buffer.concat([after, before])
  }
}

const ODD_VALUES = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e308,
  '',
  ' ',
  'x',
  '\u0000',
  '\ud800',
  'a'.repeat(5000),
  [],
  {},
  [[]],
  [null],
  { a: { b: {} } },
  '2026-13-45',
  '7d',
  'id:',
  '__proto__',
]

/** The value with one place in it changed, taken away or added. */
export function mutateValue(value, chance) {
  if (chance.share() < 0.2) return chance.pick(ODD_VALUES)
  if (Array.isArray(value)) {
    if (value.length === 0 || chance.share() < 0.3) return [...value, chance.pick(ODD_VALUES)]
    const at = chance.below(value.length)
    return value.map((one, i) => (i === at ? mutateValue(one, chance) : one))
  }
  if (value !== null && typeof value === 'object') {
    const keys = Object.keys(value)
    const key =
      keys.length === 0 || chance.share() < 0.2
        ? chance.pick(['id', 'query', 'limit', 'extra', '__proto__', ''])
        : chance.pick(keys)
    if (chance.share() < 0.2)
      return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key))
    return { ...value, [key]: mutateValue(value[key], chance) }
  }
  if (typeof value === 'string') return mutateBytes(Buffer.from(value), chance).toString()
  return chance.pick(ODD_VALUES)
}
