/** Gives every text field and every importer one long text of each kind, and measures time and memory. */

import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { attempt } from '../lib/attempt.mjs'
import { createChance } from '../lib/chance.mjs'
import { tellFigures } from '../lib/fuzz.mjs'

const { library, seconds, seed, folder } = JSON.parse(process.argv[2])
const { openCairn } = await import(library)

const MEGABYTE = 1_000_000
/** In a few seconds only the form of the inputs is tried. */
const size = seconds < 10 ? MEGABYTE / 50 : MEGABYTE
const MAX_MS = 2000
const MAX_MEGABYTES = 300

const SHAPES = {
  letters: 'k',
  spaces: ' ',
  brackets: '[',
  braces: '{',
  'round brackets': '(',
  'line ends': '\n',
  marks: '\u0301\u0316',
  'escaped brackets': '\\[',
  'quotation marks': '„',
  stops: '!',
  tildes: '~',
  comments: '<!--',
  words: 'word ',
  ideographs: '東',
}
const BIBTEX = (field) => (text) =>
  `@misc{good, title={Kept}}\n@misc{k, title={x}, ${field}={${text}}}\n`
const RIS = (tag) => (text) =>
  `TY  - JOUR\nTI  - Kept\nER  - \nTY  - JOUR\nTI  - x\n${tag}  - ${text}\nER  - \n`
const line = (value) => `${JSON.stringify(value)}\n`
const MAIL = 'From a@b.example Thu Jan  1 00:00:00 2026\n'

/** Each writes a file of a format around the text. */
const FILES = {
  'note.md': ['markdown', (text) => text],
  'heading.md': ['markdown', (text) => `# ${text}\n\ntext #tag-${text}`],
  'link.md': ['markdown', (text) => `[a](b) [${text}](note.md) \`${text}\` [[${text}]]`],
  'front.md': ['markdown', (text) => `---\ntitle: ${text.slice(0, 90_000)}\n---\ntext`],
  'yaml.md': ['markdown', (text) => `---\n${text.slice(0, 90_000)}\n---\ntext`],
  'plain.txt': ['text', (text) => text],
  'bytes.pdf': ['pdf', (text) => `%PDF-1.4\n${text}`],
  'body.jsonl': ['jsonl', (body) => line({ body: 'kept' }) + line({ body }) + body],
  'title.jsonl': ['jsonl', (title) => line({ body: 'kept' }) + line({ body: 'x', title })],
  'fields.jsonl': [
    'jsonl',
    (text) =>
      line({
        body: 'x',
        key: text,
        supersedes: text,
        aliases: [text],
        session: { id: text, title: text },
      }),
  ],
  'rollout-x.jsonl': [
    'codex',
    (text) =>
      line({ type: 'session_meta', payload: { id: text } }) +
      line({ type: 'message', role: 'user', content: text }),
  ],
  'claude-code.jsonl': [
    'claude-code',
    (text) =>
      line({ type: 'summary', summary: text }) +
      line({ type: 'user', sessionId: text, uuid: text, message: { content: text } }),
  ],
  'chat.json': [
    'chat',
    (text) => `[${line({ role: text, content: text, title: text, id: text })}]`,
  ],
  'list.json': ['chat', (text) => text],
  'chatgpt.json': [
    'chatgpt',
    (text) =>
      line([
        {
          id: 'a',
          title: text,
          mapping: { a: { message: { author: { role: 'user' }, content: { parts: [text] } } } },
        },
      ]),
  ],
  'claude.json': [
    'claude',
    (text) => line([{ uuid: text, name: text, chat_messages: [{ sender: 'human', text }] }]),
  ],
  'corpus.jsonl': [
    'beir',
    (text) => line({ _id: 'a', text: 'kept' }) + line({ _id: text, title: text, text }),
  ],
  'body.mbox': [
    'mbox',
    (text) => `${MAIL}Subject: ${text}\nFrom: ${text}\nReferences: ${text}\n\n${text}`,
  ],
  'from.mbox': ['mbox', (text) => `${MAIL}Subject: x\n\ntext\n\nFrom ${text} x\n\n${text}`],
  'html.mbox': [
    'mbox',
    (text) => `${MAIL}Content-Type: text/html\n\n<p>x<${text}<style>${text}&${text}`,
  ],
  'raw.bib': ['bibtex', (text) => `@misc{good, title={Kept}}\n@comment{${text}\n@misc{a, ${text}`],
  'key.bib': [
    'bibtex',
    (text) => `@misc{${text}, title = {x}}\n@string{a = "${text}"}\n@misc{b, title = a # a}`,
  ],
  'title.bib': ['bibtex', BIBTEX('title')],
  'author.bib': ['bibtex', BIBTEX('author')],
  'doi.bib': ['bibtex', BIBTEX('doi')],
  'note.bib': ['bibtex', BIBTEX('note')],
  'journal.bib': ['bibtex', BIBTEX('journal')],
  'howpublished.bib': ['bibtex', BIBTEX('howpublished')],
  'abstract.bib': ['bibtex', BIBTEX('abstract')],
  'keywords.bib': ['bibtex', BIBTEX('keywords')],
  'latex.bib': ['bibtex', (text) => BIBTEX('title')(`\\emph{${text} $${text} \\foo{${text}`)],
  'raw.ris': ['ris', (text) => text],
  'title.ris': ['ris', RIS('TI')],
  'author.ris': ['ris', RIS('AU')],
  'abstract.ris': ['ris', RIS('AB')],
  'number.ris': ['ris', RIS('SN')],
  'pages.ris': ['ris', RIS('SP')],
  'doi.ris': ['ris', RIS('DO')],
  'date.ris': ['ris', RIS('PY')],
  'raw.json': ['csl', (text) => text],
  'title.json': ['csl', (title) => line([{ title: 'Kept' }, { title }])],
  'fields.json': [
    'csl',
    (text) =>
      line([
        {
          title: 'x',
          DOI: text,
          URL: text,
          note: text,
          keyword: text,
          author: [{ family: text }],
          issued: text,
        },
      ]),
  ],
  'markup.json': ['csl', (text) => line([{ title: `<i>${text}`, 'container-title': text }])],
}

