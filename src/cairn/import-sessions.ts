/** Every conversation of a source is known with its title, its first and its last moment. */

import type { RecordEntry } from '../import/importer.js'
import type { ImportedSession } from '../storage/imports.js'

/** Gathers them while their turns go by. */
export class ImportSessions {
  readonly #namespace: string
  readonly #sessions = new Map<string, ImportedSession>()

  constructor(namespace: string) {
    this.#namespace = namespace
  }

  get all(): readonly ImportedSession[] {
    return [...this.#sessions.values()]
  }

  note({ session, record }: RecordEntry, atMs: number | null): void {
    if (session === undefined) return
    const { id, title, startedAt, endedAt } = session
    const known = this.#sessions.get(id)
    this.#sessions.set(id, {
      id,
      namespace: known?.namespace ?? record.namespace ?? this.#namespace,
      title: title ?? known?.title ?? null,
      startedAtMs: edge(Math.min, [known?.startedAtMs, readMs(startedAt), atMs]),
      endedAtMs: edge(Math.max, [known?.endedAtMs, readMs(endedAt), atMs]),
      owner: null,
      metadata: {},
    })
  }
}

function readMs(at: string | null): number | null {
  return at === null ? null : Date.parse(at)
}

function edge(
  which: (...times: number[]) => number,
  times: readonly (number | null | undefined)[],
): number | null {
  const known = times.filter((time) => typeof time === 'number')
  return known.length === 0 ? null : which(...known)
}
