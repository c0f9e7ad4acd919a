/** Reads and writes results.json: the latest figures of every case, with the date, the machine and the command. */

import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, totalmem } from 'node:os'
import process from 'node:process'

export const RESULTS = new URL('../results.json', import.meta.url)
const BYTES_PER_GB = 1_073_741_824
/** Sizes that names of cases begin with: 500, 10k, 1M. */
const SIZE = /^(\d+(?:\.\d+)?)(k|M)?\b/
const FACTORS = { k: 1000, M: 1_000_000 }

/** Cases by benchmark: `{ keyword: [{ case, command, date, machine, ours, peer, ratio, bar?, metrics }] }`. */
export function readResults(file = RESULTS) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    if (error.code === 'ENOENT') return {}
    throw error
  }
}

export function keepResult({ name, cases }, command, file = RESULTS) {
  const measured = { command, date: new Date().toISOString().slice(0, 10), machine: thisMachine() }
  const all = mergeResult(readResults(file), { name, cases }, measured)
  writeFileSync(file, `${JSON.stringify(all, null, 2)}\n`)
}

/**
 * Replaces what the same command measured before, and cases that this one measured too. All others
 * stay, so that the page shows runs of 10k, 100k and 1M records together.
 */
export function mergeResult(all, { name, cases }, measured) {
  const isNew = new Set(cases.map(keyOf))
  const kept = (all[name] ?? []).filter(
    (one) => one.command !== measured.command && !isNew.has(keyOf(one)),
  )
  const added = cases.map(({ case: label, ...figures }) => ({
    case: label,
    ...measured,
    ...figures,
  }))
  const merged = { ...all, [name]: [...kept, ...added].sort((a, b) => sizeOf(a) - sizeOf(b)) }
  return Object.fromEntries(Object.entries(merged).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** The number of records at the start of a case's name; cases without one come last. */
export function sizeOf({ case: label }) {
  const [, number, unit] = SIZE.exec(label) ?? []
  return number === undefined ? Number.MAX_SAFE_INTEGER : Number(number) * (FACTORS[unit] ?? 1)
}

const keyOf = ({ case: label, peer }) => `${label} · ${peer?.name ?? ''}`

function thisMachine() {
  return {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    memoryGB: Math.round(totalmem() / BYTES_PER_GB),
    node: process.version,
  }
}
