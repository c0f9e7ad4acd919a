/** `cairn eval` reads any folder of the shape, measures it by hand-checked figures, and says what is wrong. */

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/library.js'
import { runCli } from '../run.js'

type Figures = Record<string, number>
type Report = {
  sets: Record<string, { docs: number; queries: number; modes: Record<string, Figures> }>
  mean: Record<string, Figures>
}

/** @param stopAt the run is told to stop when this is on standard error */
async function cairnEval(
  args: readonly string[],
  { isTerminal = false, stopAt = null as string | null } = {},
) {
  const stop = new AbortController()
  let out = ''
  let err = ''
  const code = await runCli(['eval', ...args], {
    env: {},
    folder: '/nowhere',
    home: '/nowhere',
    platform: 'linux',
    columns: 100,
    isTerminal,
    readStdin: null,
    confirm: null,
    now: Date.now,
    stopSignal: () => stop.signal,
    outDrained: async () => {},
    writeOut: (text) => {
      out += text
    },
    writeError: (text) => {
      err += text
      if (stopAt !== null && text.includes(stopAt)) stop.abort()
    },
  })
  return { code, out, err }
}

async function reportOf(...args: string[]): Promise<Report> {
  const { code, out, err } = await cairnEval([...args, '--json'])
  expect({ code, err }).toEqual({ code: 0, err: '' })
  return JSON.parse(out) as Report
}

const jsonl = (rows: readonly object[]): string =>
  rows.map((row) => `${JSON.stringify(row)}\n`).join('')

const CORPUS = [
  { _id: 'moon', title: 'Moon', text: 'The moon goes around the earth in a month.' },
  { _id: 'tide', title: 'Tides', text: 'The sea rises and falls with the pull of the moon.' },
  { _id: 'bread', title: 'Bread', text: 'Flour, water, salt and yeast make a loaf.' },
  { _id: 'bread-again', title: 'Bread', text: 'Flour, water, salt and yeast make a loaf.' },
  { _id: 'title-only', title: 'A short history of lighthouses', text: '' },
  { _id: 'nothing', title: '', text: '' },
]
const QUERIES = [
  { _id: 'q1', text: 'yeast loaf' },
  { _id: 'q2', text: 'lighthouses' },
  { _id: 'q3', text: 'not judged' },
  { _id: 'q4', text: 'judged, and what was meant is not there' },
]
const QRELS = `query-id\tcorpus-id\tscore
q1\tbread-again\t1
q2\ttitle-only\t2
q2\tnothing\t1
q4\tgone\t1
q4\tmoon\t0
q9\tmoon\t1
`
const WHOLE = {
  'corpus.jsonl': jsonl(CORPUS),
  'queries.jsonl': jsonl(QUERIES),
  'qrels.tsv': QRELS,
}

/** A folder with these files; `undefined` leaves one of the whole set out. */
function setOf(files: Record<string, string | undefined> = {}, name = 'tiny'): string {
  const folder = join(temporaryFolder(), name)
  fill(folder, { ...WHOLE, ...files })
  return folder
}

