import { expect, test } from 'vitest'
import type { SearchAnswer } from '../core/answer.js'
import { CairnError } from '../core/errors.js'
import type { EmbeddedQuery } from '../storage/vectors.js'
import { searchWithModel } from './search.js'

const forgotten = () => new CairnError('embedder_unavailable', { message: 'The model is gone.' })
const read = async (): Promise<EmbeddedQuery> => ({ kind: 'none', degraded: null })

/** An answer that tells how its question was read. */
async function answerBy(reader: typeof read): Promise<SearchAnswer> {
  const { degraded } = (await reader()) as { degraded: SearchAnswer['degraded'] }
  return { degraded } as SearchAnswer
}

test('[N10] a model that was forgotten in the middle is asked for anew', async () => {
  let tries = 0
  const { degraded } = await searchWithModel(read, async (reader) => {
    tries += 1
    if (tries < 3) throw forgotten()
    return answerBy(reader as typeof read)
  })
  expect({ tries, degraded }).toEqual({ tries: 3, degraded: null })
})

test('[A1, N10] where no model stays, the answer is by words and says so', async () => {
  const { degraded } = await searchWithModel(read, async (reader) => {
    if (reader === read) throw forgotten()
    return answerBy(reader as typeof read)
  })
  expect(degraded).toEqual({
    reason: 'embedder_unavailable',
    message: 'The model is gone. These are matches by words.',
  })
})

test('any other error is not tried again', async () => {
  let tries = 0
  const asked = searchWithModel(read, async () => {
    tries += 1
    throw new CairnError('locked', { message: 'Another program is writing.' })
  })
  await expect(asked).rejects.toMatchObject({ code: 'locked' })
  expect(tries).toBe(1)
})
