/** Headings and links are found where a reader sees them, and nowhere in code. */

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { maskCode, readOutline } from './outline.js'

const headingsOf = (text: string): [number, string][] =>
  readOutline(text).headings.map(({ level, text: words }) => [level, words])
const linksOf = (text: string): string[] =>
  readOutline(text).links.map(({ target, isEmbed }) => `${isEmbed ? '!' : ''}${target}`)

describe('headings', () => {
  test('hashes make headings of six levels', () => {
    expect(headingsOf('# One\n## Two ##\n###### Six\n####### seven\n#tag\n#\n# C#')).toEqual([
      [1, 'One'],
      [2, 'Two'],
      [6, 'Six'],
      [1, ''],
      [1, 'C#'],
    ])
  })

  test('lines below a text make headings of two levels', () => {
    expect(headingsOf('Title\n=====\n\nOver two\nlines\n---\n')).toEqual([
      [1, 'Title'],
      [2, 'Over two lines'],
    ])
  })

  test('rules, lists, quotes and tables are no headings', () => {
    expect(
      headingsOf('---\n\n- item\n---\n\n> quote\n---\n\n| a |\n---\n\n    code\n---\n'),
    ).toEqual([])
    expect(headingsOf('text\n\n---\n\n***\n---')).toEqual([])
  })

  test('the title is the first heading of level 1, as it is read', () => {
    expect(readOutline('## Before\n# The **bold** `code` of [[Note|a note]]\n# Next').title).toBe(
      'The bold code of a note',
    )
    expect(readOutline('# snake_case and [a link](x.md) *here*').title).toBe(
      'snake_case and a link here',
    )
    expect(readOutline('##\n\n## Only this').title).toBe('Only this')
    expect(readOutline('').title).toBeNull()
  })
})

describe('links', () => {
  test('wiki links name a note, also with a heading or an alias', () => {
    expect(
      linksOf('[[Note]] [[A b|alias]] [[N#Head]] [[N#H|x]] [[#Here]] ![[img.png|200]]'),
    ).toEqual(['Note', 'A b', 'N', 'N', '!img.png'])
    expect(linksOf('| [[Note\\|shown]] | [[N#^block]] |')).toEqual(['Note', 'N'])
  })

  test('relative links of Markdown name a file', () => {
    expect(
      linksOf('[a](b.md) [c d](<e f.md>) ![pic](p.png "title") [x](My%20note.md#a%20b) [](z.md)'),
    ).toEqual(['b.md', 'e f.md', '!p.png', 'My note.md', 'z.md'])
    expect(linksOf('[see [1] here](a_(b).md) and [over\ntwo lines](c.md)')).toEqual([
      'a_(b).md',
      'c.md',
    ])
  })

  test('web addresses, footnotes and escaped brackets are not links', () => {
    const text =
      '[a](https://x.org) [b](mailto:x@y.z) [c](//h/x) [^1] \\[[no]] \\[no](x.md) [[]] [x]()'
    expect(linksOf(text)).toEqual([])
    expect(linksOf('\\\\[[yes]]')).toEqual(['yes'])
  })
})

describe('code and comments', () => {
  test('nothing is found in fences, inline code and comments', () => {
    const text = `\`\`\`md
# no [[no]]
~~~
[[no]]
\`\`\`
- list
    ~~~~
    [[no]]
    ~~~
    # no
    ~~~~
> \`\`\`
> [[no]]
# Yes [[one]]
\`[[no]]\` and \`\` [[no]] \` [[no]] \`\` <!-- [[no]]

# no
--> [[two]] \\\`[[three]]\\\`
<!-- never closed [[no]]`
    expect(linksOf(text)).toEqual(['one', 'two', 'three'])
    expect(headingsOf(text)).toEqual([[1, 'Yes [[one]]']])
  })

  test('backticks without their pair cover nothing', () => {
    expect(linksOf('a ` b [[one]]\n\n[[two]] `\n')).toEqual(['one', 'two'])
    expect(linksOf('a ` b\n```\n[[no]] `\n```\n[[yes]]')).toEqual(['yes'])
    expect(linksOf('a <!-- b [[one]]')).toEqual(['one'])
  })

  test('a fence that is never closed covers all of the rest', () => {
    expect(linksOf('[[yes]]\n```\n[[no]]\n\n# no\n``\n[[no]]')).toEqual(['yes'])
  })
})

const piece = fc.constantFrom(
  ...[
    '# ',
    '## ',
    '\n',
    '\n\n',
    '[[',
    ']]',
    '|',
    '#',
    '![[',
    '[',
    ']',
    '(',
    ')',
    '](',
    '`',
    '``',
    '```',
  ],
  ...[
    '~~~',
    '<!--',
    '-->',
    '---',
    '===',
    '- ',
    '> ',
    '    ',
    '\\',
    'a',
    'b c',
    'x.md',
    '%',
    '%zz',
    '\r\n',
  ],
  ...['é', '\ud83d', '<', '>', '"', 'https://x.y', '*', '_'],
)
const markdown = fc
  .array(fc.oneof({ weight: 5, arbitrary: piece }, fc.string({ maxLength: 4 })), { maxLength: 40 })
  .map((parts) => parts.join(''))

describe('any text', () => {
  test('headings and links hold text of the file', () => {
    fc.assert(
      fc.property(markdown, (text) => {
        const { headings, links } = readOutline(text)
        const joined = text.replace(/\s+/g, ' ')
        for (const { text: words, level } of headings) {
          expect(level >= 1 && level <= 6).toBe(true)
          expect(joined).toContain(words.replace(/\s+/g, ' '))
        }
        for (const { target } of links) {
          if (!text.includes('%')) expect(text).toContain(target)
        }
      }),
      { numRuns: 500 },
    )
  })

  test('a mask is as long as its text and keeps its lines', () => {
    fc.assert(
      fc.property(markdown, (text) => {
        const masked = maskCode(text)
        expect(masked).toHaveLength(text.length)
        expect(masked.replace(/[^\n]/g, '.')).toBe(text.replace(/[^\n]/g, '.'))
      }),
      { numRuns: 500 },
    )
  })

  test('nothing within a fence is found, whatever it is', () => {
    const inside = markdown.map((text) => text.replace(/[`~]{3,}/g, ''))
    fc.assert(
      fc.property(inside, fc.constantFrom('```', '~~~', '`````'), (text, mark) => {
        const fenced = (inner: string): string =>
          `# A [[b]]\n\n${mark}md\n${inner}\n${mark}\n[c](d.md)`
        const { links, headings } = readOutline(fenced(text))
        expect(links.map(({ target }) => target)).toEqual(['b', 'd.md'])
        expect(headings).toHaveLength(1)
      }),
      { numRuns: 300 },
    )
  })

  test('long texts of marks that never close are read in one go', () => {
    for (const mark of [
      '`',
      '[[',
      '[',
      '[a](',
      '<!-- ',
      'a <!-- ',
      '# ',
      '- ',
      '**a ',
      '\\',
      '](',
      '`a``b ',
    ]) {
      const text = mark.repeat(Math.ceil(200_000 / mark.length))
      expect(readOutline(text).links).toEqual([])
      expect(readOutline(`# ${' '.repeat(100_000)}x`).headings).toHaveLength(1)
    }
  })
})
