// Counts the product lines under src/, by folder; tests, fixtures and generated files are left out.

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const NOT_PRODUCT = /\.(?:test|fixture|wasm|generated)\.ts$/

const files = execFileSync('git', ['ls-files', 'src'], { encoding: 'utf8' })
  .split('\n')
  .filter((path) => path.endsWith('.ts') && !NOT_PRODUCT.test(path))

const folders = new Map()
for (const path of files) {
  const folder = path.split('/').length > 2 ? path.split('/')[1] : '(top)'
  const counted = folders.get(folder) ?? { files: 0, lines: 0 }
  counted.files += 1
  counted.lines += readFileSync(path, 'utf8').split('\n').length - 1
  folders.set(folder, counted)
}
const all = [...folders].sort(([a], [b]) => a.localeCompare(b))
const sum = (key) => all.reduce((total, [, counted]) => total + counted[key], 0)
for (const [folder, { files, lines }] of [
  ...all,
  ['total', { files: sum('files'), lines: sum('lines') }],
]) {
  console.log(
    `${folder.padEnd(12)} ${String(files).padStart(4)} files ${String(lines).padStart(7)} lines`,
  )
}
