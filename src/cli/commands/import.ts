/** `cairn import` reads each path, shows how far it is, and tells what it did and what it could not do. */

import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Cairn } from '../../cairn/cairn.js'
import type { ImportReport } from '../../cairn/import-report.js'
import { badInput, CairnError } from '../../core/errors.js'
import type { OperationInput } from '../../operations/operations.js'
import type { CliContext, CommandContext, Outcome } from '../command.js'
import { renderImports } from '../render/imports.js'
import { createProgress } from '../render/progress.js'

export type FailedImport = {
  readonly path: string
  readonly code: string
  readonly message: string
  readonly hint: string | null
}

type ImportOptions = Omit<OperationInput<'import'>, 'path'>

/** So many new records are worth the time it takes to put the index in order. */
const LARGE_IMPORT = 10_000

export async function runImport(
  context: CommandContext,
  { path: _, ...given }: OperationInput<'import'>,
): Promise<Outcome> {
  const { positionals, flags, cli } = context
  const options = flags.git === true ? asGit(given) : given
  const cairn = await context.open({ create: true })
  const reports: ImportReport[] = []
  const failed: FailedImport[] = []
  for (const path of positionals) {
    try {
      reports.push(
        path === '-'
          ? await importStdin(cairn, cli, options)
          : await importPath(cairn, cli, { path, options }),
      )
    } catch (error) {
      // One path that is wrong must not hide what became of the others.
      if (positionals.length === 1 || !(error instanceof CairnError)) throw error
      failed.push({ path, code: error.code, message: error.message, hint: error.hint })
    }
  }
  const news = reports.reduce((sum, one) => sum + one.created + (one.works?.created ?? 0), 0)
  if (news > LARGE_IMPORT && options.dryRun !== true) await cairn.optimize()
  const isNothing = reports.every(({ read, skippedCount }) => read === 0 && skippedCount > 0)
  return {
    json: { imports: reports, failed },
    text: (style) => renderImports(reports, style),
    ...(isNothing || failed.length > 0 ? { exitCode: 1 as const } : {}),
    ...(failed.length === 0 ? {} : { problem: failed.map(({ message }) => message).join(' ') }),
  }
}

function asGit(options: ImportOptions): ImportOptions {
  if (options.format !== undefined && options.format !== 'git') {
    throw badInput('Both --git and --format were given.', 'Give one of them.')
  }
  return { ...options, format: 'git' }
}

async function importPath(
  cairn: Cairn,
  cli: CliContext,
  { path, options }: { readonly path: string; readonly options: ImportOptions },
): Promise<ImportReport> {
  let read = 0
  const progress = createProgress(cli, () => `kB · ${read} read`)
  try {
    return await cairn.import(path, {
      ...options,
      onProgress: (now) => {
        read = now.read
        progress.show(kilobytes(now.bytesRead), now.bytesTotal && kilobytes(now.bytesTotal))
      },
    })
  } finally {
    progress.end()
  }
}

function kilobytes(bytes: number): number {
  return Math.ceil(bytes / 1000)
}

/** The same text again is the same source; another text is another one. */
async function importStdin(
  cairn: Cairn,
  cli: CliContext,
  options: ImportOptions,
): Promise<ImportReport> {
  const bytes = (await cli.readStdin?.()) ?? new Uint8Array(0)
  if (bytes.length === 0) throw badInput('Nothing was piped into standard input.')
  const folder = await mkdtemp(join(tmpdir(), 'cairn-import-'))
  try {
    const path = join(folder, 'stdin')
    await writeFile(path, bytes, { mode: 0o600 })
    const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 16)
    return await importPath(cairn, cli, {
      path,
      options: { ...options, source: `stdin:${hash}` },
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
