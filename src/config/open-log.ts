/** A log is written where the configuration says, or nowhere. */

import { appendFileSync } from 'node:fs'
import { CairnError } from '../core/errors.js'
import { createLog, type Log, silentLog } from '../core/log.js'
import type { Configuration } from './configuration.js'

/** Without a file the lines go to `otherwise`; where that is null there is no log. */
export function openLog(
  { saidOf }: Configuration,
  now: () => number,
  otherwise: ((line: string) => void) | null,
): Log {
  const level = saidOf('log.level')
  const file = saidOf('log.file')
  const writeLine = file === undefined ? otherwise : appendTo(file)
  return level === undefined || writeLine === null ? silentLog : createLog(level, now, writeLine)
}

function appendTo(file: string): (line: string) => void {
  return (line) => {
    try {
      appendFileSync(file, line)
    } catch (cause) {
      throw new CairnError('unreadable_file', {
        message: `The log cannot be written to ${file}.`,
        hint: 'Name another file with --log-file.',
        cause,
      })
    }
  }
}