function fill(folder: string, files: Record<string, string | undefined>): void {
  for (const [name, text] of Object.entries(files)) {
    if (text === undefined) continue
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
}

describe('figures [N8]', () => {
  test('of a small set are what they are by hand, in both modes', async () => {
    const { sets, mean } = await reportOf(setOf(), '--mode', 'keyword,semantic')
    expect(Object.keys(sets)).toEqual(['tiny'])
    expect(sets.tiny).toMatchObject({ docs: 6, queries: 2 })
    expect(Object.keys(sets.tiny?.modes ?? {})).toEqual(['keyword', 'semantic'])
    expect(mean).toEqual(sets.tiny?.modes)
    // q1: one record stands for bread and, second, for bread-again: nDCG 1 / log2 3 = 0.63093, reciprocal rank 1/2.
    // q2: one of two found: nDCG 2 / (2 + 0.63093) = 0.76019, recall 1/2, average precision 1/2.
    expect(mean.keyword).toMatchObject({
      'ndcg@10': 0.6956,
      'recall@5': 0.75,
      'recall@10': 0.75,
      'recall@100': 0.75,
      'mrr@10': 0.75,
      map: 0.5,
    })
    expect(mean.semantic?.['ndcg@10']).toBe(0.6956)
    expect(mean.keyword?.medianMs).toBeGreaterThan(0)
    expect(mean.keyword?.p95Ms).toBeGreaterThanOrEqual(mean.keyword?.medianMs ?? 0)
  })

  test('other documents take ranks and are never right: those of a file or of another set', async () => {
    const bib = join(temporaryFolder(), 'other.bib')
    writeFileSync(bib, '@book{light, title = {Lighthouses, lighthouses and lighthouses}}')
    const { sets } = await reportOf(setOf(), '--mode', 'keyword', '--among', bib)
    expect(sets.tiny).toMatchObject({ docs: 6, among: 1, queries: 2 })
    // q2: second instead of first, 2 / log2 3 = 1.26186 of 2.63093 → 0.47963; q1 as before.
    expect(sets.tiny?.modes.keyword?.['ndcg@10']).toBe(0.5553)
    const other = setOf({ 'corpus.jsonl': jsonl([{ _id: 'moon', text: 'No moon tonight.' }]) }, 'o')
    const among = await reportOf(setOf(), '--mode', 'keyword', '--among', other)
    expect(among.sets.tiny).toMatchObject({ among: 1, modes: { keyword: { 'ndcg@10': 0.6956 } } })
  })

  test('passage says how often the snippet of the first relevant hit shows the answer', async () => {
    const filler = 'Nothing of note was said about the weather that day. '.repeat(20)
    const turns = ['Ana: We saw otters at the weir.', 'Luc: The train was late again.']
    const folder = setOf({
      'corpus.jsonl': jsonl(turns.map((text, i) => ({ _id: `t${i}`, text }))),
      'sessions.jsonl': jsonl([{ _id: 's', text: `${turns[0]} ${filler}${turns[1]} Where?` }]),
      'queries.jsonl': jsonl([
        { _id: 1, text: 'otters weir' },
        { _id: 2, text: 'where' },
      ]),
      'of-turns.tsv': '1\tt0\t1\n2\tt0\t1\n',
      'qrels.tsv': '1\ts\t1\n2\ts\t1\n',
    })
    const asked = ['--corpus', 'sessions.jsonl', '--evidence', 'of-turns.tsv', '--mode', 'keyword']
    const { mean } = await reportOf(folder, ...asked)
    expect(mean.keyword).toMatchObject({ 'recall@10': 1, passage: 0.5 })
    expect((await cairnEval([folder, ...asked])).out).toMatch(/passage\n.*0\.500/)
  })

  test('the mean is over queries, not over sets', async () => {
    const folder = temporaryFolder()
    const corpus = jsonl(CORPUS)
    const one = { 'corpus.jsonl': corpus, 'queries.jsonl': jsonl([{ _id: 1, text: 'zzyzx' }]) }
    fill(join(folder, 'b-10'), { ...one, 'qrels.tsv': '1\tmoon\t1\n' })
    fill(join(folder, 'b-9'), WHOLE)
    const { sets, mean } = await reportOf(folder, '--mode', 'keyword')
    const names = Object.keys(sets).map((name) => name.split('/').at(-1))
    expect(names).toEqual(['b-9', 'b-10'])
    const nothing = Object.values(sets)[1]?.modes.keyword
    expect(nothing).toMatchObject({ 'ndcg@10': 0, 'recall@100': 0, map: 0 })
    // (0.63093 + 0.76019 + 0) / 3.
    expect(mean.keyword?.['ndcg@10']).toBe(0.4637)
  })

  test('judgements of TREC, under qrels/ and with more columns mean the same', async () => {
    const trec = 'q1 0 bread-again 1\nq2 0 title-only 2\r\nq2 0 nothing 1\n'
    const wide = QRELS.split('\n')
      .map((line, i) => (line === '' ? '' : `${line}\t${i === 0 ? 'code' : '7'}`))
      .join('\n')
    const folders = [
      setOf({ 'qrels.tsv': trec }),
      setOf({ 'qrels.tsv': undefined, 'qrels/test.tsv': QRELS }),
      setOf({ 'qrels.tsv': wide }),
    ]
    for (const folder of folders) {
      const { mean } = await reportOf(folder, '--mode', 'keyword')
      expect(mean.keyword?.['ndcg@10']).toBe(0.6956)
    }
  })

  test('--corpus, --qrels and --limit-queries choose what is measured', async () => {
    const folder = setOf({
      'other.jsonl': jsonl([{ _id: 'x', text: 'lighthouses' }]),
      'other.tsv': 'q2\tx\t1\n',
    })
    const other = ['--corpus', 'other.jsonl', '--qrels', 'other.tsv', '--mode', 'keyword']
    const { sets } = await reportOf(folder, ...other)
    expect(sets.tiny).toMatchObject({ docs: 1, queries: 1, modes: { keyword: { 'ndcg@10': 1 } } })
    const limited = await reportOf(folder, '--limit-queries', '1', '--mode', 'keyword')
    expect(limited.sets.tiny?.queries).toBe(1)
  })

  test('--lens is the lens of every search', async () => {
    const folder = setOf({
      'corpus.jsonl': jsonl([
        {
          _id: 'words',
          text: 'Parliament debated tariffs, taxes and customs for hours, and nobody had a recipe.',
        },
        {
          _id: 'meaning',
          text: 'Sourdough loaves, baguettes and rolls: flour, yeast and a hot oven.',
        },
        { _id: 'other', text: 'The moon goes around the earth in a month.' },
      ]),
      'queries.jsonl': jsonl([{ _id: 'q', text: 'bread recipe' }]),
      'qrels.tsv': 'q\twords\t1\n',
    })
    const ofLens = async (lens: string) =>
      (await reportOf(folder, '--mode', 'hybrid', '--lens', lens)).mean.hybrid?.['mrr@10']
    expect(await ofLens('exact')).toBe(1)
    expect(await ofLens('literature')).toBe(0.5)
  })

  test('a document that the query was taken from is not found', async () => {
    const keys = [{ exclude: ['tide', 'gone'] }, { paper: 'tide' }, { citing_paper: 'tide' }]
    for (const metadata of keys) {
      const queries = jsonl([{ _id: 'q', text: 'moon', metadata }])
      const folder = setOf({ 'queries.jsonl': queries, 'qrels.tsv': 'q\tmoon\t1\nq\ttide\t1\n' })
      const { mean } = await reportOf(folder, '--mode', 'keyword')
      expect(mean.keyword).toMatchObject({ 'recall@100': 0.5, 'mrr@10': 1 })
    }
  })

  test('the parts of a work that a query was taken from are not found', async () => {
    const corpus = CORPUS.map((one) => ({
      ...one,
      metadata: { paper: one._id.startsWith('bread') ? 'cookbook' : null },
    }))
    const queries = [{ _id: 'q1', text: 'yeast loaf', metadata: { citing_paper: 'cookbook' } }]
    const folder = setOf({ 'corpus.jsonl': jsonl(corpus), 'queries.jsonl': jsonl(queries) })
    const { mean } = await reportOf(folder, '--mode', 'keyword')
    expect(mean.keyword?.['recall@100']).toBe(0)
  })

  test('a speaker is one of the people, and a line may hold any character', async () => {
    const text = 'first \u2028 second'
    const corpus = `\uFEFF${JSON.stringify({ _id: 'a', text, metadata: { speaker: 'Priya' } })}\n\n`
    const queries = jsonl([{ _id: 'q', text: 'person:priya second' }])
    const folder = setOf({
      'corpus.jsonl': corpus,
      'queries.jsonl': queries,
      'qrels.tsv': 'q\ta\t1',
    })
    const { mean } = await reportOf(folder, '--mode', 'keyword')
    expect(mean.keyword?.['ndcg@10']).toBe(1)
  })
})

describe('query by query [N8]', () => {
  test('a run is written down, and a later one compared with it', async () => {
    const folder = setOf()
    const file = join(temporaryFolder(), 'before.jsonl')
    await reportOf(folder, '--mode', 'keyword', '--per-query', file)
    const lines = readFileSync(file, 'utf8').trim().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      {
        set: 'tiny',
        mode: 'keyword',
        query: 'q1',
        'mrr@10': 0.5,
        ranking: ['bread', 'bread-again'],
      },
      { set: 'tiny', mode: 'keyword', query: 'q2', ranking: ['title-only'] },
    ])
    const same = await reportOf(folder, '--mode', 'keyword', '--compare', file)
    expect(same).toMatchObject({ compared: [{ mode: 'keyword', queries: 2, ties: 2, p: 1 }] })

    const worse = lines.map((line) => ({ ...JSON.parse(line), 'ndcg@10': 0 }))
    writeFileSync(file, jsonl(worse))
    const { out } = await cairnEval([folder, '--mode', 'keyword', '--compare', file])
    expect(out).toContain('nDCG@10 0.0000 → 0.6956 (+0.6956)')
    expect(out).toContain('2 better, 0 worse, 0 as before; p = 0.5000, may be chance')
  })

  test('a file to compare with that is none is refused before anything is indexed', async () => {
    const file = join(temporaryFolder(), 'wrong.jsonl')
    writeFileSync(file, '{"set": "tiny"}\n')
    const { code, err } = await cairnEval([setOf(), '--compare', file])
    expect(code).not.toBe(0)
    expect(err).toContain(`${file}, line 1`)
  })
})

