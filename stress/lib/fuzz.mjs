/** Inputs are tried one after the other; each is answered, refused in a sentence or named as a problem. */

import process from 'node:process'
import { attempt } from './attempt.mjs'
import { createChance } from './chance.mjs'
import { pause, startChild } from './children.mjs'

/**
 * Longer than that is a hang, if every try takes as long: the machine may have been busy with something else. Of what runs in
 * this process, processor time counts; where it waits for ever, it is silent.
 */
const HANG_MS = 2000
const TRIES = 5
/** A program that says nothing for so long does not come back. */
const SILENCE_MS = 120_000
const SHOWN = 300

/**
 * @param tryOne Answers, or rejects with a CairnError; whatever else it rejects with is a problem.
 * @param now milliseconds; default: by the clock
 */
export async function tryInputs({
  seconds,
  seed,
  inputs,
  tryOne,
  problem,
  onTried = () => {},
  now = () => performance.now(),
}) {
  const chance = createChance(seed)
  const timed = async (operation) => {
    const begun = now()
    const outcome = await attempt(operation)
    return { outcome, tookMs: now() - begun }
  }
  const figures = { inputs: 0, refused: 0, slowestMs: 0 }
  const start = performance.now()
  while (performance.now() - start < seconds * 1000) {
    const input = inputs(chance)
    let { outcome, tookMs } = await timed(() => tryOne(input))
    for (let tries = 1; tookMs > HANG_MS && tries < TRIES; tries++)
      ({ outcome, tookMs } = await timed(() => tryOne(input)))
    figures.inputs += 1
    figures.slowestMs = Math.max(figures.slowestMs, Math.round(tookMs))
    if (tookMs > HANG_MS)
      problem(`input ${figures.inputs} took ${Math.round(tookMs)} ms: ${show(input)}`)
    if ('code' in outcome) {
      figures.refused += 1
      if (outcome.code === null)
        problem(`input ${figures.inputs}: ${outcome.message}: ${show(input)}`)
    }
    onTried(figures.inputs)
  }
  const perSecond = Math.round(figures.inputs / ((performance.now() - start) / 1000))
  return { ...figures, perSecond }
}

/** The figures of `tryInputs` as words; `of` gives one by its name. */
export function tellInputs(of) {
  return `${of('inputs')} inputs, ${of('perSecond')} a second, ${of('refused')} refused, the slowest took ${of('slowestMs')} ms`
}

function show(input) {
  return JSON.stringify(input, (_, value) =>
    Buffer.isBuffer(value) ? value.toString() : value,
  ).slice(0, SHOWN)
}

/** For what runs inside of this process: a process of its own may crash or never come back, and that is told. */
export async function fuzzInChild(name, { seconds, seed, folder, problem, url }) {
  const child = startChild(name, { seconds, seed, folder, url })
  let heard = performance.now()
  child.child.stderr.on('data', () => {
    heard = performance.now()
  })
  let ended = null
  void child.done.then((how) => {
    ended = how
  })
  while (ended === null) {
    await pause(50)
    if (performance.now() - heard < SILENCE_MS) continue
    child.child.kill('SIGKILL')
    problem(`it hung; --seed ${seed} brings it about again`)
  }
  if (ended.code !== 0) {
    problem(
      `the process ended with ${ended.code ?? ended.signal}: ${ended.err.replace(/^\.+/, '').slice(-1500)}`,
    )
    return {}
  }
  const { figures, problems } = JSON.parse(ended.out)
  for (const sentence of problems) problem(sentence)
  return figures
}

/** The other end of `fuzzInChild`: says that it is alive, and at last what it found. */
export async function tellFigures(run) {
  const problems = []
  let told = performance.now()
  const onTried = () => {
    if (performance.now() - told < 1000) return
    told = performance.now()
    process.stderr.write('.')
  }
  process.stderr.write('.')
  const now = () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1000
  }
  const figures = await run({ problem: (sentence) => problems.push(sentence), onTried, now })
  process.stdout.write(JSON.stringify({ figures, problems: problems.slice(0, 50) }))
}
