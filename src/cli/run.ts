/** One command line in, its output and an exit code out; every error is one sentence. */

import { badInput, CairnError, type ErrorCode } from '../core/errors.js'
import { VERSION } from '../core/version.js'
import { nearestName } from '../text/nearest-name.js'
import type { CliContext, Command, CommandContext, FlagValues, Outcome } from './command.js'
import { COMMANDS, FAMILIES, familyOf, GROUPS } from './commands.js'
import { commandHelp, familyHelp, overallHelp } from './help.js'
import { parseFlags } from './parse-flags.js'
import { styleOf } from './render/style.js'

type ExitCode = 0 | 1 | 2

/** Wrong usage is 2, everything else that fails is 1. */
const USAGE_CODES: ReadonlySet<ErrorCode> = new Set(['bad_input'])

export async function runCli(args: readonly string[], world: CliContext): Promise<ExitCode> {
  const asJson = args.includes('--json')
  try {
    return await dispatch(args, world)
  } catch (error) {
    return report(error, world, asJson)
  }
}

async function dispatch(args: readonly string[], world: CliContext): Promise<ExitCode> {
  const [first] = args
  if (first === '--version' || first === '-v') {
    world.writeOut(`${VERSION}\n`)
    return 0
  }
  const isAboutHelp = first === undefined || first === 'help' || isHelpFlag(first)
  const named = readName(isAboutHelp ? args.slice(1).filter((word) => !word.startsWith('-')) : args)
  if (named.kind === 'nothing') {
    world.writeOut(overallHelp(GROUPS, FAMILIES, world.columns))
    return 0
  }
  if (named.kind === 'family') {
    const about = FAMILIES[named.word] ?? ''
    world.writeOut(familyHelp(named.word, about, familyOf(named.word), world.columns))
    return 0
  }
  const { command, rest } = named
  if (isAboutHelp || rest.some(isHelpFlag)) {
    world.writeOut(commandHelp(command, world.columns))
    return 0
  }
  const input = parseFlags(command, rest)
  return runCommand(command, { ...input, world })
}

type Named =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'family'; readonly word: string }
  | { readonly kind: 'command'; readonly command: Command; readonly rest: readonly string[] }

/** The command that the first word or the first two name. */
function readName([first, second, ...others]: readonly string[]): Named {
  if (first === undefined) return { kind: 'nothing' }
  const rest = second === undefined ? [] : [second, ...others]
  const longer = COMMANDS.find(({ name }) => name === `${first} ${second}`)
  if (longer !== undefined) return { kind: 'command', command: longer, rest: others }
  const command = COMMANDS.find(({ name }) => name === first)
  if (command !== undefined) return { kind: 'command', command, rest }
  const family = familyOf(first)
  if (family.length === 0)
    throw noCommand(first, firstWords(), '`cairn --help` lists the commands.')
  if (second === undefined || isHelpFlag(second)) return { kind: 'family', word: first }
  const names = family.map(({ name }) => name)
  throw noCommand(`${first} ${second}`, names, `\`cairn ${first} --help\` lists its commands.`)
}

function isHelpFlag(word: string): boolean {
  return word === '--help' || word === '-h'
}

function firstWords(): string[] {
  return [...new Set(COMMANDS.map(({ name }) => name.split(' ')[0] ?? name))]
}

function noCommand(name: string, known: readonly string[], hint: string): CairnError {
  const near = nearestName(name, known)
  const question = near === null ? '' : ` Did you mean "${near}"?`
  return badInput(`There is no command "${name}".${question}`, hint)
}

async function runCommand(
  command: Command,
  input: Omit<CommandContext, 'open' | 'configuration'>,
): Promise<ExitCode> {
  const [run, { createOpener }] = await Promise.all([command.load(), import('./open.js')])
  const opener = createOpener({ ...input, command })
  try {
    const outcome = await run({ ...input, ...opener })
    // Before the file is closed: an answer does not wait for the trace it leaves.
    print(outcome, input.flags, input.world)
    return outcome.exitCode ?? 0
  } catch (error) {
    throw inWordsOf(command, error)
  } finally {
    await opener.close()
  }
}

/** A value that is wrong is called by its flag, `--as-of`, and not by the library's `asOf`. */
function inWordsOf({ speech }: Command, error: unknown): unknown {
  if (!(error instanceof CairnError) || error.option === null) return error
  const name = speech?.nameOf(error.option.path) ?? null
  return name === null ? error : badInput(name + error.option.problem, error.hint ?? undefined)
}

function print(outcome: Outcome, flags: FlagValues, world: CliContext): void {
  if (outcome.isPrinted) return
  if (flags.json === true) {
    world.writeOut(`${JSON.stringify(outcome.json, null, 2)}\n`)
  } else {
    world.writeOut(outcome.text(styleOf(world)))
  }
  if (outcome.problem !== undefined) world.writeError(`cairn: ${outcome.problem}\n`)
}

function report(error: unknown, world: CliContext, asJson: boolean): ExitCode {
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
