/** A real ONNX model of a few hundred bytes, written out so that the real runtime can be tested anywhere. */

import { Buffer } from 'node:buffer'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const WORDS = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', 'cat', 'kitten', 'bank', 'money', 'the', '##s']
export const TINY_WIDTH = 4

/** One row of the table per word: cats point one way, money another, everything else nowhere. */
const ROWS: Readonly<Record<string, readonly number[]>> = {
  cat: [1, 0.1, 0, 0],
  kitten: [0.9, 0.3, 0, 0],
  bank: [0, 0, 1, 0.1],
  money: [0, 0, 0.8, 0.4],
}

/** Writes a folder as sentence-transformers exports it; the model looks its tokens up in a table. */
export function writeTinyModel(folder: string): void {
  mkdirSync(join(folder, '1_Pooling'), { recursive: true })
  writeFileSync(join(folder, 'model.onnx'), tinyOnnx())
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
  const table = Float32Array.from(WORDS.flatMap((word) => ROWS[word] ?? [0, 0, 0, 0]))
  const lookUp = message([
    [1, 'table'],
    [1, 'input_ids'],
    [2, 'last_hidden_state'],
    [4, 'Gather'],
  ])
  const initializer = message([
    [1, WORDS.length],
    [1, TINY_WIDTH],
    [2, 1],
    [8, 'table'],
    [9, Buffer.from(table.buffer)],
  ])
  const inputs = ['input_ids', 'attention_mask', 'token_type_ids'].map((name) =>
    value(name, 7, ['n', 't']),
  )
  const graph = message([
    [1, lookUp],
    [2, 'tiny'],
    [5, initializer],
    ...inputs.map((input) => [11, input] as const),
    [12, value('last_hidden_state', 1, ['n', 't', 'w'])],
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

/** Protocol buffers: a number is a varint, everything else is its length and its bytes. */
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
      pair: single,
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
