// Builds dist/page: the page of `cairn serve` as hashed files, packed once so that no server packs them again.

import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { build } from 'vite'

const ROOT = join(import.meta.dirname, '..')
const FOLDER = join(ROOT, 'dist/page')
// A font is packed already.
const PACKED = /\.(html|js|css|svg|jsonl)$/
const FONT = 'node_modules/@fontsource-variable/inter/LICENSE'

export async function buildPage() {
  await build({ configFile: join(ROOT, 'page/vite.config.ts'), logLevel: 'warn' })
  copyFileSync(join(ROOT, FONT), join(FOLDER, 'inter-license.txt'))
  for (const name of readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })) {
    if (!PACKED.test(name)) continue
    const path = join(FOLDER, name)
    const content = readFileSync(path)
    const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY }
    writeFileSync(`${path}.br`, brotliCompressSync(content, { params }))
    writeFileSync(`${path}.gz`, gzipSync(content, { level: constants.Z_BEST_COMPRESSION }))
  }
}

if (process.argv[1] === import.meta.filename) await buildPage()
