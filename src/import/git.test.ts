/** Commits are read with author, time and files. */

import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folderOf, readAll } from './reading.fixture.js'

function repositoryOf(): { folder: string; commit: (message: string, file?: string) => void } {
  const folder = folderOf({})
  const run = (...args: string[]) =>
    execFileSync('git', [
      '-C',
      folder,
      '-c',
      'user.name=Mara Lind',
      '-c',
      'user.email=m@x.org',
      ...args,
    ])
  run('init', '-q')
  const commit = (message: string, file?: string): void => {
    if (file !== undefined) writeFileSync(join(folder, file), message)
    run('add', '-A')
    run('commit', '-q', '--allow-empty', '--allow-empty-message', '-m', message)
  }
  return { folder, commit }
}

test('commits are records, the oldest first, with their authors and files', async () => {
  const { folder, commit } = repositoryOf()
  commit('search: rank by words\n\nThe body says why.\n\nAnd more.', 'a file.txt')
  commit('docs: ünïcode', 'über.md')
  const { records } = await readAll(folder, 'git')
  expect(records.map(({ record }) => [record.title, record.body])).toEqual([
    ['search: rank by words', 'search: rank by words\n\nThe body says why.\n\nAnd more.'],
    ['docs: ünïcode', 'docs: ünïcode'],
  ])
  const [first, second] = records
  expect(first?.key).toMatch(/^[0-9a-f]{40}$/)
  expect(first?.record).toMatchObject({
    people: ['Mara Lind', 'm@x.org'],
    source: `git:${first?.key}`,
    metadata: { files: ['a file.txt'], parents: [] },
  })
  expect(second?.record.metadata).toMatchObject({ files: ['über.md'], parents: [first?.key] })
  expect(Date.parse(String(first?.record.occurredAt))).toBeGreaterThan(Date.UTC(2020))
})

test('a commit without a message is named, and the others come in', async () => {
  const { folder, commit } = repositoryOf()
  commit('one')
  commit('')
  commit('three', 'x')
  const { records, skipped } = await readAll(folder, 'git')
  expect(records.map(({ record }) => record.body)).toEqual(['one', 'three'])
  expect(skipped[0]?.reason).toBe('The commit has no message.')
})

test('a repository without commits is empty, and another folder is refused', async () => {
  expect((await readAll(repositoryOf().folder, 'git')).items).toEqual([])
  await expect(readAll(folderOf({}), 'git')).rejects.toThrow(/is not a git repository\.$/)
})

test('a bare repository is known by its name', async () => {
  const { folder, commit } = repositoryOf()
  commit('only one')
  const { format, records } = await readAll(join(folder, '.git'))
  expect([format, records.length]).toEqual(['git', 1])
})
