/** The page is small, its own alone, and built of rooms like everything else. */

import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, posix } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { PAGE, ROOT } from './bench.js'

const MOST_BYTES = 160_000
const MAX_LINES = 400

/** Rooms of page/src, and which of them each may import. Files beside the rooms put them together. */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  api: [],
  graph: [],
  state: ['api'],
  parts: ['api', 'state'],
  views: ['api', 'graph', 'parts', 'state'],
}

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => statSync(join(folder, path)).isFile())

describe('what is built', () => {
  const built = filesIn(PAGE)
  const plain = built.filter((path) => !/\.(br|gz|txt)$/.test(path))

  test('all of it together is below 160 kB as it is sent', () => {
    // The sample library is data, sent when it is asked for.
    const bytes = plain
      .filter((path) => !path.endsWith('.jsonl'))
      .map((path) => {
        const packed = built.includes(`${path}.br`) ? `${path}.br` : path
        return statSync(join(PAGE, packed)).size
      })
    expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MOST_BYTES)
  })

  test('what is packed is what is not packed', () => {
    const texts = plain.filter((path) => !path.endsWith('.woff2'))
    expect(texts.length).toBeGreaterThan(3)
    for (const path of texts) {
      const read = (ending: string): Buffer => readFileSync(join(PAGE, path + ending))
      expect(brotliDecompressSync(read('.br')).equals(read(''))).toBe(true)
      expect(gunzipSync(read('.gz')).equals(read(''))).toBe(true)
    }
  })

  test('another content has another name', () => {
    const assets = plain.filter((path) => path !== 'index.html')
    expect(assets.filter((path) => !/^assets\/[\w-]+-[\w-]{8}\.\w+$/.test(path))).toEqual([])
  })

  test('nothing is asked of anybody else, and nothing runs inside of the document', () => {
    const html = readFileSync(join(PAGE, 'index.html'), 'utf8')
    const style = plain
      .filter((path) => path.endsWith('.css'))
      .map((path) => readFileSync(join(PAGE, path), 'utf8'))
    expect([html, ...style].join('\n')).not.toMatch(/(?:https?:)?\/\/[a-z]/i)
    expect(html).not.toMatch(/<style|style=|\son\w+=|<script(?![^>]*\ssrc=)/i)
  })
})

describe('what it is built of', () => {
  const folder = join(ROOT, 'page/src')
  const sources = filesIn(folder)
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => ({ path, text: readFileSync(join(folder, path), 'utf8') }))
  const code = sources.filter(({ path }) => !path.endsWith('.test.ts'))

  test('every import follows an arrow, and of the engine only types and nouns come in', () => {
    const refusals = code.flatMap(({ path, text }) => {
      const room = path.split('/')[0] ?? ''
      return [...text.matchAll(/^import( type)?[^']*'(\.[^']+)'/gm)].flatMap(
        ([, type, target = '']) => {
          const to = posix.join('page/src', posix.dirname(path), target)
          const other = to.replace('page/src/', '').split('/')[0] ?? ''
          const isEngine = to.startsWith('src/')
          if (to.startsWith('examples/data/')) return []
          const isAllowed = isEngine
            ? type !== undefined || to.startsWith('src/core/')
            : !(room in ARROWS) || room === other || ARROWS[room]?.includes(other)
          return isAllowed ? [] : [`${path} imports ${target}`]
        },
      )
    })
    expect(code.length).toBeGreaterThan(40)
    expect(refusals).toEqual([])
  })

  test('stored text never becomes markup', () => {
    const pattern = /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function/i
    expect(code.filter(({ text }) => pattern.test(text)).map(({ path }) => path)).toEqual([])
  })

  test('labels are plain: none of those that nobody understood comes back', () => {
    const odd =
      /Go on\b|begins so|It has no text|Take facts out|leads on\b|Read for meaning|name="(In|Address|Happened)"/
    expect(code.filter(({ text }) => odd.test(text)).map(({ path }) => path)).toEqual([])
  })

  test('every file opens with its promise, exports by name and is short', () => {
    const wrong = sources.filter(
      ({ text }) =>
        !text.startsWith('/** ') ||
        /^export default/m.test(text) ||
        text.split('\n').length - 1 > MAX_LINES,
    )
    expect(wrong.map(({ path }) => path)).toEqual([])
  })
})
