import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import * as fact from '../core/fact.js'
import { SECTORS } from '../core/record.js'
import * as salience from '../core/salience.js'
import * as classify from './classify-sector.js'
import * as extract from './extract-facts.js'
import * as patterns from './fact-patterns.js'
import * as summary from './summarise.js'

const page = readFileSync(new URL('../../docs/memory.md', import.meta.url), 'utf8')
const DAY = 86_400_000

const lacking = (rows: readonly string[]): string[] => rows.filter((row) => !page.includes(row))

describe('docs/memory.md', () => {
  test('it has every constant as it is', () => {
    const modules = [salience, classify, extract, patterns, summary]
    const rows = modules
      .flatMap((module) => Object.entries(module))
      .filter(([, value]) => typeof value === 'number')
      .map(([name, value]) => `| \`${name}\` | ${value} |`)
    expect(rows.length).toBeGreaterThan(10)
    expect(lacking(rows)).toEqual([])
    const { salience: s, importance: i } = summary.NOTE_WEIGHTS
    expect(lacking([`| \`NOTE_WEIGHTS\` | salience ${s}, importance ${i} |`])).toEqual([])
  })

  test('[M5] its table of decay follows from the formula', () => {
    const rows = SECTORS.map((sector) => {
      const stored = { salience: 0.5, importance: 0.5, sector, accessedAtMs: 0 }
      const left = (days: number) => salience.effectiveSalience(stored, days * DAY).toFixed(3)
      const rate = salience.DECAY_RATES[sector]
      return `| \`${sector}\` | ${rate} | ${left(30)} | ${left(365)} |`
    })
    expect(lacking(rows)).toEqual([])
  })

  test('[F7] its table of confidence follows from the formula', () => {
    const rows = fact.FACT_TYPES.map((type) => {
      const stored = { type, confidence: 0.8, reinforcedAtMs: 0 }
      const left = (days: number) => fact.effectiveConfidence(stored, days * DAY).toFixed(3)
      return `| \`${type}\` | ${fact.FACT_DECAY_RATES[type]} | ${left(30)} | ${left(365)} |`
    })
    expect(lacking(rows)).toEqual([])
  })

  test('[M3] it has every cue of every sector with its weight', () => {
    const rows = Object.entries(classify.SECTOR_CUES).map(([sector, cues]) => {
      const heaviestFirst = [...cues].sort((a, b) => b.weight - a.weight)
      const named = heaviestFirst.map(({ reason, weight }) => `${reason} (${weight})`)
      return `| \`${sector}\` | ${named.join('; ')} |`
    })
    expect(lacking(rows)).toEqual([])
  })

  test('[F6] it has every pattern of facts with its example', () => {
    const rows = [...patterns.FACT_PATTERNS, ...patterns.SENTENCE_PATTERNS].map(
      ({ type, predicate, confidence, example }) =>
        `| ${type} | ${predicate} | ${confidence} | ${example} |`,
    )
    expect(lacking(rows)).toEqual([])
  })
})
