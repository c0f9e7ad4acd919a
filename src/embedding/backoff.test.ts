import { expect, test } from 'vitest'
import type { EmbeddedRecords } from '../storage/vectors.js'
import { type BatchEmbedder, withBackoff } from './backoff.js'

const VECTORS = { model: {}, vectors: [] } as unknown as EmbeddedRecords
const TEXT = { title: null, body: 'a text', sessionId: null }

/** A model that answers as configured, and counts its calls. */
function modelThat(answers: () => boolean) {
  const asked = { read: 0, settle: 0 }
  const model: BatchEmbedder = {
    embedTexts: async () => {
      asked.read += 1
      return answers() ? VECTORS : null
    },
    embedPending: async () => {
      asked.settle += 1
      return answers()
    },
  }
  return { model, asked }
}

async function writeBatches(reader: BatchEmbedder, count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    if ((await reader.embedTexts([TEXT])) !== null) await reader.embedPending(1)
  }
}

test('[A1] a working model is called for every batch', async () => {
  const { model, asked } = modelThat(() => true)
  await writeBatches(withBackoff(model), 10)
  expect(asked).toEqual({ read: 10, settle: 10 })
})

test('[A1] a failing model is called less and less often, and once per batch', async () => {
  const { model, asked } = modelThat(() => false)
  await writeBatches(withBackoff(model), 100)
  // Batches 1, 3, 7, 15, 31 and 63, counted from 1.
  expect(asked).toEqual({ read: 6, settle: 0 })
})

test('[A1] a model that works again is called for every batch again', async () => {
  let isUp = false
  const { model, asked } = modelThat(() => isUp)
  const reader = withBackoff(model)
  await writeBatches(reader, 1)
  isUp = true
  await writeBatches(reader, 9)
  expect(asked).toEqual({ read: 9, settle: 8 })
})

test('[A1] failures with turns of a session, which are embedded after they are stored, count too', async () => {
  const { model, asked } = modelThat(() => false)
  const turnsOnly: BatchEmbedder = {
    embedTexts: async () => VECTORS,
    embedPending: model.embedPending,
  }
  await writeBatches(withBackoff(turnsOnly), 7)
  expect(asked.settle).toBe(3)
})

test('[A1] failures of overlapping batches count once, and then the model gets one batch at a time', async () => {
  const { model, asked } = modelThat(() => false)
  const reader = withBackoff(model)
  const readTwo = () => Promise.all([reader.embedTexts([TEXT]), reader.embedTexts([TEXT])])
  await readTwo()
  expect(asked.read).toBe(2)
  // The first batch is skipped, so the model gets only the second.
  await readTwo()
  expect(asked.read).toBe(3)
  await reader.embedTexts([TEXT])
  await readTwo()
  await readTwo()
  expect(asked.read).toBe(4)
})
