/** Promise: one command line in, its output and an exit code out; every error is one sentence. */

import { CairnError, type ErrorCode } from '../../core/errors.js'
import { VERSION } from '../../core/version.js'
import type { Command, Context, FlagValues, Outcome, World } from './command.js'
import { COMMANDS } from './commands.js'
import { commandHelp, overallHelp } from './help.js'
import { nearest, parseFlags } from './parse-flags.js'
import { createStyle } from './render/style.js'

type ExitCode = 0 | 1 | 2

/** Wrong usage is 2, everything else that fails is 1. */
const USAGE_CODES: ReadonlySet<ErrorCode> = new Set(['bad_input'])

export async function runCli(args: readonly string[], world: World): Promise<ExitCode> {
  const asJson = args.includes('--json')
  try {
    return await dispatch(args, world)
  } catch (error) {
    return report(error, world, asJson)
  }
}

async function dispatch(args: readonly string[], world: World): Promise<ExitCode> {
  const [name, ...rest] = args
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    const command = COMMANDS.find((known) => known.name === rest[0])
    world.writeOut(command === undefined ? overallHelp(COMMANDS) : commandHelp(command))
    return 0
  }
  if (name === '--version' || name === '-v') {
    world.writeOut(`${VERSION}\n`)
    return 0
  }
  const command = findCommand(name)
  if (rest.includes('--help') || rest.includes('-h')) {
    world.writeOut(commandHelp(command))
    return 0
  }
  const input = parseFlags(command, rest)
  const outcome = await runCommand(command, { ...input, world })
  print(outcome, input.flags, world)
  return outcome.exitCode ?? 0
}

function findCommand(name: string): Command {
  const command = COMMANDS.find((known) => known.name === name)
  if (command !== undefined) return command
  const near = nearest(
    name,
    COMMANDS.map((known) => known.name),
  )
  throw new CairnError('bad_input', {
    message: `There is no command "${name}".${near === null ? '' : ` Did you mean "${near}"?`}`,
    hint: '`cairn --help` lists the commands.',
  })
}

async function runCommand(command: Command, input: Omit<Context, 'open'>): Promise<Outcome> {
  const [run, { createOpener }] = await Promise.all([command.load(), import('./open.js')])
  const opener = createOpener(input)
  try {
    return await run({ ...input, open: opener.open })
  } finally {
    await opener.close()
  }
}

function print(outcome: Outcome, flags: FlagValues, world: World): void {
  if (flags.json === true) {
    world.writeOut(`${JSON.stringify(outcome.json, null, 2)}\n`)
  } else {
    const color = world.isTerminal && !world.env.NO_COLOR && world.env.TERM !== 'dumb'
    world.writeOut(outcome.text(createStyle({ color, columns: world.columns, now: world.now() })))
  }
  if (outcome.problem !== undefined) world.writeError(`cairn: ${outcome.problem}\n`)
}

function report(error: unknown, world: World, asJson: boolean): ExitCode {
  if (!(error instanceof CairnError)) {
    world.writeError(
      `cairn: this is a fault of the program, please report it.\n${stackOf(error)}\n`,
    )
    return 1
  }
  const { code, message, hint } = error
  world.writeError(
    asJson
      ? `${JSON.stringify({ error: { code, message, hint } })}\n`
      : `cairn: ${message}${hint === null ? '' : ` ${hint}`}\n`,
  )
  return USAGE_CODES.has(code) ? 2 : 1
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
