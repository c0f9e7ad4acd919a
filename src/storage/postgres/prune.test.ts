import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compileAtLeast } from './prune.js'

const words = fc
  .array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 10 })
  .map((all) => all.sort((a, b) => b - a).map((points, i) => ({ query: `'w${i}'`, points })))

/** Whether a text with these words matches; null matches all. */
function matches(query: string | null, held: ReadonlySet<string>): boolean {
  if (query === null) return true
  const rule = query.replace(/'[^']*'/g, (word) => String(held.has(word)))
  return Boolean(Function(`return ${rule.replaceAll('/', '')}`)())
}

test('a text is left out only where its words cannot have enough points together', () => {
  fc.assert(
    fc.property(
      words,
      fc.integer({ min: 1, max: 200 }),
      fc.infiniteStream(fc.boolean()),
      (all, least, holds) => {
        const held = all.filter(() => holds.next().value)
        const query = compileAtLeast(all, least)
        const sum = held.reduce((points, word) => points + word.points, 0)
        const isFound = matches(query, new Set(held.map((word) => word.query)))
        if (sum >= least) expect(isFound).toBe(true)
        else if (all.length < 7) expect(isFound).toBe(false)
      },
    ),
  )
})
