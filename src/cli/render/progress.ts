/** Shows the progress of long work on a terminal, and nothing on a pipe. */

import type { CliContext } from '../command.js'

const BAR_COLUMNS = 24
const EVERY_MS = 100

/** The total is null where it is not known. */
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
      // Work done before an interruption says nothing about the rate.
      const rate = now > started ? ((done - first) / (now - started)) * 1000 : 0
      const name = typeof unit === 'string' ? unit : unit()
      cli.writeError(`\r\u001b[K${formatProgress({ done, total, unit: name, rate })}`)
    },
    end: () => cli.writeError('\r\u001b[K'),
  }
}

/** `rate` is in units a second. */
function formatProgress({
  done,
  total,
  unit,
  rate,
}: {
  readonly done: number
  readonly total: number | null
  readonly unit: string
  readonly rate: number
}): string {
  if (total === null) return `${done} ${unit} · ${Math.round(rate)}/s`
  const share = total === 0 ? 1 : Math.min(1, done / total)
  const bar = '█'.repeat(Math.round(share * BAR_COLUMNS)).padEnd(BAR_COLUMNS, '░')
  const left = rate > 0 ? ` · ${formatSeconds((total - done) / rate)} left` : ''
  return `${bar} ${done} of ${total} ${unit} · ${Math.round(rate)}/s${left}`
}

function formatSeconds(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`
  return seconds < 5400 ? `${Math.ceil(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`
}
