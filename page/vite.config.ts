import { join } from 'node:path'
import { defineConfig } from 'vite'

const root = import.meta.dirname

export default defineConfig({
  root,
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: join(root, '../dist/page'),
    emptyOutDir: true,
    target: 'es2022',
    // The page forbids itself `data:` fonts and inline scripts: everything is a file of its own.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  // `vite --config page/vite.config.ts` shows changes at once, beside a `cairn serve` that answers.
  server: { proxy: { '/api': 'http://127.0.0.1:4747' } },
})