/** Each gives the text to one field. */
const FIELDS = {
  body: (cairn, body) => cairn.add({ body }),
  'body with facts': (cairn, body) => cairn.add({ body: `x ${body}`, extractFacts: true }),
  title: (cairn, title) => cairn.add({ body: 'x', title }),
  'new title': (cairn, title, { id }) => cairn.edit(id, { title }),
  tag: (cairn, tag) => cairn.add({ body: 'x', tags: [tag] }),
  tags: (cairn, text) => cairn.add({ body: 'x', tags: [...text] }),
  person: (cairn, person) => cairn.add({ body: 'x', people: person }),
  source: (cairn, source) => cairn.add({ body: 'x', source }),
  namespace: (cairn, namespace) => cairn.add({ body: 'x', namespace }),
  session: (cairn, session) => cairn.add({ body: 'x', session }),
  metadata: (cairn, text) => cairn.add({ body: 'x', metadata: { [text]: text } }),
  'many records': (cairn, title) => cairn.addMany([{ body: 'x', title }]),
  option: (cairn, text) => cairn.add({ body: 'x', [text]: text }),
  time: (cairn, occurredAt) => cairn.add({ body: 'x', occurredAt }),
  'text around a hit': async (cairn, text) => {
    const half = text.slice(0, text.length / 2 - 10)
    await cairn.add({ body: `${half} xyzzy ${half}`, metadata: { path: 'a.md' } })
    return cairn.search('xyzzy', { mode: 'keyword', passages: 3 })
  },
  query: (cairn, query) => cairn.search(query),
  'query of words': (cairn, text) =>
    cairn.search(`harbour ${text} a${text}b title:${text}`, { mode: 'keyword' }),
  phrase: (cairn, text) => cairn.search(`"${text}" NEAR(${text} a, 5) -${text}`),
  lens: (cairn, lens) => cairn.search('x', { lens }),
  since: (cairn, since) => cairn.search('x', { since }),
  people: (cairn, people) => cairn.search('x', { people }),
  ids: (cairn, text) => cairn.get([text]),
  cursor: (cairn, cursor) => cairn.list({ cursor }),
  anchor: (cairn, anchor) => cairn.timeline({ anchor }),
  note: (cairn, note, { id, other }) => cairn.links.add({ from: id, to: other, note }),
  'link type': (cairn, type, { id, other }) => cairn.links.add({ from: id, to: other, type }),
  quote: (cairn, quote, { id }) =>
    cairn.facts.add({ record: id, subject: 'a', predicate: 'b', object: 'c', quote }),
  subject: (cairn, subject, { id }) =>
    cairn.facts.add({ record: id, subject, predicate: 'b', object: 'c' }),
  about: (cairn, about) => cairn.facts.list({ about }),
  'title of a session': (cairn, title) => cairn.sessions.start({ title }),
  'title of a work': (cairn, title) => cairn.works.import([{ title }]),
  abstract: (cairn, abstract) => cairn.works.import([{ title: 'x', abstract }]),
  author: (cairn, family) =>
    cairn.works.import([{ title: 'x', authors: [{ family, given: null }] }]),
  doi: (cairn, doi) => cairn.works.import([{ title: 'x', doi, venue: doi, url: doi }]),
  references: (cairn, text) =>
    cairn.works.import([{ title: 'x', references: [text, ...text.slice(0, 9000)] }]),
  'brackets in references': (cairn, text) =>
    cairn.works.import([{ title: 'x', references: Array(200).fill(text.slice(0, 2000)) }]),
}

