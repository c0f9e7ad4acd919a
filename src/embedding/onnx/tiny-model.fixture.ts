/** Writes a real ONNX model of a few hundred bytes, to test the real runtime without a download. */

import { Buffer } from 'node:buffer'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const WORDS = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', 'cat', 'kitten', 'bank', 'money', 'the', '##s']
export const TINY_WIDTH = 4

/** One row of the table per word. Words about cats and words about money are orthogonal; all others are zero. */
const ROWS: Readonly<Record<string, readonly number[]>> = {
  cat: [1, 0.1, 0, 0],
  kitten: [0.9, 0.3, 0, 0],
  bank: [0, 0, 1, 0.1],
  money: [0, 0, 0.8, 0.4],
}

/** Writes a folder like an export of sentence-transformers. The model looks up its tokens in a table. */
export function writeTinyModel(folder: string): void {
  writeModel(folder, tinyOnnx())
}

/** Writes a cross-encoder: the dot product of the sum of the query's rows and the sum of the passage's rows. */
export function writeTinyCrossEncoder(folder: string): void {
  writeModel(folder, tinyCrossEncoder())
}

function writeModel(folder: string, model: Buffer): void {
  mkdirSync(join(folder, '1_Pooling'), { recursive: true })
  writeFileSync(join(folder, 'model.onnx'), model)
  writeFileSync(join(folder, 'tokenizer.json'), JSON.stringify(tinyTokenizer()))
  writeFileSync(
    join(folder, 'tokenizer_config.json'),
    JSON.stringify({ tokenizer_class: 'BertTokenizer' }),
  )
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ hidden_size: TINY_WIDTH }))
  writeFileSync(
    join(folder, '1_Pooling/config.json'),
    JSON.stringify({ pooling_mode_mean_tokens: true }),
  )
}

function tinyOnnx(): Buffer {
  return writeGraph({
    nodes: [node('Gather', ['table', 'input_ids'], 'last_hidden_state')],
    initializers: [table()],
    output: value('last_hidden_state', 1, ['n', 't', 'w']),
  })
}

function tinyCrossEncoder(): Buffer {
  const axis = (name: string, at: number): Buffer =>
    message([
      [1, 1],
      [2, 7],
      [8, name],
      [9, Buffer.from(BigInt64Array.of(BigInt(at)).buffer)],
    ])
  return writeGraph({
    nodes: [
      node('Gather', ['table', 'input_ids'], 'rows'),
      node('Cast', ['token_type_ids'], 'types', ['to', 1]),
      node('Unsqueeze', ['types', 'last'], 'isPassage'),
      node('Mul', ['rows', 'isPassage'], 'inPassage'),
      node('Sub', ['rows', 'inPassage'], 'inQuery'),
      node('ReduceSum', ['inPassage', 'tokens'], 'passage', ['keepdims', 0]),
      node('ReduceSum', ['inQuery', 'tokens'], 'query', ['keepdims', 0]),
      node('Mul', ['passage', 'query'], 'products'),
      node('ReduceSum', ['products', 'tokens'], 'logits', ['keepdims', 1]),
    ],
    initializers: [table(), axis('tokens', 1), axis('last', 2)],
    output: value('logits', 1, ['n', 'one']),
  })
}

function table(): Buffer {
  const rows = Float32Array.from(WORDS.flatMap((word) => ROWS[word] ?? [0, 0, 0, 0]))
  return message([
    [1, WORDS.length],
    [1, TINY_WIDTH],
    [2, 1],
    [8, 'table'],
    [9, Buffer.from(rows.buffer)],
  ])
}

type Attribute = readonly [name: string, value: number]

function node(
  kind: string,
  inputs: readonly string[],
  ...[output, attribute]: readonly [output: string, attribute?: Attribute]
): Buffer {
  const [name = '', number = 0] = attribute ?? []
  const written = message([
    [1, name],
    [3, number],
    [20, 2],
  ])
  return message([
    ...inputs.map((input) => [1, input] as const),
    [2, output],
    [4, kind],
    ...(attribute === undefined ? [] : [[5, written] as const]),
  ])
}

type Graph = {
  readonly nodes: readonly Buffer[]
  readonly initializers: readonly Buffer[]
  readonly output: Buffer
}

function writeGraph({ nodes, initializers, output }: Graph): Buffer {
  const inputs = ['input_ids', 'attention_mask', 'token_type_ids'].map((name) =>
    value(name, 7, ['n', 't']),
  )
  const graph = message([
    ...nodes.map((one) => [1, one] as const),
    [2, 'tiny'],
    ...initializers.map((one) => [5, one] as const),
    ...inputs.map((input) => [11, input] as const),
    [12, output],
  ])
  return message([
    [1, 8],
    [7, graph],
    [8, message([[2, 13]])],
  ])
}

function value(name: string, elementType: number, axes: readonly string[]): Buffer {
  const shape = message(axes.map((axis) => [1, message([[2, axis]])] as const))
  const tensor = message([
    [1, elementType],
    [2, shape],
  ])
  return message([
    [1, name],
    [2, message([[1, tensor]])],
  ])
}

/** Encodes a protocol buffer message: a number is a varint, anything else is its length and its bytes. */
function message(fields: readonly (readonly [number, number | string | Buffer])[]): Buffer {
  return Buffer.concat(
    fields.flatMap(([field, content]) => {
      if (typeof content === 'number') return [varint(field << 3), varint(content)]
      const bytes = Buffer.from(content as string)
      return [varint((field << 3) | 2), varint(bytes.length), bytes]
    }),
  )
}

function varint(number: number): Buffer {
  const bytes: number[] = []
  let rest = number
  for (; rest > 127; rest >>>= 7) bytes.push((rest & 127) | 128)
  return Buffer.from([...bytes, rest])
}

function tinyTokenizer() {
  const special = (id: number) => ({ id, content: WORDS[id], special: true, normalized: false })
  const marker = (token: string) => ({ SpecialToken: { id: token, type_id: 0 } })
  const single = [marker('[CLS]'), { Sequence: { id: 'A', type_id: 0 } }, marker('[SEP]')]
  const second = { SpecialToken: { id: '[SEP]', type_id: 1 } }
  const pair = [...single, { Sequence: { id: 'B', type_id: 1 } }, second]
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: [0, 1, 2, 3].map(special),
    normalizer: { type: 'BertNormalizer', lowercase: true, clean_text: true },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: {
      type: 'TemplateProcessing',
      single,
      pair,
      special_tokens: {
        '[CLS]': { id: '[CLS]', ids: [2], tokens: ['[CLS]'] },
        '[SEP]': { id: '[SEP]', ids: [3], tokens: ['[SEP]'] },
      },
    },
    decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
    model: {
      type: 'WordPiece',
      unk_token: '[UNK]',
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
      vocab: Object.fromEntries(WORDS.map((word, id) => [word, id])),
    },
  }
}
