/** A restore as docs/operations.md says it, line by line: real commands, a real server, a damaged file. */

import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { delimiter, join } from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { openCairn } from '../src/index.js'
import { temporaryFolder } from './support/library.js'

const ROOT = join(import.meta.dirname, '..')
const run = promisify(execFile)
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

/** The commands of the documented block that has this one in it. */
function findBlock(command: string): string {
  const blocks = [...read('docs/operations.md').matchAll(/```\n(.*?)```/gs)].map(([, text]) => text)
  const found = blocks.find((text) => text?.includes(command))
  if (found === undefined) throw new Error(`docs/operations.md has no \`${command}\``)
  return found
}

/** A host with the paths, the user and the services of `deploy/`. */
function createHost() {
  const folder = temporaryFolder()
  const state = join(folder, 'cairn')
  const programs = join(folder, 'bin')
  for (const path of [state, programs]) mkdirSync(path)
  const scripts = {
    cairn: `exec "${process.execPath}" "${join(ROOT, 'dist/cairn.cjs')}" "$@"`,
    sudo: 'if [ "$1" = -u ]; then shift 2; fi\nexec "$@"',
    // The test stops and starts the server when it reads this.
    systemctl: `echo "$1 $2" >> "${join(folder, 'services')}"
      while [ "$1" = stop ] && [ -e "${join(folder, 'running')}" ]; do sleep 0.05; done`,
  }
  for (const [name, text] of Object.entries(scripts)) {
    writeFileSync(join(programs, name), `#!/bin/sh\n${text}\n`)
    chmodSync(join(programs, name), 0o755)
  }
  const env = {
    ...{ HOME: folder, XDG_CONFIG_HOME: folder, CAIRN_DB: join(state, 'cairn.db') },
    PATH: `${programs}${delimiter}${process.env.PATH}`,
  }
  const shell = async (text: string): Promise<string> => {
    const script = text.replaceAll('/var/lib/cairn', state)
    return (await run('/bin/sh', ['-e', '-c', script], { env, cwd: folder })).stdout
  }
  return { folder, state, env, shell }
}

type Host = ReturnType<typeof createHost>

async function startServer({ env, folder }: Host) {
  const server = spawn('cairn', ['serve', '--port', '0'], { env, cwd: folder, stdio: 'pipe' })
  onTestFinished(() => void server.kill('SIGKILL'))
  writeFileSync(join(folder, 'running'), '')
  // It says where it listens.
  await Promise.race([once(server.stdout, 'data'), once(server.stderr, 'data')])
  return server
}

test('a file that is damaged is restored from the last dated backup, by the documented commands', async () => {
  const host = createHost()
  const { folder, state, shell } = host
  const file = join(state, 'cairn.db')
  const backup = /ExecStart=\S+ (.+)/.exec(read('deploy/cairn-backup.service'))?.[1] ?? ''
  expect(backup).toContain('--keep 7')
  for (const day of ['Monday', 'Tuesday', 'Wednesday']) {
    const cairn = await openCairn({ file })
    await cairn.addMany(
      Array.from({ length: 40 }, (_, i) => ({ body: `note ${i} of ${day}, on wind and tides` })),
    )
    await cairn.close()
    await shell(backup.replace('--keep 7', '--keep 2'))
  }
  const copies = readdirSync(join(state, 'backups')).toSorted()
  expect(copies).toHaveLength(2)
  const ask = async (): Promise<unknown> => {
    const { hits } = JSON.parse(await shell('cairn search "tides of Wednesday" --json'))
    const found = hits.map(({ id, matchType }: { id: string; matchType: string }) => [
      id,
      matchType,
    ])
    return [found, await shell('cairn export --all')]
  }
  const before = await ask()

  const server = await startServer(host)
  const handle = openSync(file, 'r+')
  writeSync(handle, Buffer.alloc(statSync(file).size / 2, 0xa5), 0, undefined, 8192)
  closeSync(handle)
  await expect(shell('cairn doctor')).rejects.toMatchObject({ code: 1 })

  const named = (text: string): string =>
    text.replaceAll('cairn-20260304T033000000Z.cairn', copies.at(-1) ?? '')
  expect(await shell(named(findBlock('cairn search "something')))).toContain('ok')
  server.on('exit', () => void run('rm', [join(folder, 'running')]))
  const restored = shell(named(findBlock('systemctl stop')))
  server.kill('SIGTERM')
  expect(await restored).toContain('ok')
  expect(readFileSync(join(folder, 'services'), 'utf8')).toBe(
    'stop cairn.service\nstart cairn.service\n',
  )
  expect(await ask()).toEqual(before)
})
