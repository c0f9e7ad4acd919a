import { describe, expect, test } from 'vitest'
import { temporaryFile } from '../../../test/support/library.js'
import { jsonOf, NOW, terminal } from '../../../test/support/terminal.js'

type Fact = { id: string; effectiveConfidence: number; contradictedBy: { object: string }[] }
type Facts = { facts: Fact[]; contradictions: unknown[] }

async function stated() {
  let time = NOW
  const cairn = terminal(temporaryFile(), { now: () => time++ })
  const json = jsonOf(cairn)
  const { id } = await json<{ id: string }>('add', 'Priya wrote the style guide.')
  const tabs = await json<Fact>(
    ...['fact', 'add', id, 'Priya', 'prefers', 'tabs', '--type', 'preference'],
    ...['--confidence', '0.8', '--quote', 'Tabs, please.'],
  )
  return { cairn, json, id, tabs }
}

describe('[F6] facts', () => {
  test('a fact is stated of a record, with its type, confidence and quote', async () => {
    const { json, id, tabs } = await stated()
    expect(tabs).toMatchObject({
      recordId: id,
      type: 'preference',
      subject: 'Priya',
      predicate: 'prefers',
      object: 'tabs',
      confidence: 0.8,
      quote: 'Tabs, please.',
      contradictedBy: [],
    })
    const plain = await json('fact', 'add', id, 'port', 'is', '5432')
    expect(plain).toMatchObject({ type: 'kv', confidence: 1, quote: null })
  })

  test('a list says what contradicts what, and can be kept to that', async () => {
    const { cairn, json, id } = await stated()
    await cairn('fact', 'add', id, 'port', 'is', '5432')
    await cairn('fact', 'add', id, 'Priya', 'prefers', 'spaces', '--confidence', '0.3')
    const all = await json<Facts>('fact', 'list')
    expect(all.facts).toHaveLength(3)
    expect(all.contradictions).toMatchObject([{ subject: 'Priya', predicate: 'prefers' }])
    const two = await json<Facts>('fact', 'list', '--contradictions', '--record', id)
    expect(two.facts.map((fact) => fact.contradictedBy.map(({ object }) => object))).toEqual([
      ['tabs'],
      ['spaces'],
    ])
    const about = await json<Facts>('fact', 'list', '--about', 'PORT', '--type', 'kv')
    expect(about.facts).toMatchObject([{ object: '5432' }])
    expect((await json<Facts>('fact', 'list', '--min-confidence', '0.5')).facts).toHaveLength(2)
    const { out } = await cairn('fact', 'list', '--about', 'tabs')
    expect(out).toMatch(/^Priya · prefers · tabs \(0\.80\)\n/)
    expect(out).toContain('⚠ contradicted by spaces (newer, less certain)')
    expect(out).toContain('“Tabs, please.”')
    expect((await cairn('fact', 'list', '--about', 'nobody')).out).toBe('no facts\n')
  })

  test('a fact is reinforced, and ended', async () => {
    const { cairn, json, tabs } = await stated()
    const more = await json<Fact>('fact', 'reinforce', tabs.id, '--amount', '0.5')
    expect(more.effectiveConfidence).toBeCloseTo(0.9, 5)
    expect((await cairn('fact', 'remove', tabs.id.slice(0, 20))).out).toMatch(/^no longer holds: /)
    expect((await json<Facts>('fact', 'list')).facts).toEqual([])
  })

  test('add takes facts out of the text where it is asked to', async () => {
    const { json } = await stated()
    await json('add', 'Anna lives in Graz.')
    await json('add', 'Tom lives in Linz.', '--extract-facts')
    expect((await json<Facts>('fact', 'list', '--type', 'location')).facts).toMatchObject([
      { subject: 'Tom', predicate: 'lives in', object: 'Linz', quote: 'Tom lives in Linz.' },
    ])
  })
})
