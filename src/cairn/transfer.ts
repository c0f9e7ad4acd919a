/** What imports, watches, archives and backs up is loaded when it is first needed; a search pays nothing for it. */

import type { Archive, ArchiveOptions, ArchiveParts, ArchiveReport } from './archive.js'
import type { BackupAnswer, BackupOptions, BackupParts } from './backup.js'
import type { ImportReport } from './import-report.js'
import type { Importing, ImportingParts, TransferOptions } from './importing.js'
import type { Watch, WatchOptions } from './watching.js'

export type TransferParts = Omit<ImportingParts, 'archive'> & ArchiveParts & BackupParts

export type Transfer = ReturnType<typeof createTransfer>

export function createTransfer(parts: TransferParts) {
  const loadArchive = async (): Promise<Archive> => {
    const { createArchive } = await import('./archive.js')
    return createArchive(parts)
  }
  const load = async (): Promise<Importing> => {
    const { createImporting } = await import('./importing.js')
    return createImporting({ ...parts, archive: await loadArchive() })
  }
  return {
    import: async (path: string, options: TransferOptions = {}): Promise<ImportReport> =>
      (await load())(path, options),

    watch: async (folder: string, options: WatchOptions = {}): Promise<Watch> => {
      const { watchAndImport } = await import('./watching.js')
      return watchAndImport(await load(), folder, options)
    },

    async *exportAll(): AsyncGenerator<string, void> {
      yield* (await loadArchive()).exportAll()
    },

    importAll: async (
      lines: AsyncIterable<string> | Iterable<string>,
      options: ArchiveOptions = {},
    ): Promise<ArchiveReport> => (await loadArchive()).importAll(lines, options),

    backup: async (file: string, options: BackupOptions = {}): Promise<BackupAnswer> => {
      const { createBackup } = await import('./backup.js')
      return createBackup(parts)(file, options)
    },
  }
}
