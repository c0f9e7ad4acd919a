/** Imports plain text: each file becomes a document under its name. */

import { decodeText, readFiles, readText, skipped } from './files.js'
import type { Importer } from './importer.js'
import { cleanLabel, hashValue, titleFromPath } from './values.js'

export const text: Importer = {
  name: 'text',
  isMirror: true,
  detect: (_, { bytes }) => bytes.length > 0 && decodeText(bytes) !== null,
  read: readFiles(
    () => true,
    async function* (file, options) {
      const { name } = file
      const body = await readText(file, options)
      if (body.trim() === '') {
        yield skipped(name, 'It is empty.')
        return
      }
      const record = {
        body,
        title: titleFromPath(name),
        kind: 'document' as const,
        source: cleanLabel(name.slice(-500)),
        metadata: { path: name },
      }
      yield { kind: 'record', key: name, hash: hashValue(record), record }
    },
  ),
}