const workFolders = (): string[] =>
  readdirSync(tmpdir()).filter((name) => name.startsWith('cairn-eval-'))

describe('output', () => {
  test('the table has every figure, a row for each set and mode, and the mean last [N8]', async () => {
    const folder = temporaryFolder()
    fill(join(folder, 'sets', 'one'), WHOLE)
    fill(join(folder, 'sets', 'longer-name'), WHOLE)
    const { out } = await cairnEval([join(folder, 'sets'), '--mode', 'keyword,semantic'])
    const lines = out.replace(/\d+\.\d\b(?!\d)/g, (ms) => '#'.padStart(ms.length)).split('\n')
    const shown = lines.map((line) => line.replace(/ +/g, ' ').trim())
    // nDCG, recall at 5, 10 and 100, MRR and MAP: the same by words and by meaning, as worked out above.
    const figures = '0.696 0.750 0.750 0.750 0.750 0.500 # #'
    expect(shown).toEqual([
      'set mode docs queries nDCG@10 R@5 R@10 R@100 MRR@10 MAP ms p95',
      `sets/longer-name keyword 6 2 ${figures}`,
      `semantic ${figures}`,
      `sets/one keyword 6 2 ${figures}`,
      `semantic ${figures}`,
      `mean keyword 12 4 ${figures}`,
      `semantic ${figures}`,
      '',
    ])
    expect(new Set(lines.slice(0, -1).map((line) => line.length)).size).toBe(1)
  })

  test('progress is shown on a terminal and cleared, and no index is left behind', async () => {
    const before = workFolders()
    const { err } = await cairnEval([setOf(), '--mode', 'keyword'], { isTerminal: true })
    expect(err).toContain('6 of 6 documents of tiny')
    expect(err).toContain('2 of 2 queries of tiny, keyword')
    expect(err.endsWith('\r\u001b[K')).toBe(true)
    expect(workFolders().filter((name) => !before.includes(name))).toEqual([])
  })

  test('a run that is told to stop ends after the query it is at, and leaves no index behind', async () => {
    const before = workFolders()
    const args = [setOf(), '--mode', 'keyword']
    const stopped = await cairnEval(args, { isTerminal: true, stopAt: '1 of 2 queries' })
    expect(stopped).toMatchObject({ code: 1, out: '' })
    expect(stopped.err).not.toContain('2 of 2 queries')
    expect(stopped.err).toContain('The evaluation was stopped before its end')
    expect(workFolders().filter((name) => !before.includes(name))).toEqual([])
  })
})

