import { spawn, spawnSync } from 'node:child_process'
import {
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryFile, temporaryFolder } from '../../test/support/library.js'
import { terminal } from '../../test/support/terminal.js'
import { openCairn } from '../index.js'

const CLI = join(import.meta.dirname, '../../dist/cairn.cjs')

test('errors are JSON where JSON was asked for', async () => {
  const cairn = terminal(temporaryFile())
  const { code, out, err } = await cairn('search', 'x', '--json')
  expect({ code, out }).toEqual({ code: 1, out: '' })
  expect(JSON.parse(err)).toMatchObject({
    error: { code: 'no_database', message: expect.any(String), hint: expect.any(String) },
  })
})

test('[M13] the log is JSON lines on standard error, with the query text at debug level only', async () => {
  const file = temporaryFile()
  const logFile = join(temporaryFolder(), 'cairn.log')
  const cairn = terminal(file)
  await cairn('add', 'apple')
  const info = await cairn('search', 'secretquestion', '--log-level', 'info', '--json')
  expect(JSON.parse(info.err)).toMatchObject({
    level: 'info',
    event: 'search',
    queryChars: 14,
    mode: 'hybrid',
    hits: 0,
    ms: expect.any(Number),
  })
  expect(info.err).not.toContain('secretquestion')
  expect(() => JSON.parse(info.out)).not.toThrow()
  await cairn('search', 'secretquestion', '--log-level', 'debug', '--log-file', logFile)
  expect(readFileSync(logFile, 'utf8')).toContain('secretquestion')
  expect((await cairn('search', 'secretquestion')).err).toBe('')
})

describe('as a process', () => {
  test('stdout, stderr and exit codes are as promised', () => {
    const file = temporaryFile()
    const run = (...args: string[]) =>
      spawnSync(process.execPath, [CLI, ...args, '--db', file], { encoding: 'utf8', input: '' })
    expect(run('add', 'apple').status).toBe(0)
    expect(run('search', 'zebra').status).toBe(0)
    expect(run('get', '7ZZZZZZZZZZ').status).toBe(1)
    expect(run('search', '--nonsense').status).toBe(2)
  })

  test('the file may be named by a flag, the environment or the data folder', () => {
    const folder = temporaryFolder()
    const env = { ...process.env, XDG_DATA_HOME: folder, CAIRN_DB: '' }
    delete (env as Record<string, string | undefined>).CAIRN_DB
    const run = (...args: string[]) =>
      spawnSync(process.execPath, [CLI, ...args], { encoding: 'utf8', env, input: '' })
    expect(run('add', 'apple').status).toBe(0)
    expect(existsSync(join(folder, 'cairn', 'cairn.db'))).toBe(true)
  })

  test.skipIf(process.platform === 'win32')(
    'a reader that closes the pipe early is met with silence',
    async () => {
      const file = temporaryFile()
      const cairn = await openCairn({ file, vectors: false })
      const bodies = Array.from({ length: 25 }, (_, i) => `${'apple '.repeat(1000)} ${i}`)
      await cairn.addMany(bodies.map((body) => ({ body })))
      await cairn.close()
      const child = spawn('bash', [
        '-c',
        `"${process.execPath}" "${CLI}" list --limit 60 --json --db "${file}" | head -1`,
      ])
      let err = ''
      child.stderr.on('data', (part) => {
        err += part
      })
      const code = await new Promise((resolve) => child.on('close', resolve))
      expect({ code, err }).toEqual({ code: 0, err: '' })
    },
  )

  test('compiled code is stored for the next start, and replaced where it is damaged', () => {
    const [file, cache] = [temporaryFile(), temporaryFolder()]
    const env = { ...process.env, XDG_CACHE_HOME: cache }
    const run = (...args: string[]) => {
      const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, ...args, '--db', file], {
        encoding: 'utf8',
        env,
        input: '',
      })
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
      return stdout
    }
    run('add', 'We deploy on Thursdays.')
    run('search', 'deploy', '--mode', 'keyword')
    const folder = join(cache, 'cairn', 'code')
    const [stored = ''] = readdirSync(folder).filter((name) => name.endsWith('-search'))
    const path = join(folder, stored)
    const small = statSync(path).size
    const search = () => JSON.parse(run('search', 'which day?', '--json')).hits[0].id
    const expected = search()
    // The search by vectors ran more functions.
    const { size } = statSync(path)
    expect(size).toBeGreaterThan(1.02 * small)
    const damages = [
      () => truncateSync(path, size / 2),
      () => writeFileSync(path, 'no code'.repeat(1000)),
      () => writeFileSync(path, readFileSync(path).fill(1, small / 2, small / 2 + 100)),
    ]
    for (const damage of damages) {
      damage()
      expect(search()).toEqual(expected)
      expect(statSync(path).size).toBeGreaterThan(small)
    }
  })
})
