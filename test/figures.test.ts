/** Pages of figures are those of the files that measuring left, and their drawings can be read. */

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '..')
const IMAGES = join('images', 'bench')

type Case = {
  readonly case: string
  readonly command?: string
  readonly peer?: { readonly name: string } | null
  readonly [figure: string]: unknown
}
type Results = Readonly<Record<string, readonly Case[]>>
type Result = { readonly name: string; readonly cases: readonly Case[] }
type Scripts = {
  readonly drawPages: (docs: string) => string[]
  readonly readResults: () => Results
  readonly mergeResult: (all: Results, result: Result, measured: { command: string }) => Results
  readonly ABOUT: Readonly<Record<string, unknown>>
}

async function load(): Promise<Scripts> {
  const names = ['draw', 'results', 'about']
  const modules = await Promise.all(
    names.map((name) => import(pathToFileURL(join(ROOT, `bench/lib/${name}.mjs`)).href)),
  )
  return Object.assign({}, ...modules) as Scripts
}

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

describe('benchmarks', async () => {
  const { drawPages, readResults, mergeResult, ABOUT } = await load()

  test('the pages of benchmarks and their drawings are what `npm run bench -- --draw` makes of results.json', () => {
    const folder = mkdtempSync(join(tmpdir(), 'cairn-figures-'))
    try {
      const drawn = drawPages(folder)
      expect(drawn.length).toBeGreaterThan(5)
      for (const file of drawn) {
        expect(read(join('docs', file)), file).toBe(readFileSync(join(folder, file), 'utf8'))
      }
      const there = readdirSync(join(ROOT, 'docs', IMAGES)).map((name) => join(IMAGES, name))
      expect(there.sort()).toEqual(drawn.filter((file) => file.endsWith('.svg')).sort())
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  test('every benchmark is explained, and every missed bar is shown as missed', () => {
    const scripts = readdirSync(join(ROOT, 'bench')).filter((name) => name.endsWith('.mjs'))
    const names = scripts.map((name) => name.replace('.mjs', '')).filter((name) => name !== 'run')
    expect(Object.keys(ABOUT).sort()).toEqual(names)
    const bars = Object.values(readResults()).flatMap((cases) =>
      cases.flatMap(({ bar }) => (bar as { met: boolean } | undefined) ?? []),
    )
    const folder = join('docs', 'benchmarks')
    const pages = readdirSync(join(ROOT, folder)).map((name) => read(join(folder, name)))
    const missed = pages.join('\n').match(/\*\*missed\*\*/g) ?? []
    expect(missed.length).toBe(bars.filter(({ met }) => !met).length)
  })

  test('a run takes the place of its own cases, and those of other sizes stay', () => {
    const hundred = [{ case: '100k', ours: 1 }]
    const first = mergeResult({}, { name: 'a', cases: hundred }, { command: 'a --records 100000' })
    const usual = { name: 'a', cases: [{ case: 'rest' }, { case: '10k' }, { case: '10k, old' }] }
    const second = mergeResult(first, usual, { command: 'a' })
    expect(second.a?.map((one) => one.case)).toEqual(['10k', '10k, old', '100k', 'rest'])
    const again = { name: 'a', cases: [{ case: '10k' }, { case: '100k', ours: 2 }] }
    const third = mergeResult({ ...second, b: [{ case: 'x' }] }, again, { command: 'a' })
    expect(third.a?.map((one) => [one.case, one.ours, one.command])).toEqual([
      ['10k', undefined, 'a'],
      ['100k', 2, 'a'],
    ])
    expect(third.b).toEqual([{ case: 'x' }])
  })

  test('no text of a drawing lies over another, or beyond its edge', () => {
    const names = readdirSync(join(ROOT, 'docs', IMAGES))
    const problems = names.flatMap((name) => {
      const svg = read(join('docs', IMAGES, name))
      const [, width = '0', height = '0'] = /viewBox="0 0 (\d+) (\d+)"/.exec(svg) ?? []
      const boxes = textBoxes(svg)
      expect(boxes.length, name).toBeGreaterThan(4)
      const outside = boxes.filter(
        ({ left, right, bottom }) => left < 0 || right > Number(width) || bottom > Number(height),
      )
      const over = boxes.filter((one, i) =>
        boxes.slice(i + 1).some((other) => overlaps(one, other)),
      )
      return [...outside, ...over].map(({ text }) => `${name}: ${text}`)
    })
    expect(problems).toEqual([])
  })
})

type Fault = { readonly tell: (figures: Readonly<Record<string, string>>) => string }
type Recording = {
  readonly readResults: () => Readonly<Record<string, { readonly problems: number }>>
  readonly drawTable: (page: string, results: unknown, faults: Record<string, Fault>) => string
}

describe('faults', async () => {
  const load = (path: string) => import(pathToFileURL(join(ROOT, 'stress', path)).href)
  const { readResults, drawTable } = (await load('lib/record.mjs')) as Recording
  const files = readdirSync(join(ROOT, 'stress')).filter((name) => name.endsWith('.mjs'))
  const names = files.map((name) => name.replace('.mjs', '')).filter((name) => name !== 'run')
  const faults: Record<string, Fault> = {}
  for (const name of names) faults[name] = (await load(`${name}.mjs`)) as Fault

  test('the table of docs/faults.md says what the recorded runs of all faults saw', () => {
    const page = read('docs/faults.md')
    expect(drawTable(page, readResults(), faults)).toBe(page)
    expect(Object.keys(readResults())).toEqual(names)
    expect(page).not.toMatch(/undefined|NaN/)
  })

  test('what a run found wrong is shown', () => {
    const results = readResults()
    const broken = { ...results, clock: { ...results.clock, problems: 3 } }
    expect(drawTable(read('docs/faults.md'), broken, faults)).toMatch(/`clock` .*\*\*3\*\*/)
  })
})

type Box = { text: string; left: number; right: number; top: number; bottom: number }

/** Where texts are, with letters a little wider than they usually are. */
function textBoxes(svg: string): Box[] {
  const texts =
    /<text x="([\d.]+)" y="([\d.]+)"(?: class="([^"]*)")?(?: text-anchor="(\w+)")?>(.*?)<\/text>/g
  return [...svg.matchAll(texts)].map(([, x = '', y = '', look = '', anchor, inside = '']) => {
    const gaps = [...inside.matchAll(/dx="(\d+)"/g)].reduce((sum, [, gap]) => sum + Number(gap), 0)
    const text = inside.replace(/<[^>]*>/g, '').replace(/&\w+;/g, '&')
    const size = look.includes('small') ? 12 : 13
    const width = text.length * size * 0.58 + gaps
    const left = Number(x) - (anchor === 'end' ? width : anchor === 'middle' ? width / 2 : 0)
    return { text, left, right: left + width, top: Number(y) - size * 0.75, bottom: Number(y) + 2 }
  })
}

function overlaps(a: Box, b: Box): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom
}
