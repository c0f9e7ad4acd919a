/** Promise: what imports and watches is loaded when it is first needed; a search pays nothing for it. */

import type { ImportReport } from './import-report.js'
import type { Importing, ImportingParts, TransferOptions } from './importing.js'
import type { Watch, WatchOptions } from './watching.js'

export type Transfer = ReturnType<typeof createTransfer>

export function createTransfer(parts: ImportingParts) {
  const load = async (): Promise<Importing> => {
    const { createImporting } = await import('./importing.js')
    return createImporting(parts)
  }
  return {
    import: async (path: string, options: TransferOptions = {}): Promise<ImportReport> =>
      (await load())(path, options),

    watch: async (folder: string, options: WatchOptions = {}): Promise<Watch> => {
      const { watchAndImport } = await import('./watching.js')
      return watchAndImport(await load(), folder, options)
    },
  }
}
