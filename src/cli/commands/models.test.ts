import { describe, expect, test } from 'vitest'
import { temporaryFile } from '../../../test/support/library.js'
import { terminal } from '../../../test/support/terminal.js'

describe('meaning', () => {
  test('search --mode semantic, similar, embed and models work together', async () => {
    const cairn = terminal(temporaryFile())
    await cairn('add', 'The cat sleeps on the warm windowsill and purrs.')
    const kittens = await cairn('add', 'Kittens nap on a sunny windowsill.', '--json')
    const { id } = JSON.parse(kittens.out) as { id: string }
    const found = await cairn(
      'search',
      'where do cats rest',
      '--mode',
      'semantic',
      '--threshold',
      '0.1',
      '--json',
    )
    const answer = JSON.parse(found.out) as { hits: { matchType: string; chunks: unknown[] }[] }
    expect(answer.hits[0]).toMatchObject({
      matchType: 'semantic',
      chunks: [{ index: 0, start: 0 }],
    })
    expect((await cairn('similar', id)).out).toContain('cat sleeps')
    expect((await cairn('models')).out).toMatch(
      /cairn\/static@2 {2}active {2}256 dimensions {2}2 records \(100 %\)/,
    )
    const built = await cairn('embed', '--model', 'fake', '--json')
    expect(JSON.parse(built.out)).toMatchObject({
      waiting: 0,
      models: [{ state: 'idle' }, { state: 'active' }],
    })
    expect((await cairn('models', '--remove', 'cairn/static@2')).code).toBe(0)
  })

  test('vectors that are off or cannot be had are said in a sentence', async () => {
    const cairn = terminal(temporaryFile())
    await cairn('add', 'The cat sleeps.')
    const off = await cairn('search', 'cat', '--mode', 'semantic', '--no-vector')
    expect(off.out).toContain('Vectors are switched off; these are matches by words.')
    const wrong = await cairn('embed', '--model', 'magic:x')
    expect(wrong).toMatchObject({ code: 2, out: '' })
    expect(wrong.err).toContain(
      'There is no model "magic:x". Give static, onnx:FOLDER, ollama:NAME or openai:NAME.',
    )
    const missing = await cairn('embed', '--model', 'onnx:no/such/folder')
    expect(missing.code).toBe(1)
    expect(missing.err.trim().split('\n')).toHaveLength(1)
  })
})
