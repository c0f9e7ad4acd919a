/** Commands that import, mirror and export, once or until they are stopped; works, or the whole file. */

import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LostEntries } from '../../cairn/archive.js'
import type { Cairn } from '../../cairn/cairn.js'
import type { ImportReport } from '../../cairn/import.js'
import type { MirrorReport } from '../../cairn/mirror.js'
import type { Watch, WatchCallbacks } from '../../cairn/watch.js'
import { badInput, CairnError } from '../../core/errors.js'
import { formatOfName } from '../../core/work.js'
import { type OperationInput, performNamed } from '../../operations/operations.js'
import type { CliContext, CommandContext, Outcome } from '../command.js'
import { readOutputFlag, readStyle, writeFileWhole } from '../files.js'
import type { CommandActions } from '../operation-command.js'
import { createProgress } from '../render/progress.js'
import * as reports from '../render/reports.js'
import { createStyle, formatBytes, formatCount, oneLine, type Style } from '../render/style.js'
import { withKnownSessions } from '../resolve-ids.js'

/** After more new records than this, the index is optimized. */
const LARGE_IMPORT = 10_000
/** More lost entries are not named. */
const MAX_LISTED = 20
/** Lines are short, and writing each by itself is slow. */
const PIECE_CHARACTERS = 65_536

export const ACTIONS: CommandActions = {
  import: { run: runImport },
  mirror: { run: runMirror },
  export: { run: runExport },
}

async function runImport(
  context: CommandContext,
  { path: _, ...given }: OperationInput<'import'>,
): Promise<Outcome> {
  const { positionals, flags, cli } = context
  if (flags.git === true && given.format !== undefined && given.format !== 'git') {
    throw badInput('Both --git and --format were given.', 'Give one of them.')
  }
  const options = flags.git === true ? { ...given, format: 'git' } : given
  const cairn = await context.open({ create: true })
  const imports: ImportReport[] = []
  const failed: Pick<CairnError & { path: string }, 'path' | 'code' | 'message' | 'hint'>[] = []
  for (const path of positionals) {
    try {
      const run = path === '-' ? importStdin : importPath
      imports.push(await run(cairn, cli, { ...options, path }))
    } catch (error) {
      // An error in one path must not hide the reports of the others.
      if (positionals.length === 1 || !(error instanceof CairnError)) throw error
      failed.push({ path, code: error.code, message: error.message, hint: error.hint })
    }
  }
  const created = imports.reduce((sum, one) => sum + one.created + (one.works?.created ?? 0), 0)
  if (created > LARGE_IMPORT && options.dryRun !== true) await cairn.optimize()
  const isNothing = imports.every(({ read, skippedCount }) => read === 0 && skippedCount > 0)
  return {
    json: { imports, failed },
    text: (style) =>
      imports.map((report) => reports.renderImport(report, style)).join('\n') +
      reports.renderNextStep(imports, style),
    ...(isNothing || failed.length > 0 ? { exitCode: 1 as const } : {}),
    ...(failed.length === 0 ? {} : { problem: failed.map(({ message }) => message).join(' ') }),
  }
}

async function importPath(
  cairn: Cairn,
  cli: CliContext,
  { path, ...options }: OperationInput<'import'>,
): Promise<ImportReport> {
  const progress = createProgress(cli)
  try {
    return await cairn.import(path, {
      ...options,
      onProgress: ({ read, bytesRead, bytesTotal }) =>
        progress.show({
          unit: `· ${read} read`,
          done: bytesRead,
          total: bytesTotal,
          format: formatBytes,
        }),
    })
  } finally {
    progress.end()
  }
}

