/** Long work shows how far it is on a terminal, and nothing on a pipe. */

import type { CliContext } from '../command.js'

const BAR_COLUMNS = 24
const EVERY_MS = 100

/** Without a total only what is done can be told. */
export type Progress = { show(done: number, total: number | null): void; end(): void }

export function createProgress(cli: CliContext, unit: string | (() => string)): Progress {
  if (!cli.isTerminal) return { show: () => {}, end: () => {} }
  const started = cli.now()
  let first: number | null = null
  let shownAt = 0
  return {
    show(done, total) {
      const now = cli.now()
      first ??= done
      if (now - shownAt < EVERY_MS && done !== total) return
      shownAt = now
      const state = { done, total, fresh: done - first, ms: now - started }
      const named = { ...state, unit: typeof unit === 'string' ? unit : unit() }
      cli.writeError(`\r\u001b[K${progressLine(named)}`)
    },
    end: () => cli.writeError('\r\u001b[K'),
  }
}

/** `fresh` is what was done in these `ms`: work done before an interruption says nothing about the rate. */
export function progressLine(state: {
  readonly done: number
  readonly total: number | null
  readonly unit: string
  readonly fresh: number
  readonly ms: number
}): string {
  const { done, total, unit, fresh, ms } = state
  const rate = ms > 0 ? (fresh / ms) * 1000 : 0
  if (total === null) return `${done} ${unit} · ${Math.round(rate)}/s`
  const share = total === 0 ? 1 : Math.min(1, done / total)
  const bar = '█'.repeat(Math.round(share * BAR_COLUMNS)).padEnd(BAR_COLUMNS, '░')
  const left = rate > 0 ? ` · ${showSeconds((total - done) / rate)} left` : ''
  return `${bar} ${done} of ${total} ${unit} · ${Math.round(rate)}/s${left}`
}

function showSeconds(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`
  return seconds < 5400 ? `${Math.ceil(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`
}
