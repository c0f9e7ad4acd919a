/** A PDF and its work are one hit with its page, wherever it is asked for. */

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { paragraphs, writePdf } from '../src/import/pdf/pdf-writer.fixture.js'
import { talkTo } from '../src/mcp/agent.fixture.js'
import { serve } from './support/http.js'
import { libraryOf, temporaryFile, temporaryFolder } from './support/library.js'
import { terminal } from './support/terminal.js'

const TITLE =
  'Tides of the northern harbours and what their keepers wrote about them in their books'

test('the library, HTTP, MCP and the command line show one hit with its page', async () => {
  const folder = join(temporaryFolder(), 'papers')
  mkdirSync(folder)
  const pages = [[TITLE.slice(0, 45), TITLE.slice(46), '', 'It begins.'], ['The moon raises it.']]
  writeFileSync(join(folder, 'a.pdf'), writePdf({ pages: pages.map((one) => paragraphs(one)) }))
  writeFileSync(join(folder, 'z.bib'), `@article{lind, title = {${TITLE}}, author = {Lind, Mara}}`)
  const file = temporaryFile()
  const cairn = await libraryOf([], { file })
  expect(await cairn.import(folder)).toMatchObject({ created: 1, works: { created: 1 } })
  const hit = {
    kind: 'work',
    title: TITLE,
    pages: { first: 2, last: 2 },
    identity: { path: 'a.pdf' },
  }
  const query = 'moon raises'
  expect((await cairn.search(query)).hits).toMatchObject([hit])
  const { send } = await serve([], { cairn })
  const body = { query, passages: 2 }
  const { hits } = (await send('/api/search', { method: 'POST', body })).json
  expect(hits).toMatchObject([{ ...hit, passages: [{ pages: { first: 2 } }] }])
  const answer = await talkTo(cairn).call('search', { query })
  expect(answer.data).toMatchObject({ hits: [{ kind: 'work', pages: '2', path: 'a.pdf' }] })
  const run = terminal(file)
  expect((await run('search', query)).out).toMatch(/^ +[\d.]+ \S+ {2}Tides of .*…\n +p\. 2 · /m)
  expect((await run('search', query, '--files')).out).toBe(`${join(folder, 'a.pdf')}\n`)
})
