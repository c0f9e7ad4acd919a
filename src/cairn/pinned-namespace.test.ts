import { expect, test } from 'vitest'
import { temporaryFile } from '../../test/support/library.js'
import { openCairn } from '../index.js'

const FAKE = { vectors: { provider: 'fake', dimensions: 24 } } as const
const SECRET = 'xylophone'

test('[A5] a library pinned to a namespace reveals nothing of any other, however they are linked', async () => {
  const file = temporaryFile()
  const open = await openCairn({ file, ...FAKE })
  await open.sessions.start({ id: 'theirs', namespace: 'b' })
  const inside = await open.add({ body: 'the heron stands', namespace: 'a', createdIn: 'theirs' })
  const own = await open.add({ body: 'the heron flies', namespace: 'a' })
  const outside = await open.add({ body: `heron ${SECRET} one`, title: SECRET, namespace: 'b' })
  const newer = await open.add({ body: `heron ${SECRET} two`, namespace: 'b', session: 'theirs' })
  const fact = { subject: 'heron', predicate: 'is' }
  await open.facts.add({ record: own.id, ...fact, object: 'grey' })
  await open.facts.add({ record: newer.id, ...fact, object: SECRET })
  await open.links.add({ from: own.id, to: outside.id, note: SECRET })
  await open.links.add({ from: outside.id, to: own.id, type: 'CONTRADICTS', note: SECRET })
  await open.supersede(inside.id, newer.id)
  await open.search(`heron ${SECRET}`, { recallSession: 'theirs' })
  await open.sessions.end('theirs', { summary: `a summary with ${SECRET}` })
  await open.lenses.save('theirs', { namespaces: 'b' })
  await open.close()

  const pinned = await openCairn({ file, ...FAKE, namespace: 'a', pinned: true })
  await pinned.lenses.save('wide', { includeSuperseded: true })
  const told: unknown[] = []
  for (const mode of ['keyword', 'semantic', 'hybrid'] as const) {
    for (const more of [{}, { asOf: Date.now() }, { lens: 'wide' }]) {
      const options = { mode, includeSuperseded: true, facets: true, threshold: -1, ...more }
      const answer = await pinned.search('heron', { ...options, explain: true, context: 3 })
      expect(new Set(answer.hits.map(({ id }) => id))).toEqual(new Set([inside.id, own.id]))
      told.push(answer)
    }
  }
  await expect(pinned.search('heron', { lens: 'theirs' })).rejects.toMatchObject({
    code: 'bad_input',
  })
  await expect(pinned.search('heron', { recallSession: 'theirs' })).rejects.toMatchObject({
    code: 'not_found',
  })
  for (const id of [inside.id, own.id]) {
    told.push(await pinned.why(id), await pinned.links.of(id), await pinned.history(id))
    told.push(await pinned.similar(own.id, { threshold: -1, includeSuperseded: true }))
    told.push(await pinned.timeline({ anchor: id }), await pinned.sessionContext(id))
  }
  told.push(await pinned.replay(), await pinned.sessions.list(), await pinned.timeline())
  told.push(await pinned.facts.list(), await pinned.facts.list({ contradictions: true }))
  told.push(await pinned.list({ includeSuperseded: true }), await pinned.get([outside.id]))
  for (const refused of [
    () => pinned.why(outside.id),
    () => pinned.links.of(outside.id),
    () => pinned.links.add({ from: own.id, to: outside.id }),
    () => pinned.supersede(own.id, outside.id),
    () => pinned.timeline({ anchor: outside.id }),
    () => pinned.sessions.show('theirs'),
    () => pinned.facts.list({ records: outside.id }),
    () => pinned.undo(outside.id),
    () => pinned.reinforce([outside.id]),
  ]) {
    await expect(refused()).rejects.toMatchObject({ code: 'not_found' })
  }
  for (const one of told) expect(JSON.stringify(one)).not.toContain(SECRET)
  await pinned.close()
})
