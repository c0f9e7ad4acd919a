/** Remembers for a minute that a remote model did not answer, also for the processes that follow. */

import { hash } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export const OUTAGE_MS = 60_000

export type OutageOptions = {
  /** Of the Cairn file; another file asks for itself. */
  readonly file: string
  /** Where it is remembered; null: by this process alone. */
  readonly folder: string | null
  readonly now: () => number
}

export type Outages = ReturnType<typeof createOutages>

/** `model` says which model at which address. */
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
    /** Until the model is asked again; 0 where it may be asked now. */
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
        // Others may write to this folder: nothing that they have put there is written through.
        rmSync(path, { force: true })
        writeFileSync(path, String(until), { flag: 'wx', mode: 0o600 })
      } catch {
        // Then the next process waits once more.
      }
    },
    /** The model has answered. */
    end(model: string): void {
      untilMs.delete(model)
      const path = findPath(model)
      if (path !== null) rmSync(path, { force: true })
    },
  }
}
