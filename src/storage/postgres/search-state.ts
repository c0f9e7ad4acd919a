/** What a search reads before it begins, and what its snapshot takes to be still so. */

import type { SearchState } from '../storage.js'
import { anySuperseded } from './revisions.js'
import type { Runner, Runners } from './runner.js'
import type { Statements } from './statements.js'
import { readActiveModel } from './vectors-models.js'
import { readGaps } from './vectors-table.js'
import type { WordCounts } from './word-counts.js'

type SnapshotWork<T> = (
  runners: Runners,
  isCut: () => boolean,
  anySuperseded: () => Promise<boolean>,
) => Promise<T>

export function createSearchState(runner: Runner, counts: WordCounts) {
  let hasSuperseded: boolean | null = null

  return {
    async read(statements: Statements, namespace: string | null): Promise<SearchState> {
      const [version, active, gaps, superseded] = await Promise.all([
        runner.readVersion(statements),
        readActiveModel(statements),
        readGaps(statements, namespace),
        anySuperseded(statements),
      ])
      hasSuperseded = superseded
      counts.noteVersion(version)
      return {
        version: async () => version,
        active: async () => active,
        gaps: async () => gaps,
      }
    },

    /** Assumes that what was superseded is as in the last search, checks it at the same time, and repeats the work if it is not. */
    async withSnapshot<T>(timeLimitMs: number | null, work: SnapshotWork<T>): Promise<T> {
      for (;;) {
        const assumed = hasSuperseded
        const { outcome, superseded } = await runner.withSnapshot(
          timeLimitMs,
          async (runners, isCut) => {
            const checked = runners.run(anySuperseded)
            // It is awaited below; the work may fail before.
            checked.catch(() => {})
            const outcome = await work(runners, isCut, async () => assumed ?? checked)
            return { outcome, superseded: await checked }
          },
        )
        hasSuperseded = superseded
        if (superseded === (assumed ?? superseded)) return outcome
      }
    },
  }
}
