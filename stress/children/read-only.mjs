/** Reads all there is of a file that cannot be written, tries every write, and tells what went wrong. */

import { spawnSync } from 'node:child_process'
import { dirname } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { attempt, expectFailure, expectValue } from '../lib/attempt.mjs'

const { library, file } = JSON.parse(process.argv[2])
const { openCairn } = await import(library)
const COMMAND = fileURLToPath(new URL('cairn.cjs', library))
const problems = []
const problem = (sentence) => problems.push(sentence)
let refused = 0

for (const readOnly of [false, true]) await tryFile(readOnly)
tryCommand()
process.stdout.write(JSON.stringify({ refused, problems }))

async function tryFile(readOnly) {
  const cairn = expectValue(await attempt(() => openCairn({ file, readOnly })), 'opening', problem)
  if (cairn === undefined) return
  const search = await attempt(() => cairn.search('apple'))
  const [hit] = expectValue(search, 'searching', problem)?.hits ?? []
  if (hit?.record.body !== 'kept apple') problem(`a search found ${JSON.stringify(hit)}`)
  const reads = {
    semantic: () => cairn.search('fruit', { mode: 'semantic' }),
    get: () => cairn.get([hit.id]),
    list: () => cairn.list(),
    stats: () => cairn.stats({ sizes: true }),
    models: () => cairn.models(),
    similar: () => cairn.similar(hit.id),
    timeline: () => cairn.timeline({ anchor: hit.id }),
    export: () => Array.fromAsync?.(cairn.exportAll()) ?? [],
  }
  for (const [name, read] of Object.entries(reads)) expectValue(await attempt(read), name, problem)
  const writes = {
    add: () => cairn.add({ body: 'lost' }),
    edit: () => cairn.edit(hit.id, { body: 'lost' }),
    delete: () => cairn.delete([hit.id]),
    purge: () => cairn.purge([hit.id]),
    session: () => cairn.sessions.start({}),
    link: () => cairn.links.add({ from: hit.id, to: hit.id.replace(/.$/, '0') }),
    fact: () => cairn.facts.add({ record: hit.id, subject: 'a', predicate: 'b', object: 'c' }),
    embed: () => cairn.embed({ provider: 'fake', dimensions: 32 }),
    optimize: () => cairn.optimize(),
    repair: () => cairn.doctor({ repair: true }),
  }
  for (const [name, write] of Object.entries(writes)) {
    refused += 1
    expectFailure(
      await attempt(write),
      name === 'link' ? ['read_only', 'not_found'] : ['read_only'],
      name,
      problem,
    )
  }
  await cairn.close()
}

function tryCommand() {
  const cairn = (...words) =>
    spawnSync(process.execPath, [COMMAND, ...words, '--db', file], {
      encoding: 'utf8',
      // Nobody has no home, and no configuration in it.
      env: { ...process.env, HOME: dirname(file), XDG_CONFIG_HOME: dirname(file) },
    })
  const found = cairn('search', 'apple', '--json')
  if (found.status !== 0 || !found.stdout.includes('kept apple')) {
    problem(`cairn search: ${found.status} ${found.stderr}`)
  }
  const added = cairn('add', 'lost')
  refused += 1
  if (added.status !== 1 || !/cannot be written to/.test(added.stderr)) {
    problem(`cairn add: ${added.status} ${added.stderr}`)
  }
}
