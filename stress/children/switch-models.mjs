/** Puts one model after the other in charge of a file, forgets the one before, and counts aloud, until it is killed. */

import process from 'node:process'

const { library, file, models, forget } = JSON.parse(process.argv[2])
const { openCairn } = await import(library)
const cairn = await openCairn({ file, busyTimeoutMs: 30_000 })
for (let i = 0; ; i++) {
  await cairn.embed(models[i % models.length])
  process.stdout.write('.')
  if (!forget) continue
  const { models: known } = await cairn.models()
  for (const { id } of known.filter(({ state }) => state !== 'active')) await cairn.removeModel(id)
}