describe('what is wrong is said in one sentence', () => {
  const errorOf = async (folder: string, ...args: string[]) => {
    const { code, out, err } = await cairnEval([folder, '--json', ...args])
    expect(out).toBe('')
    const { error } = JSON.parse(err) as { error: { code: string; message: string } }
    return { exit: code, code: error.code, message: error.message.replace(folder, 'SET') }
  }

  test.each([
    ['corpus.jsonl', '{"_id": "a", "text": "x"}\n\n{"_id":', 3, 'this is not JSON'],
    ['corpus.jsonl', '[]', 1, 'this is not a JSON object'],
    ['corpus.jsonl', '{"text": "x"}', 1, 'the document has no _id'],
    ['corpus.jsonl', '{"_id": "a", "text": 7}', 1, 'title and text must be text'],
    ['corpus.jsonl', '{"_id": "a"}\n{"_id": "a"}', 2, 'the _id "a" is taken'],
    ['queries.jsonl', '{"text": "x"}', 1, 'the query has no _id'],
    ['queries.jsonl', '{"_id": "q1", "text": " "}', 1, 'the query has no text'],
    ['qrels.tsv', 'query\tcorpus\tscore\nq1\ta', 2, 'this is not a query, a document and a score'],
    ['qrels.tsv', 'q1\tbread\t1\nq1\tmoon\tgood', 2, 'this is not a query, a document and a score'],
  ])('in %s: %s', async (name, text, line, why) => {
    const { exit, code, message } = await errorOf(setOf({ [name]: text }))
    expect({ exit, code }).toEqual({ exit: 2, code: 'bad_input' })
    expect(message).toBe(`${join('SET', name)}, line ${line}: ${why}.`)
  })

  test('files that are missing', async () => {
    expect(await errorOf(setOf({ 'queries.jsonl': undefined }))).toEqual({
      exit: 1,
      code: 'unreadable_file',
      message: `${join('SET', 'queries.jsonl')} cannot be read.`,
    })
    const noCorpus = await errorOf(setOf({ 'corpus.jsonl': undefined }))
    expect(noCorpus.message).toBe('There is no corpus.jsonl in SET or in the folders inside it.')
    const noQrels = await errorOf(setOf({ 'qrels.tsv': undefined }))
    expect(noQrels.message).toContain('There are no judgements in SET')
    const nowhere = await errorOf(join(temporaryFolder(), 'nowhere'))
    expect(nowhere.message).toBe('The folder SET cannot be read.')
    const unjudged = await errorOf(setOf({ 'qrels.tsv': 'q1\tgone\t1\n' }))
    expect(unjudged.message).toBe('No query of SET has a relevant document in corpus.jsonl.')
  })

  test('a file for the queries that cannot be written, before anything is indexed', async () => {
    const folder = temporaryFolder()
    for (const file of [join(folder, 'gone', 'x.jsonl'), folder]) {
      const args = [setOf(), '--mode', 'keyword', '--per-query', file]
      const { code, out, err } = await cairnEval(args, { isTerminal: true })
      expect({ code, out }).toEqual({ code: 1, out: '' })
      expect(err).toContain(`The queries cannot be written to ${file}.`)
      expect(err).not.toContain('documents of')
    }
  })

  test('options, and modes in the words of the library', async () => {
    expect((await cairnEval([])).err).toContain('There is nothing to evaluate.')
    const { message } = await errorOf(setOf(), '--limit-queries', '0')
    expect(message).toBe('--limit-queries must be a whole number above 0, not "0".')
    const mode = await errorOf(setOf(), '--mode', 'keyword,telepathy')
    expect(mode.message).toBe('--mode must be one of keyword, semantic, hybrid, not "telepathy".')
  })

  test('a line that the library refuses is named with its batch', async () => {
    const last = { _id: 'last', text: 'x', metadata: { speaker: 'two\nlines' } }
    const corpus = jsonl([...CORPUS, last])
    const { code, message } = await errorOf(setOf({ 'corpus.jsonl': corpus }), '--mode', 'keyword')
    expect(code).toBe('bad_input')
    expect(message).toContain(`${join('SET', 'corpus.jsonl')}, lines 1 to 7, cannot be added: `)
  })
})
