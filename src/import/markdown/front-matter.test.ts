/** Front matter is read whole or left whole in the text, and never by surprise. */

import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { readFrontMatter } from './front-matter.js'

describe('front matter', () => {
  test('YAML between two lines of dashes becomes values', async () => {
    const text = '---\ntitle: A: "note"\n---\n'
    expect((await readFrontMatter(text)).problem).toContain('line 2')
    const good = '---\ntitle: A note\ntags: [a, b]\ndate: 2024-05-01\ndone: no\n---\n# Body\n'
    expect(await readFrontMatter(good)).toEqual({
      data: { title: 'A note', tags: ['a', 'b'], date: '2024-05-01', done: 'no' },
      body: '# Body\n',
      problem: null,
    })
  })

  test('Windows line ends, a byte order mark, dots at the end and no body are fine', async () => {
    const read = async (text: string) => {
      const { data, body } = await readFrontMatter(text)
      return [data, body]
    }
    expect(await read('---\r\na: 1\r\n---\r\nbody\r\n')).toEqual([{ a: 1 }, 'body\r\n'])
    expect(await read('\ufeff---\na: 1\n...\nbody')).toEqual([{ a: 1 }, 'body'])
    expect(await read('---  \na: 1\n---')).toEqual([{ a: 1 }, ''])
    expect(await read('---\n---\nbody')).toEqual([{}, 'body'])
  })

  test.each([
    ['no front matter', 'Just text.\n---\na: 1\n---\n'],
    ['a rule at the top', '---\nText below a rule.\n'],
    ['prose between two rules', '---\nSome prose.\n---\nMore.'],
    ['a list', '---\n- a\n- b\n---\nMore.'],
    ['nothing at all', ''],
  ])('%s is text without a problem', async (_, text) => {
    expect(await readFrontMatter(text)).toEqual({ data: {}, body: text, problem: null })
  })

  test('front matter that cannot be read stays in the text, and one sentence names the line', async () => {
    const broken = '---\na: 1\nb: [1, 2\n---\nbody'
    const { data, body, problem } = await readFrontMatter(broken)
    expect([data, body]).toEqual([{}, broken])
    expect(problem).toMatch(
      /^The front matter is not valid YAML \(line \d+: .+\); it stays in the text\.$/,
    )
    const twice = await readFrontMatter('---\na: 1\na: 2\n---\n')
    expect(twice.problem).toBe(
      'The front matter is not valid YAML (line 3: Map keys must be unique); it stays in the text.',
    )
  })

  test('TOML stays in the text and is named', async () => {
    const text = '+++\ntitle = "x"\n+++\nbody'
    expect(await readFrontMatter(text)).toEqual({
      data: {},
      body: text,
      problem: 'The front matter is TOML, which is not supported; it stays in the text.',
    })
    expect((await readFrontMatter('+++ no toml')).problem).toBeNull()
  })

  test('values that contain themselves or multiply without end are refused', async () => {
    const loop = await readFrontMatter('---\na: &a [1, *a]\n---\n')
    expect([loop.data, loop.problem === null]).toEqual([{}, false])
    const levels = [...'bcdefghij'].map((name, at) => {
      const before = `*${'abcdefghi'[at]}`
      return `${name}: &${name} [${Array(10).fill(before).join(', ')}]`
    })
    const bomb = await readFrontMatter(`---\na: &a x\n${levels.join('\n')}\n---\n`)
    expect([bomb.data, bomb.problem === null]).toEqual([{}, false])
    const deep = await readFrontMatter(`---\na: ${'['.repeat(40_000)}\n---\n`)
    expect([deep.data, deep.problem === null]).toEqual([{}, false])
  })

  test('a key like __proto__ is a key like any other', async () => {
    const { data } = await readFrontMatter('---\n__proto__: { isAdmin: true }\n---\n')
    expect(Object.keys(data)).toEqual(['__proto__'])
    expect('isAdmin' in data).toBe(false)
  })

  test('no text makes it throw, warn or lose a character', async () => {
    const warned = vi.spyOn(process, 'emitWarning')
    const piece = fc.constantFrom(
      ...[
        '---',
        '\n',
        '+++',
        'a: ',
        '- ',
        '[',
        ']',
        '{',
        '}',
        '"',
        "'",
        '&x ',
        '*x',
        '!!set ',
        '? ',
      ],
      ...['|', '>', '#', ': ', '...', '\t', '\r\n', '<<: ', '%YAML 1.1', '\u0000', 'é', '-1e5'],
    )
    const inner = fc.array(fc.oneof(piece, fc.string({ maxLength: 5 })), { maxLength: 20 })
    const text = fc.oneof(
      inner.map((parts) => parts.join('')),
      inner.map((parts) => `---\n${parts.join('')}\n---\nbody`),
    )
    await fc.assert(
      fc.asyncProperty(text, async (written) => {
        const { data, body, problem } = await readFrontMatter(written)
        expect(written.endsWith(body)).toBe(true)
        if (problem !== null) expect([data, body]).toEqual([{}, written])
        expect(problem ?? 'A sentence.').toMatch(/^[A-Z][^\n]*\.$/)
      }),
      { numRuns: 200 },
    )
    expect(warned).not.toHaveBeenCalled()
    warned.mockRestore()
  })
})

test.each(['[', '{', '- ', '? ', '[{'])('front matter of %j without end is text', async (mark) => {
  const text = `---\ntitle: ${mark.repeat(20_000)}\n---\n# Kept\n`
  const { data, body, problem } = await readFrontMatter(text)
  expect({ data, body }).toEqual({ data: {}, body: text })
  expect(problem).toContain('it is nested too deeply')
})
