/**
 * Compares searches with those of another commit, question by question in turn:
 *
 *   git worktree add ../before COMMIT && (cd ../before && npm ci && npm run build)
 *   CAIRN_BEFORE=../before npm run bench -- before
 */

import { resolve } from 'node:path'
import process from 'node:process'
import { pathToFileURL } from 'node:url'
import { openCairn } from '../dist/index.js'
import { batchesOf } from './lib/load.mjs'
import { compare, labelOf, round } from './lib/measure.mjs'
import { openRealCorpus } from './lib/real-corpus.mjs'
import { withTempFolder } from './lib/temp-folder.mjs'

const LIMIT = 10
const BATCH = 1000
/** How many times as long all modes together may take. */
const MOST = 1.15
const MODES = {
  hybrid: {},
  keyword: { mode: 'keyword' },
  semantic: { mode: 'semantic' },
  'hybrid, a filter that passes 1 %': { namespaces: ['rare'] },
  'keyword, a filter that nothing passes': { mode: 'keyword', namespaces: ['none'] },
}
/** The bar is for these: filters are shown beside them. */
const TOGETHER = ['hybrid', 'keyword', 'semantic']

const FULL = { size: 12_000, questions: 100, rounds: 7 }
const QUICK = { size: 2000, questions: 20, rounds: 3 }

export async function run({ quick = false, say = () => {}, ...given } = {}) {
  const { size, questions, rounds } = { ...(quick ? QUICK : FULL), ...given }
  const root = process.env.CAIRN_BEFORE
  const corpus = openRealCorpus()
  if (root === undefined || corpus === null) {
    say('left out: CAIRN_BEFORE names no built worktree, or the judged sets are not there')
    return { name: 'before', cases: [] }
  }
  const before = await import(pathToFileURL(resolve(root, 'dist/index.js')).href)
  return withTempFolder(async (folder) => {
    const fill = async (open, name) => {
      const cairn = await open({ file: `${folder}/${name}.cairn`, cache: false })
      for (const batch of batchesOf(corpus.records(size), BATCH)) await cairn.addMany(batch)
      return cairn
    }
    say(`adding ${size} records to each`)
    const sides = {
      ours: await fill(openCairn, 'now'),
      peer: await fill(before.openCairn, 'before'),
    }
    const asked = corpus.questions(questions)
    const cases = []
    const sums = { ours: 0, peer: 0 }
    for (const [mode, options] of Object.entries(MODES)) {
      say(mode)
      const least = await measureLeast(sides, { asked, rounds, options })
      if (TOGETHER.includes(mode)) {
        for (const side of ['ours', 'peer']) sums[side] += mean(least[side])
      }
      cases.push(describe(`${labelOf(size)} ${mode}`, least))
    }
    const all = describe(`${labelOf(size)} ${TOGETHER.join(', ')} together`, {
      ours: [sums.ours],
      peer: [sums.peer],
    })
    const met = sums.ours <= MOST * sums.peer
    cases.push({ ...all, bar: { says: `at most ${MOST} times as long`, met } })
    for (const cairn of Object.values(sides)) await cairn.close()
    return { name: 'before', cases }
  })
}

/** The least CPU time of every question: other programs add to all other rounds. */
async function measureLeast(sides, { asked, rounds, options }) {
  const least = { ours: asked.map(() => Infinity), peer: asked.map(() => Infinity) }
  for (let round = 0; round <= rounds; round++) {
    for (const [i, query] of asked.entries()) {
      for (const side of round % 2 === 0 ? ['ours', 'peer'] : ['peer', 'ours']) {
        const start = process.cpuUsage()
        await sides[side].search({ query, limit: LIMIT, ...options })
        const { user, system } = process.cpuUsage(start)
        least[side][i] = Math.min(least[side][i], (user + system) / 1000)
      }
    }
  }
  return least
}

function describe(label, { ours, peer }) {
  const one = compare(label, { ours, peer, peerName: 'the commit before, CPU time' })
  return { ...one, ratio: round(mean(peer) / mean(ours)) }
}

const mean = (samples) => samples.reduce((sum, ms) => sum + ms, 0) / samples.length