/** Every field and every file with every kind of text, in an order that the seed decides. */
function listCases() {
  const cases = []
  for (const [shape, unit] of Object.entries(SHAPES)) {
    const text = unit.repeat(Math.ceil(size / Buffer.byteLength(unit)))
    for (const [field, give] of Object.entries(FIELDS)) {
      cases.push({ name: `${field} of ${shape}`, text, give })
      cases.push({ name: `${field} of ${shape} after a letter`, text: `a${text.slice(2)}b`, give })
    }
    for (const [file, [format, write]] of Object.entries(FILES)) {
      const give = (cairn, given) => importFile(cairn, { file, format, write, text: given })
      cases.push({ name: `${file} of ${shape}`, text, give })
    }
  }
  const chance = createChance(seed)
  const ranked = cases.map((one) => ({ one, rank: chance.share() }))
  return ranked.sort((a, b) => a.rank - b.rank).map(({ one }) => one)
}

async function importFile(cairn, { file, format, write, text }) {
  const path = join(folder, file)
  // A file that holds the text several times has the size of one.
  const copies = write('COPY').split('COPY').length - 1
  writeFileSync(path, write(text.slice(0, text.length / copies)))
  const report = await cairn.import(path, { format })
  rmSync(path)
  const isKept = !/kept/i.test(write('')) || report.read > 0
  if (!isKept) throw new Error(`nothing was kept: ${JSON.stringify(report.skipped).slice(0, 300)}`)
}

/** In time of the processor: other programs do not count. A library of its own, so that what one input stored does not count for the next. */
async function measure({ give, text }) {
  const cairn = await openCairn({ file: ':memory:', cache: false })
  const { id } = await cairn.add({ body: 'The apple in the harbour.' })
  const { id: other } = await cairn.add({ body: 'A pear in the market.' })
  const before = process.memoryUsage.rss()
  const start = process.cpuUsage()
  const outcome = await attempt(() => give(cairn, text, { id, other }))
  const { user, system } = process.cpuUsage(start)
  const tookMs = Math.round((user + system) / 1000)
  await cairn.close()
  // The largest size of the process since it began: it tells only what made it grow.
  const most = process.resourceUsage().maxRSS * 1024
  return { outcome, tookMs, grown: most - before, most }
}

await tellFigures(async ({ problem, onTried }) => {
  const figures = { inputs: 0, refused: 0, slowestMs: 0, mostMegabytes: 0 }
  const end = performance.now() + seconds * 1000
  let peak = 0
  for (const one of listCases()) {
    if (performance.now() > end) break
    const { outcome, tookMs, grown, most } = await measure(one)
    const megabytes = most > peak ? Math.round(grown / 1e6) : 0
    peak = Math.max(peak, most)
    figures.inputs += 1
    figures.slowestMs = Math.max(figures.slowestMs, tookMs)
    figures.mostMegabytes = Math.max(figures.mostMegabytes, megabytes)
    if (tookMs > MAX_MS) problem(`${one.name} took ${tookMs} ms`)
    if (megabytes > MAX_MEGABYTES) problem(`${one.name} took ${megabytes} MB`)
    if ('code' in outcome) {
      figures.refused += 1
      if (outcome.code === null) problem(`${one.name}: ${outcome.message.slice(0, 300)}`)
      else if (outcome.message.length > 5000)
        problem(`${one.name}: ${outcome.message.length} characters`)
    }
    onTried()
  }
  return figures
})
