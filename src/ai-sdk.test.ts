/** A model of the AI SDK calls the tools: the real `generateText`, with a model that follows a script. */

import { generateText, stepCountIs } from 'ai'
import { MockLanguageModelV3 } from 'ai/test'
import { expect, test } from 'vitest'
import { libraryOf } from '../test/support/library.js'
import { createCairnTools } from './ai-sdk.js'
import { describeTools } from './mcp/call-tool.js'

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}

/** Calls these tools one after the other, then says that it is done. */
function scripted(calls: readonly (readonly [tool: string, input: object])[]) {
  const turns = calls.map(([toolName, input], i) => ({
    content: [
      {
        type: 'tool-call' as const,
        toolCallId: String(i),
        toolName,
        input: JSON.stringify(input),
      },
    ],
    finishReason: { unified: 'tool-calls' as const, raw: undefined },
    usage,
    warnings: [],
  }))
  const end = {
    content: [{ type: 'text' as const, text: 'Done.' }],
    finishReason: { unified: 'stop' as const, raw: undefined },
    usage,
    warnings: [],
  }
  return new MockLanguageModelV3({ doGenerate: [...turns, end] })
}

test('a model remembers and searches, and reads what it should have written', async () => {
  const cairn = await libraryOf(['Priya prefers tabs.'])
  const model = scripted([
    ['remember', { text: 'The staging database listens on port 6543.', tags: ['infra'] }],
    ['search', { q: 'staging port', top_k: '1' }],
    ['search', { querry: 'staging port' }],
  ])
  const tools = createCairnTools(cairn)
  const { steps, text } = await generateText({
    ...{ model, tools, prompt: 'Which port?', stopWhen: stepCountIs(5) },
  })
  const outputs = steps.flatMap(({ toolResults }) => toolResults.map(({ output }) => output))
  expect(text).toBe('Done.')
  expect(outputs[0]).toMatch(/^Remembered as [0-9A-Z]{14}\./)
  expect(outputs[1]).toContain('The **staging** database listens on **port** 6543.')
  expect(outputs[2]).toContain('"query"')
  const sent = model.doGenerateCalls[0]?.tools?.map((tool) =>
    tool.type === 'function' ? [tool.name, tool.description, tool.inputSchema] : [],
  )
  expect(sent).toEqual(
    describeTools().map(({ name, description, inputSchema }) => [name, description, inputSchema]),
  )
  const { sessions } = await cairn.sessions.list()
  expect(sessions).toMatchObject([{ counts: { created: 1, recalled: 1 } }])
})

test('without recalls a search leaves no trace, and a reply stays within its budget', async () => {
  const cairn = await libraryOf(
    Array.from({ length: 40 }, (_, i) => `The backup number ${i} runs at three in the morning.`),
  )
  const tools = createCairnTools(cairn, { recall: false, budget: 400 })
  const { steps } = await generateText({
    model: scripted([['search', { query: 'when do backups run?', limit: 40 }]]),
    ...{ tools, prompt: 'Go.', stopWhen: stepCountIs(2) },
  })
  const [result] = steps.flatMap(({ toolResults }) => toolResults)
  expect(String(result?.output).length).toBeLessThanOrEqual(1600)
  expect((await cairn.sessions.list()).sessions).toEqual([])
})
