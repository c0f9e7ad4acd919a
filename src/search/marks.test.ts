/** Snippets and passages show the text that a reader sees. */

import { expect, test } from 'vitest'
import { libraryOf } from '../../test/support/library.js'

test('passages do not overlap, and all of their matches are marked', async () => {
  const body = 'We saw the bees again. The hive is old. Bees drink. '.repeat(16)
  const cairn = await libraryOf([body])
  const [hit] = (await cairn.search('bees', { passages: 3, mode: 'keyword' })).hits
  const passages = [...(hit?.passages ?? [])].sort((a, b) => a.start - b.start)
  expect(passages).toHaveLength(3)
  for (const [i, { text, start, end, highlights }] of passages.entries()) {
    expect(start).toBeGreaterThanOrEqual(passages[i - 1]?.end ?? 0)
    expect(text).toBe(body.slice(start, end))
    expect(highlights).toHaveLength(text.match(/bees/gi)?.length ?? 0)
  }
})

test.each([
  '<script>/* deploy */ deploy()</script>',
  '<!-- deploy deploy -->',
  '<a href="https://deploy.example/deploy">there</a>',
  '[there](https://deploy.example/deploy)',
  'https://deploy.example/deploy',
  '[1]: https://deploy.example/deploy',
])('the snippet shows a match that is seen, not %s', async (unseen) => {
  const other = 'Nothing of it is said here. '.repeat(15)
  const cairn = await libraryOf([`${other}\n\n${unseen}\n\n${other}\n\nWe deploy now.`])
  const [hit] = (await cairn.search('deploy', { mode: 'keyword' })).hits
  const { text = '', highlights = [] } = hit?.snippet ?? {}
  expect(text).toContain('We deploy now.')
  expect(highlights.map(({ start, end }) => text.slice(start, end))).toEqual(['deploy'])
  expect(hit?.highlights.body.length).toBeGreaterThan(1)
})

test('a text of markup alone is shown as it is', async () => {
  const body = '<script>deploy()</script>'
  const cairn = await libraryOf([body])
  const [hit] = (await cairn.search('deploy', { mode: 'keyword' })).hits
  expect(hit?.snippet).toMatchObject({ text: body, highlights: [{ start: 8, end: 14 }] })
})

test('if all matches are in comments, the snippet is the beginning', async () => {
  const comment = `<!-- ${'deploy it now '.repeat(10)} -->`
  const cairn = await libraryOf([`First.\n\n${'Some words. '.repeat(30)}\n\n${comment}`])
  const [hit] = (await cairn.search('deploy', { mode: 'keyword' })).hits
  expect(hit?.snippet?.text).toMatch(/words\.$/)
})

test('the passage is longer if much of it is markup', async () => {
  const row = '<tr><td class="name" style="color:#333">llama</td><td>30</td></tr>\n'
  const cairn = await libraryOf([`<table>${row.repeat(30)}</table>`])
  const [hit] = (await cairn.search('llama', { mode: 'keyword' })).hits
  const { text = '', start = 0, end = 0 } = hit?.snippet ?? {}
  expect(end - start).toBeGreaterThan(400)
  expect(text.length).toBeLessThanOrEqual(280)
  expect(text).toMatch(/^(llama · 30\n)+/)
})
