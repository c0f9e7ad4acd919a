/**
 * Joins the turns of a chat set to messages of 150 to 300 words: what people write in mails and issues, not in chats.
 *
 *   node scripts/quality/long-messages.mjs eval/locomo long-messages
 */

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'

const LEAST_WORDS = 150
const MOST_WORDS = 300

/** Writes a set for each conversation in `from`: the judgements of a turn are those of its message. */
export function writeLongMessages(from, to) {
  for (const name of readdirSync(from).filter((one) => one.startsWith('conv-'))) {
    const folder = join(from, name)
    const turns = readLines(join(folder, 'corpus.jsonl')).map((line) => JSON.parse(line))
    const messages = joinTurns(turns)
    const messageOf = new Map(messages.flatMap(({ id, turns }) => turns.map((turn) => [turn, id])))
    const [head, ...judgements] = readLines(join(folder, 'qrels.tsv'))
    const judged = judgements.flatMap((line) => {
      const [query, turn, score] = line.split('\t')
      const message = messageOf.get(turn)
      return message === undefined ? [] : [[query, message, score].join('\t')]
    })
    mkdirSync(join(to, name), { recursive: true })
    const write = (file, lines) => writeFileSync(join(to, name, file), `${lines.join('\n')}\n`)
    write('corpus.jsonl', messages.map(describe))
    write('queries.jsonl', readLines(join(folder, 'queries.jsonl')))
    write('qrels.tsv', [head, ...new Set(judged)])
  }
}

/** A message ends with its session, or as soon as it has enough words; a short rest belongs to the message before. */
export function joinTurns(turns) {
  const messages = []
  for (const { _id, text, metadata } of turns) {
    const words = text.split(/\s+/).length
    const last = messages.at(-1)
    if (last?.metadata.session === metadata.session && last.words < LEAST_WORDS) {
      last.turns.push(_id)
      last.texts.push(text)
      last.words += words
      continue
    }
    messages.push({ id: _id, turns: [_id], texts: [text], words, metadata })
  }
  return joinRests(messages)
}

function joinRests(messages) {
  const joined = []
  for (const message of messages) {
    const last = joined.at(-1)
    const fits =
      last?.metadata.session === message.metadata.session &&
      message.words < LEAST_WORDS &&
      last.words + message.words <= MOST_WORDS
    if (!fits) {
      joined.push(message)
      continue
    }
    last.turns.push(...message.turns)
    last.texts.push(...message.texts)
    last.words += message.words
  }
  return joined
}

function describe({ id, texts, metadata: { speaker, session, date_time } }) {
  const metadata = { speaker, session, date_time }
  return JSON.stringify({ _id: id, title: '', text: texts.join('\n'), metadata })
}

function readLines(file) {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
}

if (process.argv[1] === import.meta.filename) writeLongMessages(process.argv[2], process.argv[3])