/** The same text again is the same source; another text is another one. */
async function importStdin(
  cairn: Cairn,
  cli: CliContext,
  options: OperationInput<'import'>,
): Promise<ImportReport> {
  const bytes = (await cli.readStdin?.()) ?? new Uint8Array(0)
  if (bytes.length === 0) throw badInput('Nothing was piped into standard input.')
  const folder = await mkdtemp(join(tmpdir(), 'cairn-import-'))
  const path = join(folder, 'stdin')
  try {
    await writeFile(path, bytes, { mode: 0o600 })
    const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 16)
    return await importPath(cairn, cli, { ...options, path, source: `stdin:${hash}` })
  } catch (error) {
    if (error instanceof CairnError) error.message = error.message.replace(path, 'Standard input')
    throw error
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

export async function runWatch(
  context: CommandContext,
  options: Omit<OperationInput<'import'>, 'path'>,
): Promise<Outcome> {
  const [folder] = context.positionals
  if (folder === undefined) throw badInput('Which folder is to be watched? Give its path.')
  return printReports<ImportReport>(context, {
    start: (cairn, callbacks) => cairn.watch(folder, { ...options, ...callbacks }),
    render: reports.renderImport,
    formatChanges: reports.formatChanges,
  })
}

async function runMirror(
  context: CommandContext,
  { folder, ...options }: OperationInput<'mirror'>,
): Promise<Outcome> {
  if (context.flags.watch === true) {
    return printReports<MirrorReport>(context, {
      start: (cairn, callbacks) => cairn.watchMirror(folder, { ...options, ...callbacks }),
      render: reports.renderMirror,
      formatChanges: reports.formatMirrored,
    })
  }
  const cairn = await context.open({ create: true })
  const report = await performNamed('mirror', cairn, { folder, ...options })
  return { json: report, text: (style) => reports.renderMirror(report, style) }
}

type Reports<Report> = {
  readonly start: (cairn: Cairn, callbacks: WatchCallbacks<Report>) => Promise<Watch<Report>>
  readonly render: (report: Report, style: Style) => string
  /** One line for a later report; empty if nothing has changed. */
  readonly formatChanges: (report: Report) => string
}

/** Prints a report after each run until the user interrupts it. */
async function printReports<Report>(
  { open, flags, cli }: CommandContext,
  { start, render, formatChanges: formatLine }: Reports<Report>,
): Promise<Outcome> {
  const signal = cli.stopSignal()
  const cairn = await open({ create: true })
  let isFirst = true
  const onReport = (report: Report): void => {
    const changes = formatLine(report)
    if (flags.json === true) cli.writeOut(`${JSON.stringify(report)}\n`)
    else if (isFirst) {
      const style = createStyle(cli)
      const hint = cli.isTerminal ? style.dim('watching; Ctrl-C ends it\n') : ''
      cli.writeOut(render(report, style) + hint)
    } else if (changes !== '') {
      cli.writeOut(`${new Date(cli.now()).toISOString().slice(11, 19)}  ${changes}\n`)
    }
    isFirst = false
  }
  const onError = (error: unknown): void =>
    cli.writeError(`cairn: ${error instanceof Error ? error.message : String(error)}\n`)
  try {
    const watch = await start(cairn, { signal, onReport, onError })
    if (signal.aborted) await watch.stop()
    await watch.done
  } catch (error) {
    // Stopped during the first pass: the records that were read stay.
    if (!signal.aborted || error instanceof CairnError) throw error
  }
  return { json: null, text: () => '', isPrinted: true }
}

async function runExport(
  context: CommandContext,
  input: OperationInput<'export'>,
): Promise<Outcome> {
  if (context.flags.all === true) {
    if (Object.keys(input).length === 0) return exportAll(context)
    const hint = 'Leave ids, filters and --format out.'
    throw badInput('--all writes everything, in one format.', hint)
  }
  if (context.flags.salvage === true) {
    throw badInput('--salvage belongs to --all.', 'Give both, or neither.')
  }
  const output = readOutputFlag(context.flags)
  const cairn = await context.open()
  const asked = await withKnownSessions(await readStyle(input), cairn)
  const named = asked.style === undefined ? formatOfName(output ?? '') : null
  const choice = { ...(named !== null && { format: named }), ...asked }
  const { format, works, text } = await performNamed('export', cairn, choice)
  if (output !== null) await writeFileWhole(output, [text])
  return {
    json: { format, works, output, text: output === null ? text : null },
    text: (style) =>
      output === null
        ? text
        : `${style.good('exported')} ${formatCount(works, 'work')} to ${output}\n`,
    ...(works === 0 && { problem: 'There is no work to export.' }),
  }
}

async function exportAll({ flags, cli, open }: CommandContext): Promise<Outcome> {
  const output = readOutputFlag(flags)
  if (output === null && flags.json === true) {
    throw badInput('An archive is no single JSON document.', 'Give --output with --json.')
  }
  const salvage = flags.salvage === true
  const cairn = await open({ salvage })
  const lost: LostEntries[] = []
  const progress = output === null ? null : createProgress(cli)
  let lines = 0
  const archive = cairn.exportAll({ onLost: (entries) => lost.push(entries) })
  const pieces = joinLines(archive, () => {
    lines++
    progress?.show({ unit: 'lines', done: lines, total: null })
  })
  if (output !== null) await writeFileWhole(output, pieces).finally(() => progress?.end())
  else {
    for await (const piece of pieces) {
      cli.writeOut(piece)
      await cli.outDrained()
    }
  }
  // On standard error, because the archive itself may be on standard output.
  for (const entries of lost) cli.writeError(`cairn: ${formatLost(entries)}\n`)
  return {
    json: { format: 'archive', lines, output, ...(salvage && { lost }) },
    text: (style) => `${style.good('exported')} ${lines} lines to ${output}\n`,
    isPrinted: output === null,
    ...(lost.length > 0 && { exitCode: 1 as const }),
  }
}

function formatLost({ kind, names, mayBeMore, isPartial }: LostEntries): string {
  const shown = names.slice(0, MAX_LISTED).map(oneLine).join('; ')
  const left = names.length - MAX_LISTED
  const list = names.length === 0 ? '' : `: ${shown}${left > 0 ? ` and ${left} more` : ''}`
  const what = isPartial ? 'lost fields of' : 'lost'
  const count =
    names.length === 0 ? `some entries of the kind ${kind}` : `${names.length} × ${kind}`
  return `${what} ${count}${list}.${mayBeMore ? ' There may be more of them.' : ''}`
}

async function* joinLines(
  lines: AsyncIterable<string>,
  onLine: () => void,
): AsyncGenerator<string, void> {
  let piece = ''
  for await (const line of lines) {
    piece += `${line}\n`
    onLine()
    if (piece.length < PIECE_CHARACTERS) continue
    yield piece
    piece = ''
  }
  yield piece
}
