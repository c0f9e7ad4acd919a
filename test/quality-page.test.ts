/** Docs/quality.md shows what was measured, and what was measured reaches what each set must reach. */

import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'

type Figures = Readonly<Record<string, number>>
type MeasuredSet = {
  readonly docs: number
  readonly queries: number
  readonly systems: Readonly<Record<string, Figures>>
}
type Results = {
  readonly date: string
  readonly sets: Readonly<Record<string, MeasuredSet>>
  readonly notes: {
    readonly version: string
    readonly questions: number
    readonly found: Readonly<Record<'question' | 'inOtherWords', Figures>>
  }
}
type Page = { drawPage(page: string, results: Results): string }
type Chart = { drawChart(results: Results): string }
type Sets = {
  readonly SETS: readonly { readonly name: string; readonly folder: string; variant?: boolean }[]
  readonly SYSTEMS: readonly { readonly id: string; readonly model: string }[]
}

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..')
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const load = async <T>(name: string): Promise<T> =>
  (await import(/* @vite-ignore */ pathToFileURL(join(ROOT, 'scripts/quality', name)).href)) as T

const results = JSON.parse(read('bench/quality.json')) as Results
const { drawPage } = await load<Page>('page.mjs')
const { drawChart } = await load<Chart>('chart.mjs')
const { SETS, SYSTEMS } = await load<Sets>('sets.mjs')

const figure = (set: string, system: string, name: string): number =>
  results.sets[set]?.systems[system]?.[name] ?? Number.NaN

describe('docs/quality.md', () => {
  test('shows the figures of bench/quality.json, and the chart does', () => {
    expect(read('docs/quality.md')).toBe(drawPage(read('docs/quality.md'), results))
    expect(read('docs/images/quality.svg')).toBe(drawChart(results))
  })

  test('another figure would be another page and another chart', () => {
    const { scifact } = results.sets
    const changed = {
      ...scifact?.systems,
      hybrid: { ...scifact?.systems.hybrid, 'ndcg@10': 0.123 },
    }
    const sets = { ...results.sets, scifact: { ...scifact, systems: changed } }
    const other = { ...results, sets } as Results
    expect(drawPage(read('docs/quality.md'), other)).toContain('| .123 |')
    expect(drawChart(other)).toContain('>.123</text>')
  })

  test('has every set in every way to search, and its variants with the bundled model', () => {
    expect(Object.keys(results.sets)).toEqual(SETS.map(({ name }) => name))
    for (const { name, variant } of SETS) {
      const wanted = SYSTEMS.filter(({ model }) => model === 'static' || !variant)
      expect({ name, ways: Object.keys(results.sets[name]?.systems ?? {}) }).toEqual({
        name,
        ways: expect.arrayContaining(wanted.map(({ id }) => id)),
      })
    }
  })

  // Where the judged sets are: a corpus that was exchanged would make the figures those of something else.
  const shared = join(ROOT, '..', 'shared', 'eval')
  test.skipIf(!existsSync(shared))('the sets are as large as when they were measured', () => {
    const linesOf = (path: string): number => {
      const text = readFileSync(join(shared, path, 'corpus.jsonl'), 'utf8')
      return text.split('\n').filter((line) => line.trim() !== '').length
    }
    for (const { name, folder } of SETS.filter((set) => set.folder === set.name)) {
      expect({ name, docs: linesOf(folder) }).toEqual({ name, docs: results.sets[name]?.docs })
    }
  })
})

describe('the questions to a folder of notes', () => {
  type Question = Readonly<Record<'question' | 'inOtherWords', string>> & { notes: string[] }
  const questions = JSON.parse(read('scripts/quality/questions.json')) as Question[]
  const { version, questions: asked, found } = results.notes

  test('27 of 30 have a right note in the first three', () => {
    expect(asked).toBe(30)
    expect(found.question.hybrid).toBeGreaterThanOrEqual(27)
  })

  test('are thirty in two forms, and their notes are in the version that was measured', () => {
    const texts = questions.flatMap(({ question, inOtherWords }) => [question, inOtherWords])
    expect(new Set(texts).size).toBe(60)
    expect(JSON.parse(read('node_modules/ai/package.json'))).toMatchObject({ version })
    const notes = questions.flatMap((one) => one.notes)
    expect(notes.filter((note) => !existsSync(join(ROOT, 'node_modules/ai/docs', note)))).toEqual(
      [],
    )
  })
})

describe('quality as measured', () => {
  /** Two figures nearer than this are the same, as far as so few queries can tell. */
  const CHANCE = 0.005
  const single = {
    hybrid: ['keyword', 'semantic'],
    'hybrid-minilm': ['keyword', 'semantic-minilm'],
  }

  for (const [both, alone] of Object.entries(single)) {
    for (const { name: set } of SETS.filter(({ variant }) => both === 'hybrid' || !variant)) {
      test(`on ${set}, ${both} is as good as its better side or better`, () => {
        const better = Math.max(...alone.map((system) => figure(set, system, 'ndcg@10')))
        expect(figure(set, both, 'ndcg@10')).toBeGreaterThanOrEqual(better - CHANCE)
      })
    }
  }

  test.each([
    ['scifact', 'hybrid', 'ndcg@10', 0.72],
    ['cranfield', 'hybrid', 'ndcg@10', 0.545],
    ['cisi', 'hybrid', 'ndcg@10', 0.43],
    ['cacm', 'hybrid', 'ndcg@10', 0.505],
    ['scifact', 'hybrid-minilm', 'ndcg@10', 0.73],
    ['locomo-turns', 'hybrid', 'recall@10', 0.785],
    ['locomo-sessions', 'hybrid', 'recall@10', 0.945],
    ['locomo-sessions', 'hybrid', 'ndcg@10', 0.85],
    ['locomo-sessions-among', 'hybrid', 'ndcg@10', 0.82],
    ['scifact-among', 'hybrid', 'ndcg@10', 0.72],
  ])('on %s, %s reaches its %s', (set, system, name, least) => {
    expect(figure(set, system, name)).toBeGreaterThanOrEqual(least)
  })
})
