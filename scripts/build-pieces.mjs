// Writes the index of the bundled model's word pieces beside their list.

import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const FOLDER = fileURLToPath(new URL('../models/cairn-static-v2/', import.meta.url))

export async function writePieces() {
  const { outputFiles } = await build({
    stdin: {
      contents: `export { indexPieces } from './src/embedding/static/vocabulary.ts'
        export { PIECES, readVocabulary } from './src/embedding/static/model-file.ts'`,
      resolveDir: fileURLToPath(new URL('..', import.meta.url)),
    },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
  })
  const code = Buffer.from(outputFiles[0].contents).toString('base64')
  const { indexPieces, PIECES, readVocabulary } = await import(
    `data:text/javascript;base64,${code}`
  )
  writeFileSync(`${FOLDER}${PIECES}`, indexPieces(readVocabulary(FOLDER)))
}
