/** Another program changes texts, and the old ones are added again: each is stored, and a repair renews the hashes. */

import { join } from 'node:path'
import Database from 'better-sqlite3'
import { createChance } from './lib/chance.mjs'
import { expectSound } from './lib/checks.mjs'
import { LIBRARY } from './lib/children.mjs'

export const about = 'another program changes texts, and the texts from before are added again'
export const seconds = 10
export const tell = ({ changed, added, repairs }) =>
  `${changed} texts changed by another program, ${added} added again and found, ${repairs} repairs`

const RECORDS = 50

export async function run({ seconds: lasting, seed, folder, problem }) {
  const { openCairn } = await import(LIBRARY)
  const chance = createChance(seed)
  const figures = { changed: 0, added: 0, repairs: 0 }
  const until = performance.now() + lasting * 1000
  for (let round = 0; round === 0 || performance.now() < until; round++) {
    const file = join(folder, `${round}.cairn`)
    const cairn = await openCairn({ file, vectors: false })
    const texts = Array.from({ length: RECORDS }, (_, i) => ({
      body: `text${i} of round${round}`,
      ...(chance.share() < 0.5 && { title: `title ${i}` }),
    }))
    await cairn.addMany(texts)
    const raw = new Database(file)
    const change = raw.prepare('UPDATE records SET body = ? WHERE body = ?')
    const chosen = texts.filter(() => chance.share() < 0.3)
    for (const { body } of chosen) figures.changed += change.run(`changed ${body}`, body).changes
    raw.close()
    const check = (await cairn.doctor()).checks.find(({ name }) => name === 'hashes')
    if (check.ok !== (chosen.length === 0)) problem(`doctor says of the hashes: ${check.detail}`)
    for (const text of texts) {
      const isGone = chosen.includes(text)
      if ((await cairn.add(text)).created !== isGone)
        problem(`"${text.body}" was ${isGone ? 'not ' : ''}stored`)
      const { hits } = await cairn.search(`"${text.body}"`, { mode: 'keyword', match: 'all' })
      if (!hits.some(({ record }) => record.body === text.body))
        problem(`"${text.body}" is not found`)
      if (isGone) figures.added += 1
    }
    await cairn.doctor({ repair: true })
    figures.repairs += 1
    await expectSound(cairn, 'after the repair', problem)
    for (const { body, title } of chosen) {
      const again = await cairn.add({
        body: `changed ${body}`,
        ...(title !== undefined && { title }),
      })
      if (again.created) problem(`"changed ${body}" was stored twice after the repair`)
    }
    await cairn.close()
  }
  return figures
}
