/** Advice and hits are correct while a record is superseded and after it is valid again. */

import { expect, test } from 'vitest'
import { libraryOf } from '../../test/support/library.js'

async function corrected() {
  const cairn = await libraryOf([])
  const older = await cairn.add({ body: 'We use tabs.', session: 'talk' })
  const newer = await cairn.add({ body: 'We use spaces.', session: 'talk' })
  await cairn.supersede(older.id, newer.id)
  return { cairn, older, newer }
}

test('[M7] a word that only superseded records have is missing unless they are included', async () => {
  const { cairn } = await corrected()
  const hidden = await cairn.search('we tabs nobodysaid', { mode: 'keyword' })
  expect(hidden.query.missingTerms).toEqual(['tabs', 'nobodysaid'])
  const shown = await cairn.search('we tabs nobodysaid', {
    mode: 'keyword',
    includeSuperseded: true,
  })
  expect(shown.query.missingTerms).toEqual(['nobodysaid'])
})

test('[M7] a restored record is found by its vector at once', async () => {
  const { cairn, older, newer } = await corrected()
  await cairn.links.remove({ from: newer.id, to: older.id })
  expect(await cairn.stats()).toMatchObject({ waiting: 0 })
  const { degraded, hits } = await cairn.search('tabs', { mode: 'semantic', threshold: 0 })
  expect(degraded).toBeNull()
  expect(hits.map(({ id }) => id)).toContain(older.id)
})
