/** Compares following citations with a search that returns as many works, on a set with real citations. */

import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { openCairn } from '../dist/index.js'
import { compare, memoryMB, round, time } from './lib/measure.mjs'
import { withTempFolder } from './lib/temp-folder.mjs'

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))
const JUDGED_SET = join('eval', 'cacm')
const PEER = 'hybrid search of the same size'
const DEPTHS = [1, 2]
const MAX_WORKS = 100

export async function run({ quick = false, say = () => {} } = {}) {
  const set = readSet(say)
  if (set === null) return { name: 'explore', cases: [] }
  const queries = quick ? set.queries.slice(0, 10) : set.queries
  return withTempFolder(async (folder) => {
    const cairn = await openCairn({ file: join(folder, 'cacm.cairn'), cache: false })
    try {
      say(`importing ${set.works.length} works and ${set.citations.length} citations`)
      const load = await loadSet(cairn, set)
      const cases = []
      for (const depth of DEPTHS) {
        say(`depth ${depth}: ${queries.length} queries`)
        const measured = await measureDepth(cairn, queries, depth)
        Object.assign(measured.metrics, load, { memoryMB: memoryMB() })
        cases.push(measured)
      }
      return { name: 'explore', cases }
    } finally {
      await cairn.close()
    }
  })
}

async function loadSet(cairn, { works, citations }) {
  const importMs = await time(() => cairn.works.import(works))
  await cairn.works.addCitations(citations)
  return { works: works.length, worksPerSecond: round((works.length / importMs) * 1000) }
}

async function measureDepth(cairn, queries, depth) {
  const samples = { ours: [], peer: [] }
  const each = []
  for (const { text, relevant } of queries) {
    let explored
    let plain
    const explore = async () => {
      explored = await cairn.explore({ query: text }, { depth, maxWorks: MAX_WORKS })
    }
    samples.ours.push(await time(explore))
    const limit = Math.max(1, explored.nodes.length)
    const search = async () => {
      plain = await cairn.search(text, { kinds: 'work', limit, highlight: false })
    }
    samples.peer.push(await time(search))
    // Both together return more works than either, so they are compared with a search of that size.
    const union = new Set([...explored.nodes, ...plain.hits].map(({ id }) => id)).size
    const deeper = await cairn.search(text, { kinds: 'work', limit: Math.max(1, union) })
    const names = await namesOf(cairn, explored, deeper)
    each.push(judge({ explored, plain, deeper }, { relevant, names }))
  }
  const mean = (value) => round(each.reduce((sum, one) => sum + value(one), 0) / each.length)
  const total = (value) => each.reduce((sum, one) => sum + value(one), 0)
  const metrics = {
    queries: each.length,
    judged: total((one) => one.relevant),
    meanWorks: mean((one) => one.works),
    found: total((one) => one.explored),
    peerFound: total((one) => one.plain),
    foundOnlyByExploring: total((one) => one.onlyExplored),
    foundOnlyByPeer: total((one) => one.onlyPlain),
    foundByEither: total((one) => one.either),
    peerFoundAtThatSize: total((one) => one.deeper),
    recall: mean((one) => one.explored / one.relevant),
    peerRecall: mean((one) => one.plain / one.relevant),
    recallOfEither: mean((one) => one.either / one.relevant),
    peerRecallAtThatSize: mean((one) => one.deeper / one.relevant),
    betterQueries: each.filter((one) => one.explored > one.plain).length,
    worseQueries: each.filter((one) => one.explored < one.plain).length,
  }
  return compare(`depth ${depth}`, { ...samples, peerName: PEER, metrics })
}

/** The document of the set for each id. */
async function namesOf(cairn, explored, deeper) {
  const ids = [...explored.nodes, ...deeper.hits].map(({ id }) => id)
  const { records } = await cairn.get([...new Set(ids)])
  return new Map(records.map(({ id, work }) => [id, work.citationKey]))
}

function judge({ explored, plain, deeper }, { relevant, names }) {
  const among = (list) =>
    new Set(list.map(({ id }) => names.get(id)).filter((name) => relevant.has(name)))
  const [byHops, bySearch] = [among(explored.nodes), among(plain.hits)]
  return {
    works: explored.nodes.length,
    relevant: relevant.size,
    explored: byHops.size,
    plain: bySearch.size,
    onlyExplored: [...byHops].filter((name) => !bySearch.has(name)).length,
    onlyPlain: [...bySearch].filter((name) => !byHops.has(name)).length,
    either: new Set([...byHops, ...bySearch]).size,
    deeper: among(deeper.hits).size,
  }
}

/** Null, with a message, where the folder of judged sets is missing. */
function readSet(say) {
  const bases = [process.env.CAIRN_SHARED, join(ROOT, '..', 'shared')].filter(Boolean)
  const folder = bases.map((base) => join(base, JUDGED_SET)).find((path) => existsSync(path))
  if (folder === undefined) {
    say(`nothing to measure: the folder ${JUDGED_SET} is not there`)
    return null
  }
  const lines = (name) => readFileSync(join(folder, name), 'utf8').trim().split('\n')
  const rows = (name) =>
    lines(name)
      .slice(1)
      .map((line) => line.split('\t'))
  const judged = new Map()
  for (const [query, document, score] of rows('qrels.tsv')) {
    if (Number(score) > 0) judged.set(query, (judged.get(query) ?? new Set()).add(document))
  }
  return {
    works: lines('corpus.jsonl').map((line) => toWork(JSON.parse(line))),
    queries: lines('queries.jsonl')
      .map((line) => JSON.parse(line))
      .filter(({ _id }) => judged.has(_id))
      .map(({ _id, text }) => ({ text, relevant: judged.get(_id) })),
    // The links have no direction, so each is stored both ways.
    citations: rows('citation_links.tsv').flatMap(([a, b]) => [
      { from: `key:${a}`, to: `key:${b}` },
      { from: `key:${b}`, to: `key:${a}` },
    ]),
  }
}

/** Titles repeat in this set; a number as OpenAlex gives them tells its documents apart. */
function toWork({ _id, title, text, metadata }) {
  const year = /\b(19\d\d)\b/.exec(metadata?.date ?? '')?.[1]
  return {
    title,
    abstract: text === '' ? null : text,
    openAlexId: `W${_id}`,
    citationKey: _id,
    year: year === undefined ? null : Number(year),
  }
}
