/** Messages are read in any encoding, and grouped into threads. */

import { expect, test } from 'vitest'
import { htmlToText } from './html-text.js'
import { fileOf, fixture, readAll } from './reading.fixture.js'

test('messages have their subject, sender, time and text, whatever they were encoded in', async () => {
  const { records } = await readAll(fixture('mail.mbox'))
  expect(records[0]?.record).toMatchObject({
    title: 'Grüße – new year',
    people: ['Ana López'],
    occurredAt: '2026-01-01T09:00:00.000Z',
    source: 'mid:one@example.org',
    metadata: { from: 'ana@example.org', to: ['Ben'] },
  })
  expect(records[0]?.record.body).toBe(
    'The käse is in the cellar, and this line is long enough to be broken in two.\n\n' +
      'From the attic we took the lamps.\nFrom here on the text goes on, after no blank line.',
  )
  expect(records[1]?.record.body).toBe('Schön, thanks!')
})

test('a thread is a session, from whichever message it goes back to', async () => {
  const { records } = await readAll(fixture('mail.mbox'))
  expect(records.map(({ session }) => session?.id)).toEqual([
    'one@example.org',
    'one@example.org',
    undefined,
  ])
  expect(records[1]?.session?.title).toBe('Grüße – new year')
})

test('an answer to an answer is found without a list of references', async () => {
  const mail = (id: string, to: string | null) =>
    `From x@y Thu Jan  1 10:00:00 2026\nMessage-ID: <${id}>\n${to ? `In-Reply-To: <${to}>\n` : ''}\ntext\n\n`
  const file = fileOf('a.mbox', mail('a', null) + mail('b', 'a') + mail('c', 'b') + mail('d', 'zz'))
  const { records } = await readAll(file)
  expect(records.map(({ session }) => session?.id)).toEqual(['a', 'a', 'a', 'zz'])
})

test('a message of HTML alone is its words, and one without text is named with its line', async () => {
  const { records, skipped } = await readAll(fixture('mail.mbox'))
  expect(records[2]?.record.body).toBe('Bring two ropes & a tent.\n\nSee you')
  expect(skipped).toEqual([
    { kind: 'skipped', name: 'Nothing in it', line: 45, reason: 'The message has no text.' },
  ])
})

test('a single message in a file of its own is read too, with Windows line ends', async () => {
  const { format, records } = await readAll(
    fileOf('one.eml', 'Subject: Hi\r\nFrom: a@b.c\r\n\r\nbody\r\nline\r\n'),
  )
  expect(format).toBe('mbox')
  expect(records[0]?.record).toMatchObject({ title: 'Hi', people: ['a@b.c'], body: 'body\nline' })
})

test('an attachment is named, not taken over', async () => {
  const { records } = await readAll(
    fileOf(
      'a.eml',
      [
        'Subject: With a file',
        'Content-Type: multipart/mixed; boundary=b',
        '',
        '--b',
        '',
        'see below',
        '--b',
        'Content-Type: application/octet-stream; name="x.bin"',
        'Content-Disposition: attachment; filename="x.bin"',
        'Content-Transfer-Encoding: base64',
        '',
        'AAECAw==',
        '--b--',
      ].join('\n'),
    ),
  )
  expect(records[0]?.record).toMatchObject({
    body: 'see below',
    metadata: { attachments: ['x.bin'] },
  })
})

test('HTML tags are never part of the text, however broken they are', async () => {
  expect(
    await htmlToText('a<br>b<p>c</p><script>x</script><!-- y -->&#228;&#x41;&lt;&bogus;'),
  ).toBe('a\nb\n\nc\n\näA<&bogus;')
  expect(await htmlToText('<style>never closed')).toBe('')
  expect(await htmlToText(`${'<'.repeat(200_000)}x`)).toMatch(/x$/)
  expect(await htmlToText(`${'<br'.repeat(100_000)}>x`)).toBe('x')
  expect(await htmlToText(`<pre>${' '.repeat(300_000)}x</pre>${'<div>'.repeat(50_000)}y`)).toMatch(
    /y$/,
  )
})
