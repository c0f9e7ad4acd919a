/** The strongest key decides which stored work is meant; an import is planned without losing anything. */

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { listKeys, tidyWork } from './identities.js'
import { type KnownWork, matchWork, planImport } from './match-works.js'
import { anyWork, makeWork } from './works.fixture.js'

const SOME = makeWork({})
const known = (...identities: string[]) => ({ identities, work: SOME })

describe('matchWork', () => {
  test('the strongest key decides, and works that share another key are reported', () => {
    const byArxiv = known('arxiv:1')
    const byDoi = known('doi:a')
    expect(matchWork(SOME, ['doi:a', 'arxiv:1', 'title:t|1|x'], [byArxiv, byDoi])).toEqual({
      same: byDoi,
      others: [byArxiv],
      isUnclear: false,
    })
  })

  test('a title matches if no identifier differs', () => {
    const stored = known('doi:a', 'title:t|1|x')
    expect(matchWork(SOME, ['title:t|1|x'], [stored]).same).toBe(stored)
    expect(matchWork(SOME, ['arxiv:1', 'title:t|1|x'], [stored]).same).toBe(stored)
    expect(matchWork(SOME, ['doi:10.48550/arxiv.1', 'title:t|1|x'], [stored]).same).toBe(stored)
    expect(matchWork(SOME, ['doi:b', 'title:t|1|x'], [stored]).same).toBeNull()
    expect(
      matchWork(SOME, ['openalex:W1', 'title:t'], [known('openalex:W2', 'title:t')]).same,
    ).toBeNull()
  })

  test('a title that fits several is unclear, and an identifier is not', () => {
    const [one, two] = [known('doi:a', 'title:t'), known('doi:b', 'title:t')]
    expect(matchWork(SOME, ['title:t'], [one, two])).toMatchObject({ same: one, isUnclear: true })
    expect(matchWork(SOME, ['doi:b', 'title:t'], [one, two])).toEqual({
      same: two,
      others: [],
      isUnclear: false,
    })
  })

  test('a citation key alone never matches works', () => {
    expect(matchWork(SOME, ['key:k'], [known('key:k')]).same).toBeNull()
  })

  test('[L1] a talk and its article, each with a key and a venue of its own, are two works', () => {
    const talk = makeWork({ citationKey: 'a', venue: 'Proceedings of X' })
    const stored = { identities: ['title:t', 'key:a'], work: talk }
    const same = (citationKey: string | null, venue: string | null) =>
      matchWork(makeWork({ citationKey, venue }), ['title:t'], [stored]).same
    expect(same('b', 'Journal of Y')).toBeNull()
    expect(same('b', 'PROCEEDINGS of x')).toBe(stored)
    expect(same('a', 'Journal of Y')).toBe(stored)
    expect(same(null, 'Journal of Y')).toBe(stored)
    expect(same('b', null)).toBe(stored)
  })
})

const storable = anyWork
  .map(tidyWork)
  .filter((work) => listKeys(work).some((key) => !key.startsWith('key:')))
const shelf = fc.array(storable, { maxLength: 8 })

/** As if the plan had been written. */
function written(works: ReturnType<typeof planImport>['works']): KnownWork[] {
  return works.map(({ known, work, identities }, i) => ({
    id: known?.id ?? `new ${i}`,
    work,
    identities: [...identities],
    isSuperseded: known?.isSuperseded ?? false,
  }))
}

test('[L8] the same import again changes nothing and makes nothing', () => {
  fc.assert(
    fc.property(shelf, (incoming) => {
      const first = written(planImport([], incoming).works)
      const again = planImport(first, incoming)
      const states = new Set(again.outcomes.map(({ state }) => state))
      expect(states.has('created')).toBe(false)
      const settled = planImport(written(again.works), incoming)
      expect(settled.outcomes.every(({ state }) => state === 'unchanged')).toBe(true)
      expect(settled.works.map(({ work }) => work)).toEqual(again.works.map(({ work }) => work))
    }),
  )
})

test('[L8] works are recognised after an import in one call or one by one', () => {
  fc.assert(
    fc.property(shelf, (incoming) => {
      let known: KnownWork[] = []
      for (const work of incoming) known = written(planImport(known, [work]).works)
      expect(known.map(({ work }) => work)).toEqual(
        planImport([], incoming).works.map(({ work }) => work),
      )
    }),
  )
})

test('an incoming work removes nothing that is stored', () => {
  fc.assert(
    fc.property(storable, shelf, (stored, incoming) => {
      const known = {
        id: 'stored',
        work: stored,
        identities: listKeys(stored),
        isSuperseded: false,
      }
      const [after] = planImport([known], incoming).works
      expect(after?.work.title || stored.title).toBe(after?.work.title)
      expect(after?.work.tags).toEqual(expect.arrayContaining([...stored.tags]))
      for (const field of ['doi', 'openAlexId', 'arxivId', 'citationKey', 'venue'] as const) {
        if (stored[field] !== null) expect(after?.work[field]).toBe(stored[field])
      }
    }),
  )
})

test('a superseded work stays as it is, and is not created again', () => {
  fc.assert(
    fc.property(storable, storable, (stored, work) => {
      const known = { id: 'old', work: stored, identities: listKeys(stored), isSuperseded: true }
      const { works, outcomes } = planImport([known], [stored, work])
      expect(outcomes[0]).toMatchObject({ state: 'unchanged', changed: [] })
      expect(works[0]?.work).toBe(stored)
    }),
  )
})
