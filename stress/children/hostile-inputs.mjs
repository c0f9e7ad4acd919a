/** Gives the library each hostile input once, and looks at the answer. */

import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { attempt } from '../lib/attempt.mjs'
import { tellFigures } from '../lib/fuzz.mjs'

const { library, seconds, folder } = JSON.parse(process.argv[2])
const { openCairn } = await import(library)
const MAX_MS = 5000
/** More than are read; a short run has no time to write them. */
const PAGES = seconds < 10 ? 50 : 200_000

const cyclic = {}
cyclic.self = cyclic
const nest = (depth) => JSON.parse(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`)
const METADATA = { deep: nest(1001), cyclic, bigint: { a: 1n }, 'very deep': nest(100_000) }

const GOOD = '@misc{good, title = {Kept}}\n'
const lines = (count, write) => Array.from({ length: count }, (_, i) => write(i)).join('')
const FILES = {
  'comments.bib': GOOD + '@comment{'.repeat(50_000),
  'round.bib': GOOD + '@comment('.repeat(50_000),
  'doubling.bib': `${GOOD}@string{a0 = "xx"}\n${lines(60, (i) => `@string{a${i + 1} = a${i} # a${i}}\n`)}@misc{b, title = a60}`,
  'commas.bib': `${GOOD}@misc{b, ${'a = {b} '.repeat(100_000)}}`,
  'diamonds.bib': `${GOOD}@misc{t, title={x}, xdata={l0,r0}}\n${lines(60, (i) => ['l', 'r'].map((side) => `@xdata{${side}${i}, xdata={l${i + 1},r${i + 1}}}\n`).join(''))}`,
  'yaml.md': `---\ntitle: ${'['.repeat(20_000)}\n---\nKept`,
  'lists.md': `---\n${'- '.repeat(20_000)}\n---\nKept`,
  'deep.jsonl': `{"body":"Kept"}\n{"body":"x","metadata":${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}}\n{"body":"Kept too"}\n`,
  'links.jsonl': `{"body":"Kept"}\n{"body":"x","links":[{"to":"y","a":${'['.repeat(100_000)}${']'.repeat(100_000)}}]}\n`,
  'corpus.jsonl': `{"_id":"a","text":"Kept"}\n{"_id":"b","text":"x","metadata":{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}}\n`,
}
const FORMATS = { bib: 'bibtex', md: 'markdown', jsonl: 'jsonl' }

await tellFigures(async ({ problem, onTried }) => {
  const figures = { inputs: 0, refused: 0, slowestMs: 0 }
  const cairn = await openCairn({ file: ':memory:', cache: false })
  await cairn.add({ body: 'The apple in the harbour.' })

  const tryOne = async (name, operation) => {
    const start = performance.now()
    const outcome = await attempt(operation)
    const tookMs = Math.round(performance.now() - start)
    figures.inputs += 1
    figures.slowestMs = Math.max(figures.slowestMs, tookMs)
    if (tookMs > MAX_MS) problem(`${name} took ${tookMs} ms`)
    if ('code' in outcome) figures.refused += 1
    if (outcome.code === null) problem(`${name}: ${outcome.message}`)
    onTried()
    return outcome
  }

  for (const [name, metadata] of Object.entries(METADATA)) {
    const { code } = await tryOne(`${name} metadata`, () => cairn.add({ body: 'x', metadata }))
    if (code !== 'bad_input') problem(`${name} metadata: ${code}`)
    await tryOne(`${name} body`, () => cairn.add({ body: metadata }))
  }
  for (const field of ['title:', '-title:', 'title:-', 'title:body:']) {
    const { value } = await tryOne(field, () => cairn.search(`${field.repeat(3000)} apple`))
    if (value === undefined) problem(`${field} three thousand times was refused`)
  }

  symlinkSync(join(folder, 'one'), join(folder, 'two'))
  symlinkSync(join(folder, 'two'), join(folder, 'one'))
  for (const file of [join(folder, 'one'), join(folder, 'n'.repeat(300))]) {
    const { code } = await tryOne('a file that cannot be', () => openCairn({ file }))
    if (code !== 'unreadable_file') problem(`${file.slice(0, 60)}: ${code}`)
  }

  for (const [name, content] of Object.entries(FILES)) {
    const path = join(folder, name)
    writeFileSync(path, content)
    const format = name === 'corpus.jsonl' ? 'beir' : FORMATS[name.split('.').at(-1)]
    const { value } = await tryOne(name, () => cairn.import(path, { format }))
    if (!(value?.read > 0)) problem(`${name}: nothing beside it was kept`)
  }

  const notes = join(folder, 'notes')
  mkdirSync(notes)
  writeFileSync(join(folder, 'secret.md'), 'A secret of someone else.')
  writeFileSync(join(notes, 'own.md'), 'A note of our own.')
  symlinkSync(join(folder, 'secret.md'), join(notes, 'link.md'))
  const { value: linked } = await tryOne('a link', () => cairn.import(notes))
  if (linked?.created !== 1 || linked.skipped[0]?.name !== 'link.md')
    problem(`a link out of a folder was followed: ${JSON.stringify(linked).slice(0, 300)}`)

  const pdf = join(folder, 'long.pdf')
  writeFileSync(pdf, writePdf(PAGES))
  const start = performance.now()
  // It is opened in a thread.
  const ticking = setInterval(onTried, 500)
  const { value: read } = await attempt(() => cairn.import(pdf))
  clearInterval(ticking)
  figures['pdf seconds'] = Math.round((performance.now() - start) / 1000)
  const isRefused = /more than 10,000 pages/.test(read?.skipped[0]?.reason)
  if (isRefused !== PAGES > 10_000)
    problem(`a PDF of ${PAGES} pages: ${JSON.stringify(read).slice(0, 300)}`)
  await cairn.close()
  return figures
})

/** All pages share one content. */
function writePdf(count) {
  const content = 'BT /F1 12 Tf 72 700 Td (The text of a page.) Tj ET'
  const kids = Array.from({ length: count }, (_, i) => `${i + 5} 0 R`)
  const page =
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 3 0 R >> >> >>'
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids.join(' ')}] /Count ${count} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    ...kids.map(() => page),
  ]
  const parts = ['%PDF-1.4\n']
  const offsets = []
  let length = parts[0].length
  for (const [i, object] of objects.entries()) {
    const part = `${i + 1} 0 obj\n${object}\nendobj\n`
    offsets.push(length)
    length += part.length
    parts.push(part)
  }
  const rows = offsets.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('')
  parts.push(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}`)
  parts.push(
    `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${length}\n%%EOF\n`,
  )
  return parts.join('')
}
