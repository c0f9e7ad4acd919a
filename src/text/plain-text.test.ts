import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toPlainText } from './plain-text.js'

describe('toPlainText', () => {
  test.each([
    [
      '# Title\n\nSome **bold** and *soft* _words_ ~~gone~~.',
      'Title · Some bold and soft words gone.',
    ],
    ['## Title\n\n<p>', 'Title'],
    ['- [x] done\n* todo\n> quoted', 'done\ntodo\nquoted'],
    ['See [the **plan**](plan.md "Plan") and ![a dog](dog.png).', 'See the plan and a dog.'],
    ['[![build](badge.svg)](https://ci.example)', 'build'],
    ['[[Notes/Plan|the plan]] and [[Plan]]', 'the plan and Plan'],
    ['half a link](https://a.example/b) and [another](https://exam', 'half a link and another'],
    ['| name | size |\n|---|:-:|\n| a | 1 |', 'name · size\n\na · 1'],
    ['```js\nconst a = `b`\n```', 'const a = b'],
    ['<p class="x">A &amp; B<br/>C</p><div cla', 'A & B\nC'],
    ['"lead" href="x">text</a> of a link', 'text of a link'],
    ['a claim[^1] \\*starred\\*', 'a claim *starred*'],
    ['<tr><td>llama</td> <td>30 &euro;</td></tr><tr><td>gnu</td></tr>', 'llama · 30 €\ngnu'],
    ['A<script>let a = "<b>"</script>, <STYLE>b {}</style >B<!-- C -->', 'A, B'],
    ['A %%private%% note\n%%\nprivate\n\n%%\n', 'A  note'],
    ['| a \\| b | c |', 'a | b · c'],
    ['[a](b)\n[1]: https://a.example "A"\n[c]: <d/e.md>', 'a'],
    ['at <https://a.example/b> or <me@a.example>', 'at https://a.example/b or me@a.example'],
    ['__strong__ words', 'strong words'],
    ['fails with `code` and `cut_in', 'fails with code and cut_in'],
  ])('%j becomes %j', (markdown, plain) => {
    expect(toPlainText(markdown).text).toBe(plain)
  })

  test.each([
    'vector<int> a[i][j] == b * c * d',
    '__init__ snake_case_name and 2 < 3 > 1',
    '[shares image: a photo of a dog]',
    'x &unknown; y',
    'for %%i in (*.txt) do echo %%i',
    '100%% of it and 50%% of that',
    '[Alice]: yes',
  ])('%j is no markup', (text) => {
    expect(toPlainText(text).text).toBe(text)
  })

  test('a range moves with its text; ranges in removed text and URLs are dropped', () => {
    const text = '**Deploy** [docs](deploy.md) at https://deploy.example now: deploy'
    const found = [...text.matchAll(/deploy/gi)].map(({ index }) => ({
      start: index,
      end: index + 6,
    }))
    const { text: plain, ranges } = toPlainText(text, found)
    expect(plain).toBe('Deploy docs at https://deploy.example now: deploy')
    expect(ranges.map(({ start, end }) => plain.slice(start, end))).toEqual(['Deploy', 'deploy'])
  })

  test('`<!--` in code begins no comment', () => {
    expect(toPlainText('`<!--` and `<script>` begin, `-->` ends').text).toBe(
      '<!-- and <script> begin, --> ends',
    )
  })

  test('any text gives ranges inside the plain text, in order', () => {
    const piece = fc.constantFrom(
      ...'*_`[]()!#|<>&;\\\n ab-~=/'.split(''),
      '**',
      '](',
      '[[',
      '&amp;',
      '<p>',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const text = pieces.join('')
        const every = [...text].map((_, i) => ({ start: i, end: i + 1 }))
        const { text: plain, ranges } = toPlainText(text, every)
        expect(plain).toBe(plain.trim())
        for (const [i, { start, end }] of ranges.entries()) {
          expect(start).toBeGreaterThanOrEqual(ranges[i - 1]?.start ?? 0)
          expect(end).toBeLessThanOrEqual(plain.length)
        }
      }),
    )
  })
})
