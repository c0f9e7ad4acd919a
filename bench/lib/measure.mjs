/** Times contenders in turn, so that load on the machine affects all of them. */

import { performance } from 'node:perf_hooks'
import process from 'node:process'

const BYTES_PER_MB = 1_048_576

export function median(samples) {
  return quantile(samples, 0.5)
}

export function p95(samples) {
  return quantile(samples, 0.95)
}

/** Linear between the two nearest samples. */
export function quantile(samples, share) {
  if (samples.length === 0) return Number.NaN
  const sorted = Float64Array.from(samples).sort()
  const place = (sorted.length - 1) * share
  const low = Math.floor(place)
  const high = Math.ceil(place)
  return sorted[low] + (sorted[high] - sorted[low]) * (place - low)
}

/** Milliseconds as `{ medianMs, p95Ms }`. */
export function summarise(samples) {
  return { medianMs: round(median(samples)), p95Ms: round(p95(samples)) }
}

/** Four significant digits: more would be noise. */
export function round(value) {
  return Number.isFinite(value) ? Number(value.toPrecision(4)) : null
}

/**
 * Gives every input to every contender in turn; their order is reversed every round.
 * @param contenders functions by name, each called with one input; promises are awaited
 * @returns milliseconds by name, one per input and round
 */
export async function race(contenders, inputs, { rounds = 5, warmUp = 1 } = {}) {
  const names = Object.keys(contenders)
  const samples = Object.fromEntries(names.map((name) => [name, []]))
  for (let round = -warmUp; round < rounds; round++) {
    const order = round % 2 === 0 ? names : names.toReversed()
    for (const input of inputs) {
      for (const name of order) {
        const ms = await time(() => contenders[name](input))
        if (round >= 0) samples[name].push(ms)
      }
    }
  }
  return samples
}

export async function time(work) {
  const start = performance.now()
  const result = work()
  if (result instanceof Promise) await result
  return performance.now() - start
}

/** A case of the shape that `--json` prints; `ratio` is how many times faster ours is. */
export function compare(name, { ours, peer, peerName, metrics = {} }) {
  return {
    case: name,
    ours: summarise(ours),
    peer: { name: peerName, ...summarise(peer) },
    ratio: round(median(peer) / median(ours)),
    metrics,
  }
}

/** A number of records as cases name it: 500, 10k, 1M. */
export function labelOf(count) {
  if (count >= 1_000_000) return `${count / 1_000_000}M`
  return count >= 1000 ? `${count / 1000}k` : String(count)
}

export function memoryMB() {
  return Math.round(process.memoryUsage().rss / BYTES_PER_MB)
}

/** Writes progress to standard error; standard output is for the results. */
export function say(sentence) {
  process.stderr.write(`${sentence}\n`)
}
