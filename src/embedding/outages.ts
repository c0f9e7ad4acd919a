/** Records for a minute that a remote model did not answer, for this process and later ones. */

import { hash } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const OUTAGE_MS = 60_000

type OutageOptions = {
  /** The path of the Cairn file. Outages are recorded per file. */
  readonly file: string
  /** The folder for the records; null keeps them in this process only. */
  readonly folder: string | null
  readonly now: () => number
}

export type Outages = ReturnType<typeof createOutages>

/** In all methods, `model` identifies the model and its address. */
export function createOutages({ file, folder, now }: OutageOptions) {
  const untilMs = new Map<string, number>()
  const findPath = (model: string): string | null =>
    folder && join(folder, `cairn-outage-${hash('sha1', `${file} ${model}`)}`)

  const readPath = (path: string | null): number => {
    if (path === null) return 0
    try {
      return Number(readFileSync(path, 'utf8')) || 0
    } catch {
      return 0
    }
  }

  return {
    /** Returns the time until the model may be called again; 0 if it may be called now. */
    leftMs(model: string): number {
      const until = Math.max(untilMs.get(model) ?? 0, readPath(findPath(model)))
      const left = until - now()
      return left > 0 && left <= OUTAGE_MS ? left : 0
    },
    begin(model: string): void {
      const until = now() + OUTAGE_MS
      untilMs.set(model, until)
      const path = findPath(model)
      if (path === null) return
      try {
        // Other users may write to this folder. Never follow a link that they may have put there.
        rmSync(path, { force: true })
        writeFileSync(path, String(until), { flag: 'wx', mode: 0o600 })
      } catch {
        // The record is optional: without it, the next process waits for its own time-out.
      }
    },
    /** Removes the record after the model has answered. */
    end(model: string): void {
      untilMs.delete(model)
      const path = findPath(model)
      if (path !== null) rmSync(path, { force: true })
    },
  }
}
