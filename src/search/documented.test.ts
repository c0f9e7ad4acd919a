import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import * as explain from './explain.js'
import * as fusion from './fusion.js'
import * as lenses from './lenses.js'
import * as rerank from './rerank.js'
import * as signals from './signals.js'

const MODULES = { explain, fusion, lenses, rerank, signals }
const page = readFileSync(new URL('../../docs/ranking.md', import.meta.url), 'utf8').replace(
  / {2,}\|/g,
  ' |',
)

/** Prints `{ similarity: 0.4 }` as on the page: `similarity 0.4`. */
const spell = (values: object): string =>
  Object.entries(values)
    .filter(([, value]) => typeof value === 'number')
    .map(([name, value]) => `${name} ${value}`)
    .join(', ')

test('[N5] docs/ranking.md lists every constant of the formulas with its value', () => {
  const lacking = Object.values(MODULES)
    .flatMap((module) => Object.entries(module))
    .filter(([, value]) => typeof value === 'number')
    .map(([name, value]) => `| \`${name}\` | ${value} |`)
    .filter((row) => !page.includes(row))
  expect(lacking).toEqual([])
})

test('docs/ranking.md lists the tables of constants with their values', () => {
  const rows = [
    `| \`MEMORY_WEIGHTS\` | ${spell(fusion.MEMORY_WEIGHTS)} |`,
    `| \`SECTOR_BOOSTS\` | ${spell(fusion.SECTOR_BOOSTS)} |`,
    ...Object.entries(fusion.CASCADE_STEPS).map(
      ([name, step]) => `| \`CASCADE_STEPS.${name}\` | ${spell(step)} |`,
    ),
  ]
  expect(rows.filter((row) => !page.includes(row))).toEqual([])
})

test('[F9] docs/ranking.md has every lens with its sentence', () => {
  const rows = lenses.LENSES.map(({ name, sentence }) => `| \`${name}\` | ${sentence} |`)
  expect(rows.filter((row) => !page.includes(row))).toEqual([])
})
