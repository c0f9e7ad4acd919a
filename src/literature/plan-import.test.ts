import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type KnownWork, planImport } from './plan-import.js'
import { listKeys } from './same-work.js'
import { tidyWork } from './tidy-work.js'
import { anyWork } from './works.fixture.js'

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

test('[L8] in one call or one by one, what comes in is known afterwards', () => {
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

test('nothing that is stored is lost to what comes in', () => {
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

test('what another has taken the place of stays as it is, and is not made again', () => {
  fc.assert(
    fc.property(storable, storable, (stored, work) => {
      const known = { id: 'old', work: stored, identities: listKeys(stored), isSuperseded: true }
      const { works, outcomes } = planImport([known], [stored, work])
      expect(outcomes[0]).toMatchObject({ state: 'unchanged', changed: [] })
      expect(works[0]?.work).toBe(stored)
    }),
  )
})
