/** `npm run release` makes what a release needs, and refuses what must not be released. */

import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeEach, expect, test } from 'vitest'

const SCRIPT = join(import.meta.dirname, '../scripts/release.mjs')
const folder = mkdtempSync(join(tmpdir(), 'cairn-release-'))
const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, encoding: 'utf8' })
const at = (name: string): string => join(folder, name)
const commit = () => git('commit', '-qam', 'one')

function release(...args: string[]) {
  const options = { cwd: folder, encoding: 'utf8' as const }
  return spawnSync(process.execPath, [SCRIPT, '--output', at('out'), ...args], options)
}

function writeManifest(version: string, script = 'node --version'): void {
  const manifest = { name: 'a-package', version, files: ['a.js'], scripts: { test: script } }
  writeFileSync(at('package.json'), JSON.stringify(manifest))
  const lock = { name: 'a-package', version, lockfileVersion: 3, packages: { '': { version } } }
  writeFileSync(at('package-lock.json'), JSON.stringify(lock))
}

beforeEach(() => {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  git('init', '-q')
  git('config', 'user.email', 'ada@example.org')
  git('config', 'user.name', 'Ada')
  writeManifest('1.2.0')
  writeFileSync(at('a.js'), '1')
  writeFileSync(at('.gitignore'), 'out\n')
  writeFileSync(
    at('CHANGELOG.md'),
    '# Changelog\n\n## 1.2.0 (unreleased)\n\n- A thing.\n\n## 1.1.0\n\n- Old.\n',
  )
  git('add', '.')
  git('commit', '-qm', 'first')
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('a dry run prints the tag and makes section, package, bill of materials and checksums', () => {
  const { stdout, stderr, status } = release('--dry-run')
  expect({ stdout, status }, stderr).toEqual({ stdout: 'v1.2.0\n', status: 0 })
  const names = ['CHANGELOG.md', 'SHA256SUMS', 'a-package-1.2.0.tgz', 'sbom.cdx.json']
  expect(readdirSync(at('out')).sort()).toEqual(names)
  expect(readFileSync(at('out/CHANGELOG.md'), 'utf8')).toBe('## 1.2.0 (unreleased)\n\n- A thing.\n')
  const bill = JSON.parse(readFileSync(at('out/sbom.cdx.json'), 'utf8'))
  expect(bill).toMatchObject({
    bomFormat: 'CycloneDX',
    metadata: { component: { name: 'a-package', version: '1.2.0' } },
  })
  const sums = readFileSync(at('out/SHA256SUMS'), 'utf8')
  const packed = readFileSync(at('out/a-package-1.2.0.tgz'))
  const hash = createHash('sha256').update(packed).digest('hex')
  expect(sums).toContain(`${hash}  a-package-1.2.0.tgz\n`)
  expect(git('tag')).toBe('')
})

test('a release makes the tag once, from a section with a date', () => {
  expect(release().stderr).toContain('says "unreleased"')
  const dated = readFileSync(at('CHANGELOG.md'), 'utf8').replace('unreleased', '2026-11-16')
  writeFileSync(at('CHANGELOG.md'), dated)
  commit()
  expect(release().status).toBe(0)
  expect(git('tag')).toBe('v1.2.0\n')
  expect(release().stderr).toContain('The tag v1.2.0 is there already.')
})

test('changes that are not committed, a version without a section and a failing test are refused', () => {
  writeFileSync(at('b.js'), '2')
  expect(release('--dry-run')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('?? b.js'),
  })
  rmSync(at('b.js'))
  writeManifest('1.2')
  commit()
  expect(release('--dry-run')).toMatchObject({
    status: 1,
    stderr: 'CHANGELOG.md has no section "## 1.2".\n',
  })
  writeManifest('1.1.0', 'node --no-such-option')
  commit()
  const failed = release('--dry-run')
  expect(failed).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/`npm test` failed\.\n$/),
  })
})

test('the section of the version in package.json is there', async () => {
  const { findSection } = await import(/* @vite-ignore */ pathToFileURL(SCRIPT).href)
  const root = join(import.meta.dirname, '..')
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  expect(findSection(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), version)).toContain('### ')
})
