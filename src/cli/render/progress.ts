/** Shows the progress of long work on a terminal, and nothing on a pipe. */

import type { CliContext } from '../command.js'

const BAR_COLUMNS = 24
const EVERY_MS = 100

/** The total is null if it is not known. */
type Step = {
  readonly unit: string
  readonly done: number
  readonly total: number | null
  /** How counts and rates are written. */
  readonly format?: (count: number) => string
}

export function createProgress(cli: CliContext) {
  let start: { readonly done: number; readonly atMs: number } | null = null
  let last = { done: 0, atMs: 0 }
  const show = (step: Step): void => {
    const { done, total } = step
    const atMs = cli.now()
    // A count that goes back belongs to the next piece of work, with a rate of its own.
    if (start === null || done < last.done) start = { done, atMs }
    else if (atMs - last.atMs < EVERY_MS && done !== total) return
    last = { done, atMs }
    const ms = atMs - start.atMs
    const rate = ms > 0 ? ((done - start.done) / ms) * 1000 : 0
    cli.writeError(`\r\u001b[K${renderStep(step, rate)}`)
  }
  if (!cli.isTerminal || cli.isQuiet) return { show: () => {}, end: () => {} }
  return { show, end: () => cli.writeError('\r\u001b[K') }
}

/** Shows the progress of the work, and clears the line at its end. */
export async function withProgress<T>(
  cli: CliContext,
  unit: string,
  work: (onProgress: (count: Pick<Step, 'done' | 'total'>) => void) => Promise<T>,
): Promise<T> {
  const { show, end } = createProgress(cli)
  return work((count) => show({ unit, ...count })).finally(end)
}

/** `rate` is in units a second. */
function renderStep({ done, total, unit, format = print }: Step, rate: number): string {
  if (total === null) return `${format(done)} ${unit} · ${format(rate)}/s`
  const share = total === 0 ? 1 : Math.min(1, done / total)
  const bar = '█'.repeat(Math.round(share * BAR_COLUMNS)).padEnd(BAR_COLUMNS, '░')
  const left = rate > 0 ? ` · ${formatSeconds((total - done) / rate)} left` : ''
  return `${bar} ${format(done)} of ${format(total)} ${unit} · ${format(rate)}/s${left}`
}

function print(count: number): string {
  return String(Math.round(count))
}

function formatSeconds(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`
  return seconds < 5400 ? `${Math.ceil(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`
}
