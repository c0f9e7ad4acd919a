/** What happened can be followed line by line, and never reveals a query unless it is asked to. */

export const LOG_LEVELS = ['error', 'warn', 'info', 'debug'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

export type LogFields = Readonly<Record<string, string | number | boolean | null>>
export type Log = (level: LogLevel, event: string, fields?: LogFields) => void

export const silentLog: Log = () => {}

/** One JSON object a line; lines less important than `least` are dropped. */
export function createLog(
  least: LogLevel,
  now: () => number,
  writeLine: (line: string) => void,
): Log {
  const limit = LOG_LEVELS.indexOf(least)
  return (level, event, fields = {}) => {
    if (LOG_LEVELS.indexOf(level) > limit) return
    const time = new Date(now()).toISOString()
    writeLine(`${JSON.stringify({ time, level, event, ...fields })}\n`)
  }
}
