/** A copy of the library can be downloaded, and a PDF opened: no other file of the disk can. */

import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { serve } from '../../test/support/http.js'
import { libraryOf, temporaryFile } from '../../test/support/library.js'
import { writePdf } from '../import/pdf/pdf-writer.fixture.js'
import { openCairn } from '../index.js'

const copies = () => readdirSync(tmpdir()).filter((name) => name.startsWith('cairn-copy-'))

test('a copy of the library opens as a library, and none stays behind', async () => {
  const { url } = await serve([{ body: 'The crane is green.' }])
  const response = await fetch(`${url}/api/backup`)
  expect(response.headers.get('content-disposition')).toMatch(/^attachment; filename=".+\.cairn"$/)
  const file = temporaryFile()
  writeFileSync(file, new Uint8Array(await response.arrayBuffer()))
  const copy = await openCairn({ file })
  expect((await copy.search('crane', { mode: 'keyword' })).hits).toHaveLength(1)
  await copy.close()
  const head = await fetch(`${url}/api/backup`, { method: 'HEAD' })
  expect(Number(head.headers.get('content-length'))).toBeGreaterThan(10_000)
  await expect.poll(copies).toEqual([])
  const pinned = await serve([], { cairn: await libraryOf([], { namespace: 'a', pinned: true }) })
  expect((await fetch(`${pinned.url}/api/backup`)).status).toBe(403)
})

test('the PDF of a record is sent, and nothing that its metadata may name instead', async () => {
  const folder = join(dirname(temporaryFile()), 'papers')
  mkdirSync(join(folder, 'inner'), { recursive: true })
  const pdf = writePdf({ pages: [[{ text: 'The harbour has a crane.', y: 700 }]] })
  writeFileSync(join(folder, 'inner/harbour.pdf'), pdf)
  writeFileSync(join(folder, 'inner/note.md'), 'A note on cranes.')
  writeFileSync(join(folder, 'secret.pdf'), pdf)
  const { cairn, url } = await serve([])
  await cairn.import(join(folder, 'inner'))
  const idOf = async (words: string) => (await cairn.search(words, { mode: 'keyword' })).hits[0]?.id
  const ask = async (id: string | undefined) => fetch(`${url}/api/records/${id}/file`)
  const id = await idOf('harbour')
  const sent = await ask(id)
  expect(sent.headers.get('content-type')).toBe('application/pdf')
  expect(Buffer.from(await sent.arrayBuffer()).equals(pdf)).toBe(true)
  expect((await ask(await idOf('note'))).status).toBe(404)
  await cairn.edit(id ?? '', { metadata: { path: '../secret.pdf' } })
  expect((await ask(id)).status).toBe(404)
})
