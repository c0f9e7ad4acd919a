import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFile, temporaryFolder } from '../../../test/support/library.js'
import { jsonOf, terminal } from '../../../test/support/terminal.js'
import type { MirrorReport } from '../../index.js'

test('mirror tells what it did on each side, and what it would do', async () => {
  const folder = join(temporaryFolder(), 'notes')
  mkdirSync(folder)
  writeFileSync(join(folder, 'empty.md'), '')
  const cairn = terminal(temporaryFile())
  await cairn('add', 'We deploy on Thursdays.', '--tag', 'release')
  const dry = await cairn('mirror', folder, '--tag', 'release', '--dry-run')
  expect(dry).toMatchObject({ code: 0, err: '' })
  expect(dry.out).toMatch(/a dry run: nothing was written\nfiles +1 created\n/)
  expect(dry.out).toContain('\nChanges:\n  file created We deploy on Thursdays.md\n')
  expect(dry.out).toContain('\nSkipped:\n  empty.md  It has no text.\n')
  expect(readdirSync(folder)).toEqual(['empty.md'])
  const report = await jsonOf(cairn)<MirrorReport>('mirror', folder)
  expect(report).toMatchObject({ files: { created: 1 }, unchanged: 0, dryRun: false })
  expect((await cairn('mirror', folder)).out).toMatch(/unchanged +1\n/)
})

test('mirror --watch prints a line for each change until it is stopped', async () => {
  const folder = join(temporaryFolder(), 'notes')
  const stop = new AbortController()
  let out = ''
  const cairn = terminal(temporaryFile(), {
    stopSignal: () => stop.signal,
    writeOut: (text) => {
      out += text
      if (out.includes('records: 1 created')) stop.abort()
      else writeFileSync(join(folder, 'new.md'), 'A new one.')
    },
  })
  expect(await cairn('mirror', folder, '--watch')).toMatchObject({ code: 0, err: '' })
  expect(out).toMatch(/\d\d:\d\d:\d\d {2}records: 1 created\n$/)
})
