/** Structured logging: one JSON object per line. */

export const LOG_LEVELS = ['error', 'warn', 'info', 'debug'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

export type LogFields = Readonly<Record<string, string | number | boolean | null>>
export type Log = (level: LogLevel, event: string, fields?: LogFields) => void

export const silentLog: Log = () => {}

/** Drops lines that are less important than `least`. */
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
