/** LangChain reads a Cairn file through its own classes: chains, retrievers and histories of the real package. */

import { AIMessage, HumanMessage, SystemMessage, ToolMessage } from '@langchain/core/messages'
import { ChatPromptTemplate, MessagesPlaceholder } from '@langchain/core/prompts'
import { RunnableLambda, RunnableWithMessageHistory } from '@langchain/core/runnables'
import { FakeListChatModel } from '@langchain/core/utils/testing'
import { expect, test } from 'vitest'
import { libraryOf, temporaryFile } from '../test/support/library.js'
import { openCairn } from './index.js'
import { CairnChatMessageHistory, CairnRetriever } from './langchain.js'

test('a retriever finds documents with their metadata, inside a chain, with the options of a search', async () => {
  const cairn = await libraryOf([
    { body: 'The staging database listens on port 6543.', tags: ['infra'], metadata: { env: 's' } },
    { body: 'The port of Hamburg is large.', namespace: 'travel' },
    { body: `${'Nothing to see here. '.repeat(300)}\n\nThe pooler listens on port 7000.` },
  ])
  const retriever = new CairnRetriever({ cairn, search: { namespaces: ['default'], limit: 5 } })
  const [first] = await retriever.invoke('Which port has the staging database?')
  expect(first).toMatchObject({
    id: expect.stringMatching(/^[0-9A-Z]{26}$/),
    pageContent: 'The staging database listens on port 6543.',
    metadata: { env: 's', kind: 'memory', tags: ['infra'], score: expect.any(Number) },
  })
  const chain = retriever.pipe(
    RunnableLambda.from((documents: { pageContent: string }[]) =>
      documents.map(({ pageContent }) => pageContent),
    ),
  )
  expect((await chain.invoke('port')).join('\n')).not.toContain('Hamburg')
  const [long] = await chain.invoke('pooler port')
  expect(long).toContain('The pooler listens on port 7000.')
  expect(long?.length).toBeLessThan(3000)
  expect(await retriever.invoke('zebras in the savanna')).toEqual([])
})

test('a history keeps every kind of message, equal ones too, in order and in its own session', async () => {
  const cairn = await libraryOf([])
  const history = new CairnChatMessageHistory({ cairn, session: 'user-1' })
  const messages = [
    new SystemMessage('Be brief.'),
    new HumanMessage('ok'),
    new AIMessage({ content: '', tool_calls: [{ name: 'ports', args: { of: 'db' }, id: 'c1' }] }),
    new ToolMessage({ content: '6543', tool_call_id: 'c1' }),
    new HumanMessage('ok'),
  ]
  await history.addMessages(messages)
  await history.addAIMessage('Port 6543.')
  const others = new CairnChatMessageHistory({ cairn, session: 'user-10' })
  await others.addUserMessage('Hello.')
  const again = new CairnChatMessageHistory({ cairn, session: 'user-1' })
  expect((await again.getMessages()).map((message) => message.toDict())).toEqual(
    [...messages, new AIMessage('Port 6543.')].map((message) => message.toDict()),
  )
  expect(await new CairnChatMessageHistory({ cairn, session: 'user' }).getMessages()).toEqual([])
  const { hits } = await cairn.search('port 6543')
  expect(hits[0]?.session?.id).toBe('user-1')
  await again.clear()
  expect(await history.getMessages()).toEqual([])
  expect(await others.getMessages()).toHaveLength(1)
})

test('histories of two namespaces with one name are two', async () => {
  const file = temporaryFile()
  await using shop = await openCairn({ file, namespace: 'shop' })
  await using blog = await openCairn({ file, namespace: 'blog' })
  await new CairnChatMessageHistory({ cairn: shop, session: 's' }).addUserMessage('From the shop.')
  expect(await new CairnChatMessageHistory({ cairn: blog, session: 's' }).getMessages()).toEqual([])
})

test('a chain with a history remembers what was said', async () => {
  const cairn = await libraryOf([])
  const prompt = ChatPromptTemplate.fromMessages([
    new MessagesPlaceholder('history'),
    ['human', '{input}'],
  ])
  const model = new FakeListChatModel({ responses: ['Noted.', 'Ada.'] })
  const chain = new RunnableWithMessageHistory({
    runnable: prompt.pipe(model),
    getMessageHistory: (session: string) => new CairnChatMessageHistory({ cairn, session }),
    inputMessagesKey: 'input',
    historyMessagesKey: 'history',
  })
  const config = { configurable: { sessionId: 'chat' } }
  await chain.invoke({ input: 'My name is Ada.' }, config)
  await chain.invoke({ input: 'What is my name?' }, config)
  const said = await new CairnChatMessageHistory({ cairn, session: 'chat' }).getMessages()
  expect(said.map(({ type, text }) => `${type}: ${text}`)).toEqual([
    'human: My name is Ada.',
    'ai: Noted.',
    'human: What is my name?',
    'ai: Ada.',
  ])
})
