/** JSON values are read one by one, as JSON.parse would read them. */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type JsonValue, readJson, readJsonLines, readJsonValues } from './json-values.js'
import { fileOf } from './reading.fixture.js'

async function all(values: AsyncIterable<JsonValue>): Promise<JsonValue[]> {
  const read: JsonValue[] = []
  for await (const value of values) read.push(value)
  return read
}
const values = async (text: string) => all(readJsonValues(fileOf('x.json', text), {}))

test('the elements of a list equal those of JSON.parse, however it is written', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.jsonValue()),
      fc.constantFrom(undefined, 2, '\t'),
      async (list, space) => {
        const read = await values(JSON.stringify(list, null, space))
        expect(read.map((one) => one.kind === 'value' && one.value)).toEqual(
          JSON.parse(JSON.stringify(list)),
        )
      },
    ),
    { numRuns: 60 },
  )
})

test('values larger than a piece of the file are put together', async () => {
  const long = 'ä"\\n'.repeat(150_000)
  const read = await values(JSON.stringify([{ long }, 1, [long]]))
  expect(read).toMatchObject([{ value: { long } }, { value: 1 }, { value: [long] }])
})

test('a broken element is named with its line, and the next one is read', async () => {
  expect(await values('\uFEFF[\n {"a":1},\n {"b":},\n {"c":3}\n]\n')).toEqual([
    { kind: 'value', value: { a: 1 }, line: 2 },
    { kind: 'broken', reason: 'It is not valid JSON.', line: 3 },
    { kind: 'value', value: { c: 3 }, line: 4 },
  ])
})

test('a file that ends too early is reported', async () => {
  expect(await values('[{"a":1}, {"b": "cut')).toEqual([
    { kind: 'value', value: { a: 1 }, line: 1 },
    { kind: 'broken', reason: 'The file ends in the middle of it.', line: 1 },
  ])
})

test('objects one behind the other, with or without lines between, are values too', async () => {
  expect((await values('{"a":1}{"b":2}\n3 "x"')).map((one) => one.kind)).toEqual(
    Array(4).fill('value'),
  )
})

test('any bytes end in values and problems', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
      const file = fileOf('x.json', bytes)
      for (const one of await all(readJsonValues(file, {}))) expect(one.line).toBeGreaterThan(0)
      await all(readJsonLines(file, {}))
      await all(readJson(file, {}))
    }),
    { numRuns: 80 },
  )
})
