/** Bundles files of `src`, so that benchmarks can measure parts that the library does not export. */

import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const SQLITE = join(ROOT, 'node_modules', 'better-sqlite3', 'lib', 'index.js')

/**
 * A module with everything that these files of `src` export.
 * @param replaced sources that replace modules, by the end of the import path
 */
export async function bundleParts(folder, parts, { name = 'parts', replaced = {} } = {}) {
  const outfile = join(folder, `${name}.mjs`)
  await build({
    stdin: {
      contents: parts.map((part) => `export * from './src/${part}.ts'`).join('\n'),
      resolveDir: ROOT,
    },
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    logLevel: 'error',
    plugins: [resolver(replaced)],
  })
  return import(pathToFileURL(outfile).href)
}

function resolver(replaced) {
  return {
    name: 'resolver',
    setup(made) {
      made.onResolve({ filter: /^better-sqlite3$/ }, () => ({
        path: pathToFileURL(SQLITE).href,
        external: true,
      }))
      for (const [end, contents] of Object.entries(replaced)) {
        made.onResolve({ filter: new RegExp(`${end}$`) }, () => ({
          path: end,
          namespace: 'replaced',
        }))
        made.onLoad({ filter: new RegExp(`^${end}$`), namespace: 'replaced' }, () => ({ contents }))
      }
    },
  }
}
