/** Runs one command line: finds the command, runs it, prints its outcome or its error. */

import { badInput, CairnError } from '../core/errors.js'
import { VERSION } from '../core/version.js'
import { nearestName } from '../text/nearest-name.js'
import type { CliContext, Command, CommandLine, Outcome } from './command.js'
import { nameOption, parseCommandLine } from './command-line.js'
import { ALIASES, COMMANDS, listFamily } from './commands.js'
import { SHORT_FLAGS } from './flags.js'
import { formatCommandHelp, formatFamilyHelp, formatOverallHelp } from './help.js'
import { createStyle } from './render/style.js'

/** 2 is wrong usage, 1 any other failure. */
type ExitCode = 0 | 1 | 2

export async function runCli(args: readonly string[], cli: CliContext): Promise<ExitCode> {
  try {
    return await dispatch(args, cli)
  } catch (error) {
    // An assistant calls it, and takes an exit code of 2 as a reason to stop.
    if (args[0] === 'hook' && args[1] === 'run') {
      const { reportHookFailure } = await import('./commands/hooks.js')
      reportHookFailure(error, cli)
      return 0
    }
    return report(error, cli, args.includes('--json') || args.includes('-j'))
  }
}

async function dispatch(args: readonly string[], cli: CliContext): Promise<ExitCode> {
  const [first] = args
  if (first === '--version' || first === '-v') {
    cli.writeOut(`${VERSION}\n`)
    return 0
  }
  // The completion scripts call it.
  if (first === '__complete') {
    cli.writeOut((await import('./completion.js')).complete(args.slice(1)))
    return 0
  }
  const [options, typed] = splitLeadingOptions(args)
  const asksForHelp = typed[0] === undefined || typed[0] === 'help' || options.some(isHelpFlag)
  const named = typed[0] === 'help' ? typed.slice(1) : typed
  const words = asksForHelp ? named.filter((word) => !word.startsWith('-')) : named
  const found = findCommand(words)
  if (found === null) {
    const [family] = words
    cli.writeOut(
      family === undefined ? formatOverallHelp(cli.columns) : formatFamilyHelp(family, cli.columns),
    )
    return 0
  }
  const { command, rest } = found
  if (asksForHelp || rest.some(isHelpFlag)) {
    cli.writeOut(formatCommandHelp(command, cli.columns, args.includes('--all')))
    return 0
  }
  return runCommand(command, parseCommandLine(command, [...options, ...rest]), cli)
}

/** Options may stand before the command: `cairn --db notes.cairn search words`. */
function splitLeadingOptions(args: readonly string[]): readonly [string[], string[]] {
  let at = 0
  while (args[at]?.startsWith('-')) at += takesNextWord(args[at] ?? '') ? 2 : 1
  return [args.slice(0, at), args.slice(at)]
}

function takesNextWord(option: string): boolean {
  const [name] = option.startsWith('--')
    ? [option.slice(2)]
    : (Object.entries(SHORT_FLAGS).find(([, letter]) => option === `-${letter}`) ?? [])
  return COMMANDS.some(({ flags }) => {
    const flag = name === undefined ? undefined : flags[name]
    return flag !== undefined && flag.type !== 'switch'
  })
}

/** The command that the first word or the first two name; null for nothing and for the name of a family. */
function findCommand(words: readonly string[]) {
  const [typed, second] = words
  if (typed === undefined) return null
  const first = ALIASES[typed] ?? typed
  for (const length of [2, 1]) {
    const named = [first, ...words.slice(1, length)].join(' ')
    const command = COMMANDS.find(({ name }) => name === named)
    if (command !== undefined) return { command, rest: words.slice(length) }
  }
  const family = listFamily(first).map(({ name }) => name)
  if (family.length === 0) {
    const known = COMMANDS.map(({ name }) => name.split(' ')[0] ?? name)
    throw noCommand(first, known, '`cairn --help` lists the commands.')
  }
  if (second === undefined || isHelpFlag(second)) return null
  throw noCommand(`${first} ${second}`, family, `\`cairn ${first} --help\` lists its commands.`)
}

function isHelpFlag(word: string): boolean {
  return word === '--help' || word === '-h'
}

function noCommand(name: string, known: readonly string[], hint: string): CairnError {
  const near = nearestName(name, [...new Set(known)])
  const question = near === null ? '' : ` Did you mean "${near}"?`
  return badInput(`There is no command "${name}".${question}`, hint)
}

async function runCommand(
  command: Command,
  line: CommandLine,
  given: CliContext,
): Promise<ExitCode> {
  // A copy would look at standard input.
  const cli = line.flags.quiet === true ? { ...given, isQuiet: true } : given
  const [run, { createOpener }] = await Promise.all([command.load(), import('./open.js')])
  const opener = createOpener(command, { ...line, cli })
  try {
    const outcome = await run({ ...line, cli, ...opener })
    // Printed before the file is closed: the answer does not wait for recalls to be written.
    await print(outcome, line.flags.json === true, cli)
    return outcome.exitCode ?? 0
  } catch (error) {
    throw renameOption(command, error)
  } finally {
    await opener.close()
  }
}

/** An error names the flag, `--as-of`, and not the option of the library, `asOf`. */
function renameOption(command: Command, error: unknown): unknown {
  if (!(error instanceof CairnError) || error.option === null) return error
  const name = nameOption(command, error.option.path)
  return name === null ? error : badInput(name + error.option.problem, error.hint ?? undefined)
}

async function print(outcome: Outcome, isJson: boolean, cli: CliContext): Promise<void> {
  if (outcome.isPrinted) return
  // A person reads lines; a program gets a third less.
  const indent = cli.isTerminal ? 2 : undefined
  cli.writeOut(
    isJson
      ? `${JSON.stringify(outcome.json, null, indent)}\n`
      : await outcome.text(createStyle(cli)),
  )
  if (outcome.problem !== undefined) cli.writeError(`cairn: ${outcome.problem}\n`)
}

function report(error: unknown, cli: CliContext, asJson: boolean): ExitCode {
  if (!(error instanceof CairnError)) {
    const stack = error instanceof Error ? (error.stack ?? error.message) : String(error)
    cli.writeError(`cairn: this is a bug in Cairn, please report it.\n${stack}\n`)
    return 1
  }
  const { code, message, hint, current } = error
  const described = { code, message, hint, ...(current !== null && { current }) }
  cli.writeError(
    asJson
      ? `${JSON.stringify({ error: described })}\n`
      : `cairn: ${message}${hint === null ? '' : ` ${hint}`}\n`,
  )
  return code === 'bad_input' ? 2 : 1
}
