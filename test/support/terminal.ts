/** A test types command lines as a person would, and compares what they print with what is written down. */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { CliContext } from '../../src/cli/command.js'
import { runCli } from '../../src/cli/run.js'

export const NOW = Date.UTC(2026, 5, 15, 12)
const GOLDEN = join(import.meta.dirname, '../golden')

export type Ran = { readonly code: number; readonly out: string; readonly err: string }

/** A command line in this process, with a world of its own. */
export function terminal(file: string, world: Partial<CliContext> = {}) {
  return async (...args: string[]): Promise<Ran> => {
    let out = ''
    let err = ''
    const code = await runCli(args, {
      env: { CAIRN_DB: file },
      folder: '/nowhere',
      home: '/nowhere',
      platform: 'linux',
      columns: 100,
      isTerminal: false,
      readStdin: null,
      confirm: null,
      now: () => NOW,
      stopSignal: () => new AbortController().signal,
      writeOut: (text) => {
        out += text
      },
      outDrained: async () => {},
      writeError: (text) => {
        err += text
      },
      ...world,
    })
    return { code, out, err }
  }
}

/** What a command prints with `--json`; it must not fail. */
export function jsonOf(run: ReturnType<typeof terminal>) {
  return async <T = Record<string, unknown>>(...args: string[]): Promise<T> => {
    const { code, out, err } = await run(...args, '--json')
    expect({ args, code, err }).toEqual({ args, code: 0, err: '' })
    return JSON.parse(out) as T
  }
}

export const stdin = (text: string) => async (): Promise<Uint8Array> =>
  new TextEncoder().encode(text)

/** `UPDATE_GOLDEN=1` writes the text down instead. */
export function golden(name: string, text: string): void {
  const file = join(GOLDEN, name)
  if (process.env.UPDATE_GOLDEN) {
    mkdirSync(GOLDEN, { recursive: true })
    writeFileSync(file, text)
  }
  expect(text).toBe(existsSync(file) ? readFileSync(file, 'utf8') : '(no golden file)')
}

/**
 * Ids and milliseconds differ from run to run; names are given to ids in the order they appear. Ids that share their
 * beginning are shown longer, so the room behind one differs too.
 */
export function steady(text: string): string {
  const names = new Map<string, string>()
  const timeless = text.replace(/\d+\.\d ms/g, 'N ms').replace(/^(took +).*$/gm, '$1N')
  return timeless.replace(/\b(01[0-9A-Z]{6,})\b( *)/g, (_, id, gap) => {
    const known = [...names].find(([other]) => other.startsWith(id) || id.startsWith(other))
    const name = known?.[1] ?? `ID${names.size + 1}`
    if (known === undefined) names.set(id, name)
    return `${name}${gap.slice(0, 2)}`
  })
}
