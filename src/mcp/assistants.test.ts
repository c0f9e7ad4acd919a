/** Forty calls as assistants write them: wrong names, texts for lists, ids cut short. Each works, or is told the right form. */

import { expect, onTestFinished, test } from 'vitest'
import { libraryOf } from '../../test/support/library.js'
import { talkTo } from '../../test/support/mcp.js'
import { createToken } from '../cairn/tokens.js'
import { startHttp } from './http.js'

type Args = Readonly<Record<string, unknown>>

test('[D3] forty calls that assistants make work or are told the right form', async () => {
  const token = createToken()
  const cairn = await libraryOf([
    { body: 'We deploy on Thursdays, after the nightly backup.', tags: ['release', 'infra'] },
    { body: 'The staging database listens on port 6543.', tags: ['infra'] },
  ])
  const serving = await startHttp({ open: async () => cairn, port: 0, token })
  onTestFinished(() => serving.close())
  const { call } = await talkTo(serving.url, token)
  const [staging = '', deploy = ''] = (await cairn.list()).records.map(({ id }) => id)

  const otherEnd = deploy.endsWith('ZZ') ? 'YY' : 'ZZ'

  const finds = (data: Args): boolean => (data.hits as unknown[]).length === 1
  const works = (data: Args): boolean => Object.keys(data).length > 0
  type Told = RegExp | ((data: Args) => boolean)
  const calls: [string, Args, Told][] = [
    ['search', { q: 'staging port' }, (data) => (data.hits as unknown[]).length > 0],
    ['search', { query: 'backup', k: 1 }, finds],
    ['search', { query: 'deploy backup', top_k: '1' }, finds],
    ['search', { query: 'port staging', max_results: 1 }, finds],
    ['search', { query: 'staging', tags: 'infra' }, works],
    ['search', { query: 'staging', tag: 'release' }, finds],
    ['search', { query: 'deploy', tags: '["release"]', limit: '5' }, works],
    ['search', { query: 'deploy', tags: 'release, infra' }, works],
    ['search', { query: 'deploy', type: 'memory' }, works],
    ['search', { query: 'deploy', kinds: 'memories' }, /must be one of memory, document, work/],
    ['search', { query: 'deploy', from: '7d', to: 'today' }, works],
    ['search', { query: 'deploy', since: 'last tuesday-ish' }, /is not a time; write 2026/],
    ['search', { query: 'deploy', filters: { tags: ['release'] } }, works],
    ['search', { query: 'deploy', options: '{"mode": "keyword"}' }, works],
    ['search', { query: 'deploy', namespace: 'default' }, works],
    ['search', { query: 'deploy', max_tokens: 800 }, works],
    ['search', { query: 'deploy', threshold: '0.2', include_facts: 'true' }, works],
    ['search', { query: 'deploy', sort: 'date' }, /sort must be one of relevance, newest/],
    ['search', { question: 'when do we deploy?' }, works],
    ['search_memory', { query: 'deploy' }, /Did you mean "search"\?/],
    ['get', { id: staging }, works],
    ['get', { ids: `${staging},${deploy}` }, (data) => (data.records as unknown[]).length === 2],
    ['get', { ids: [deploy.slice(0, 7)] }, /Did you mean 01/],
    ['get', { record_id: deploy.toLowerCase() }, works],
    ['get', { ids: [`${deploy.slice(0, 24)}${otherEnd}`] }, /Did you mean 01/],
    ['get', { ids: [{ id: staging }] }, works],
    ['timeline', { from: '2026-01-01', limit: '3' }, works],
    ['timeline', { id: staging }, (data) => data.anchor === staging],
    ['remember', { content: 'Priya prefers dark mode.', tags: 'style' }, works],
    ['remember', { memory: 'The standup is at nine.', metadata: { by: 'agent' } }, works],
    ['remember', { records: ['Tea is at four.', { content: 'Lunch is at one.' }] }, works],
    [
      'remember',
      { text: 'Backups run at three.', importance: 'high' },
      /importance must be a number/,
    ],
    ['add_memory', { content: 'x' }, /Did you mean "remember"\?/],
    ['update', { id: deploy, text: 'We deploy on Fridays.' }, /action must be one of edit/],
    ['update', { action: 'edit', id: deploy, content: 'We deploy on Fridays.' }, works],
    ['update', { action: 'reinforce', id: deploy }, works],
    ['update', { action: 'link', from: deploy, to: staging, type: 'depends_on' }, works],
    ['explore', { about: 'Priya', type: 'facts' }, works],
    ['explore', { id: deploy }, /relation is missing|relation must be one of similar/],
    ['forget', { id: staging }, (data) => JSON.stringify(data).includes(staging)],
  ]
  expect(calls).toHaveLength(40)
  const failed: unknown[] = []
  for (const [name, args, told] of calls) {
    const { text, isError, data } = await call(name, args)
    const isRight = told instanceof RegExp ? isError && told.test(text) : !isError && told(data)
    if (!isRight) failed.push({ name, args, text })
  }
  expect(failed).toEqual([])
})
