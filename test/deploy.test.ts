/** The files of deploy/ say what this version understands: every command in them is one that it has, with options it has. */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { SETTINGS } from '../src/config/settings.js'
import { terminal } from './support/terminal.js'

const FOLDER = join(import.meta.dirname, '../deploy')
const read = (name: string) => readFileSync(join(FOLDER, name), 'utf8')
const VARIABLES: readonly string[] = [
  ...Object.values(SETTINGS).flatMap(({ variables }) => variables),
  'PGPASSWORD',
]

/** Sections of a unit, each a list of keys and values. */
function parseUnit(text: string): Map<string, (readonly [string, string])[]> {
  const sections = new Map<string, (readonly [string, string])[]>()
  let section: (readonly [string, string])[] = []
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue
    const [, name] = /^\[(\w+)\]$/.exec(line) ?? []
    const [, key, value] = /^(\w+)=(.+)$/.exec(line) ?? []
    if (name !== undefined) {
      section = []
      sections.set(name, section)
    } else if (key !== undefined && value !== undefined) section.push([key, value])
    else throw new Error(`"${line}" is no line of a unit`)
  }
  return sections
}

async function expectKnown(command: string): Promise<void> {
  const [, name = '', rest = ''] = /cairn (\w+) ?(.*)/.exec(command) ?? []
  const { out } = await terminal(':memory:')(name, '--help')
  expect(out).toContain(`cairn ${name}`)
  for (const [flag] of rest.matchAll(/--[\w-]+/g)) expect(out).toContain(`${flag} `)
}

test('the units of systemd have commands, options and variables that exist', async () => {
  const names = readdirSync(FOLDER).filter((name) => /\.(service|socket|timer)$/.test(name))
  expect(names).toHaveLength(4)
  for (const name of names) {
    const sections = parseUnit(read(name))
    for (const [key, value] of sections.get('Service') ?? []) {
      if (key === 'ExecStart') await expectKnown(value)
      if (key === 'Environment') expect(VARIABLES).toContain(value.split('=')[0])
    }
  }
})

test('the container and the compose file run commands and set variables that exist', async () => {
  const container = read('Containerfile')
  const [, command = '[]'] = /^CMD (\[.*\])$/m.exec(container) ?? []
  await expectKnown((JSON.parse(command) as string[]).join(' '))
  const [, probe = '[]'] = /HEALTHCHECK .* CMD (\[.*\])$/m.exec(container) ?? []
  expect((JSON.parse(probe) as string[]).join(' ')).toContain('/healthz')
  const { services } = parse(read('compose.yaml')) as {
    services: Record<string, { environment: Record<string, string>; depends_on?: object }>
  }
  expect(Object.keys(services)).toEqual(['database', 'cairn'])
  for (const name of Object.keys(services.cairn?.environment ?? {}))
    expect(VARIABLES).toContain(name)
  expect(services.cairn?.depends_on).toHaveProperty('database')
})
