/** A program runs in a process of its own, as another agent would, and what it said is known when it ends. */

import { spawn } from 'node:child_process'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

export const LIBRARY = new URL('../../dist/index.js', import.meta.url).href
const CHILDREN = new URL('../children/', import.meta.url)

/** A file of `children/`, told what to do by one JSON argument. */
export function startChild(name, task, { command = [] } = {}) {
  const path = fileURLToPath(new URL(`${name}.mjs`, CHILDREN))
  const [program, ...before] = [...command, process.execPath]
  const child = spawn(program, [...before, path, JSON.stringify({ ...task, library: LIBRARY })], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let out = ''
  let err = ''
  child.stdout.on('data', (part) => {
    out += part
  })
  child.stderr.on('data', (part) => {
    err += part
  })
  const done = new Promise((resolve) => {
    child.on('error', (error) => resolve({ code: null, out, err: String(error) }))
    child.on('close', (code, signal) => resolve({ code, signal, out, err }))
  })
  return { child, done, out: () => out }
}

/** Waits for the program, and gives what it printed as JSON. */
export async function askChild(name, task, options) {
  const { code, out, err } = await startChild(name, task, options).done
  if (code !== 0) throw new Error(`${name} ended with ${code}: ${err.slice(0, 500)}`)
  return JSON.parse(out)
}

export function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
