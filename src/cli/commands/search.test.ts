import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryFile, temporaryFolder } from '../../../test/support/library.js'
import { golden, jsonOf, NOW, steady, terminal } from '../../../test/support/terminal.js'
import { people, work } from '../../../test/support/works.js'
import { openCairn } from '../../index.js'

describe('search', () => {
  test('a pasted page is not repeated above its hits', async () => {
    const run = terminal(temporaryFile())
    await run('add', 'A short note about walls.')
    const { out } = await run(
      'search',
      `walls ${Array.from({ length: 500 }, (_, i) => `word${i}`).join(' ')}`,
    )
    expect(out.split('\n')[0]?.length).toBeLessThan(300)
    expect(out).toContain('…')
  })

  test('ten hits as JSON have at most 20 kB, in one line for a program and indented for a person', async () => {
    const file = temporaryFile()
    const cairn = await openCairn({ file, vectors: false })
    const body = (i: number) =>
      `The harbour of day ${i} was windy. ${'Nobody went out. '.repeat(99)}`
    const title = 'Harbour'
    await cairn.addMany(Array.from({ length: 10 }, (_, i) => ({ body: body(i), title })))
    await cairn.close()
    const { out } = await terminal(file)('search', 'windy harbour', '--json')
    expect(JSON.parse(out).hits).toHaveLength(10)
    expect(out.length).toBeLessThanOrEqual(20_000)
    expect(out.split('\n')).toHaveLength(2)
    const shown = await terminal(file, { isTerminal: true })('search', 'windy', '--json')
    expect(shown.out).toMatch(/^\{\n {2}"query": \{\n/)
  })

  async function filled() {
    const file = temporaryFile()
    const cairn = terminal(file)
    await cairn('add', 'We deploy on Thursdays.', '--title', 'Release day', '--tag', 'release')
    await cairn('add', 'The staging server deploys itself.', '--tag', 'ops')
    return { file, cairn }
  }

  test('shows hits with matched words, ids and tags', async () => {
    const { cairn } = await filled()
    const { out, err, code } = await cairn('search', 'deploy thursdays')
    expect({ err, code }).toEqual({ err: '', code: 0 })
    golden('search.txt', steady(out))
  })

  test('a hit with a short title takes three lines at most; --long, --files, --fields and -q show more or less', async () => {
    const folder = temporaryFolder()
    const text = 'The harbour is deep. '.repeat(60)
    writeFileSync(join(folder, 'sea.md'), `---\ntags: [sea]\n---\n# Sea\n\n## Harbour\n\n${text}`)
    const cairn = terminal(temporaryFile(), { columns: 80 })
    await cairn('import', folder)
    const lines = (await cairn('search', 'harbour', '-q')).out.trimEnd().split('\n')
    expect(lines).toHaveLength(3)
    expect(lines[0]).toMatch(/^ \d\.\d\d \w+ {2}Sea · sea\.md:\d+ · › Harbour$/)
    expect((await cairn('search', 'harbour', '--long')).out).toContain('#sea')
    expect((await cairn('search', 'harbour', '--files')).out).toBe(`${join(folder, 'sea.md')}\n`)
    const fields = await cairn('search', 'harbour', '--fields', 'title,path,heading')
    expect(fields.out).toBe('Sea\tsea.md\tHarbour\n')
    expect((await cairn('search', 'harbour', '--fields', 'colour')).err).toContain(
      'no field "colour"',
    )
  })

  test('colours on a terminal only, and never with NO_COLOR', async () => {
    const { file } = await filled()
    const colour = '\u001b['
    expect((await terminal(file)('search', 'deploy')).out).not.toContain(colour)
    expect((await terminal(file, { isTerminal: true })('search', 'deploy')).out).toContain(colour)
    const quiet = { isTerminal: true, env: { CAIRN_DB: file, NO_COLOR: '1' } }
    expect((await terminal(file, quiet)('search', 'deploy')).out).not.toContain(colour)
  })

  test('a quoted query may leave a word out; a dash by itself is an unknown option', async () => {
    const { cairn } = await filled()
    const wrong = await cairn('search', 'deploy', '-staging')
    expect(wrong).toMatchObject({ code: 2, out: '' })
    expect(wrong.err).toBe(
      'cairn: cairn search has no option -staging. To leave a word out, write the query last, after two dashes: -- … -staging\n',
    )
    expect((await cairn('search', '-staging deploy', '-j')).code).toBe(0)
    const { out } = await cairn('search', 'deploy -staging', '--json')
    const { hits, query } = JSON.parse(out) as {
      hits: { title: string }[]
      query: { readAs: string }
    }
    expect(hits.map(({ title }) => title)).toEqual(['Release day'])
    expect(query.readAs).toBe('deploy -staging')
  })

  test('a number may be below zero', async () => {
    const { cairn } = await filled()
    const { code, out } = await cairn(
      'search',
      'deploy',
      '--mode',
      'semantic',
      '--threshold',
      '-1',
      '--json',
    )
    expect(code).toBe(0)
    expect((JSON.parse(out) as { hits: unknown[] }).hits).toHaveLength(2)
  })

  test('--explain draws a tree that comes to the score', async () => {
    const { cairn } = await filled()
    const { out } = await cairn('search', 'deploy', '--explain', '--mode', 'keyword')
    expect(out).toMatch(/├ as asked +0\.5000/)
    expect(out).toMatch(/× strength/)
  })

  test('--marks gives HTML in which only the marks are markup', async () => {
    const { cairn } = await filled()
    await cairn('add', '<script>alert("deploy & run")</script>')
    const { hits } = JSON.parse((await cairn('search', 'run', '--marks', '--json')).out) as {
      hits: { snippet: { text: string } }[]
    }
    expect(hits[0]?.snippet.text).toBe(
      '&lt;script&gt;alert(&quot;deploy &amp; <mark>run</mark>&quot;)&lt;/script&gt;',
    )
  })

  test('a stored text cannot take over the terminal', async () => {
    const { cairn } = await filled()
    await cairn('add', 'evil \u001b[2J\u001b]0;owned\u0007 \u202egnp.exe deploy')
    for (const args of [['search', 'evil'], ['list']]) {
      const { out } = await cairn(...args)
      for (const char of ['\u001b', '\u0007', '\u202e']) expect(out).not.toContain(char)
    }
  })

  test('--sql prints what ran on standard error and leaves the answer alone', async () => {
    const { cairn } = await filled()
    const { out, err } = await cairn('search', 'deploy', '--sql', '--json')
    expect(() => JSON.parse(out)).not.toThrow()
    expect(err).toContain('FROM records_ft_data')
  })

  test('[F1] twenty hits unless told otherwise', async () => {
    const file = temporaryFile()
    const cairn = terminal(file)
    const filled = await openCairn({ file })
    await filled.addMany(Array.from({ length: 25 }, (_, i) => ({ body: `kiwi ${i}` })))
    await filled.close()
    const { hits } = JSON.parse((await cairn('search', 'kiwi', '--json')).out) as {
      hits: unknown[]
    }
    expect(hits).toHaveLength(20)
  })
})

describe('what is shown around a hit', () => {
  async function remembered() {
    let time = NOW
    const file = temporaryFile()
    const cairn = terminal(file, { now: () => time++ })
    const json = jsonOf(cairn)
    const add = async (...args: string[]) => (await json<{ id: string }>('add', ...args)).id
    await cairn('session', 'start', '--name', 'standup')
    const turn = ['--session', 'standup', '--person']
    await add('Good morning, everyone.', ...turn, 'Tom')
    const tabs = await add(
      'Priya prefers tabs for indentation.',
      ...turn,
      'Priya',
      '--extract-facts',
    )
    await add('Then let us write that down.', ...turn, 'Tom')
    const spaces = await add(
      'Priya prefers spaces for indentation.',
      '--extract-facts',
      '--tag',
      'style',
    )
    const guide = await add('The style guide.', '--kind', 'document')
    await cairn('link', spaces, guide)
    return { file, cairn, json, tabs, spaces }
  }

  test('session, links, facts and what contradicts them, turns around it and facets', async () => {
    const { cairn } = await remembered()
    const { out } = await cairn(
      'search',
      'indentation',
      '--long',
      '--context',
      '1',
      '--facets',
      '--match',
      'all',
    )
    golden('search-memory.txt', steady(out))
  })

  test('what took its place, and facts only where they are wanted', async () => {
    const { cairn, tabs, spaces } = await remembered()
    await cairn('supersede', tabs, spaces)
    const all = await cairn('search', 'indentation', '--include-superseded')
    expect(all.out).toMatch(/✗ superseded by \S+: Priya prefers spaces for indentation\.\n/)
    const few = await cairn('search', 'indentation', '--no-facts', '--long')
    expect(few.out).not.toContain('superseded')
    expect(few.out).not.toContain('Priya · prefers')
  })

  test('every line fits a narrow terminal', async () => {
    const { file } = await remembered()
    const { out } = await terminal(file, { columns: 50 })(
      ...['search', 'indentation', '--context', '1', '--facets', '--include-superseded'],
    )
    expect(out.split('\n').filter((line) => line.length > 50)).toEqual([])
  })

  test('nothing that identifies a hit, and no label, is lost in a narrow terminal', async () => {
    const file = temporaryFile()
    const cairn = await openCairn({ file, vectors: false })
    const title = 'A Label Informative Wide & Deep Classifier for Patents and Papers'
    const venue = 'Proceedings of the Meeting'
    const authors = people('Muyao Niu', 'Jie Cai')
    const citationKey = 'niu-cai-2019-label'
    await cairn.works.import([work(title, { authors, venue, year: 2019, citationKey })])
    await cairn.add({ body: 'Penguins file patents.', session: 's', people: ['Ann'] })
    await cairn.close()
    for (const columns of [50, 80, 100, 250]) {
      const { out } = await terminal(file, { columns })('search', 'patents archives', '-q')
      const text = out.replace(/\s+/g, ' ')
      for (const part of ['Muyao Niu, Jie Cai', ' · 2019', citationKey, venue, 'Ann · ']) {
        expect(text).toContain(part)
      }
      expect(text.match(/some of the words/g)).toHaveLength(2)
    }
  })

  test('a record that was only filtered has no score, in lines, fields and trees', async () => {
    const { cairn } = await remembered()
    const listed = ['search', '', '--tag', 'style'] as const
    expect((await cairn(...listed, '-q', '--explain')).out).toMatch(
      /^ {6}\w+ {2}just now · #style\n {6}Priya prefers spaces for indentation\.\n$/,
    )
    expect((await cairn(...listed, '--fields', 'score,tags')).out).toBe('\tstyle\n')
  })

  test('--no-documents, --sector, --year, --min-salience and --fact-type narrow a search', async () => {
    const { json } = await remembered()
    const found = async (...args: string[]) =>
      (await json<{ hits: unknown[] }>('search', '', ...args)).hits.length
    expect(await found('--kind', 'document')).toBe(1)
    expect(await found('--kind', 'document', '--no-documents')).toBe(0)
    expect(await found('--fact-type', 'preference')).toBe(2)
    expect(await found('--year', '2026')).toBe(5)
    expect(await found('--year', '1999')).toBe(0)
    expect(await found('--min-salience', '0.9')).toBe(0)
    expect(await found('--tier', 'project', '--tier', 'global')).toBe(5)
  })
})
