/**
 * Prepares a release: the package, its section of the changelog, a bill of materials and checksums, in release/.
 *
 *   npm run release -- --dry-run     makes the files and prints the tag
 *   npm run release                  also makes the tag; pushing it publishes the package (.github/workflows/release.yml)
 *
 * Refuses a tree with changes that are not committed, a version without a section in CHANGELOG.md, a failing `npm test`
 * and, without --dry-run, a tag that is there already. `--output FOLDER` writes elsewhere.
 */

import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'

/** npm is a script on Windows, which needs a shell. */
const shell = process.platform === 'win32'

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) main()

/** The heading and the text of a version, or null. */
export function findSection(changelog, version) {
  const sections = changelog.split(/^(?=## )/m)
  const isOf = (section) => section.slice(3).split(/[\s(]/, 1)[0] === version
  return sections.find((section) => section.startsWith('## ') && isOf(section))?.trim() ?? null
}

/** One line for each file, as `sha256sum --check` reads them. */
export function writeChecksums(folder) {
  const names = readdirSync(folder).sort()
  const hash = (name) =>
    createHash('sha256')
      .update(readFileSync(join(folder, name)))
      .digest('hex')
  writeFileSync(
    join(folder, 'SHA256SUMS'),
    names.map((name) => `${hash(name)}  ${name}\n`).join(''),
  )
  return [...names, 'SHA256SUMS']
}

function main() {
  const { values } = parseArgs({
    options: { 'dry-run': { type: 'boolean' }, output: { type: 'string' } },
  })
  const isDry = values['dry-run'] === true
  const { name, version } = JSON.parse(readFileSync('package.json', 'utf8'))
  const tag = `v${version}`
  const section = findSection(readFileSync('CHANGELOG.md', 'utf8'), version)
  const problem = findProblem({ isDry, tag, version, section })
  if (problem !== null) {
    process.stderr.write(`${problem}\n`)
    process.exitCode = 1
    return
  }
  const folder = values.output ?? join('release', tag)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'CHANGELOG.md'), `${section}\n`)
  run('npm', ['pack', '--silent', '--pack-destination', folder])
  writeFileSync(join(folder, 'sbom.cdx.json'), makeBillOfMaterials(name))
  for (const name of writeChecksums(folder)) process.stderr.write(`${join(folder, name)}\n`)
  if (!isDry) run('git', ['tag', '--annotate', tag, '--message', `${tag}\n\n${section}`])
  process.stdout.write(`${tag}\n`)
  if (!isDry) process.stderr.write(`Publish it with: git push origin ${tag}\n`)
}

/** npm calls the package by the name of its folder. */
function makeBillOfMaterials(name) {
  const format = ['--sbom-format', 'cyclonedx', '--omit', 'dev', '--package-lock-only']
  const bill = JSON.parse(run('npm', ['sbom', ...format]))
  bill.metadata.component.name = name
  return `${JSON.stringify(bill, null, 2)}\n`
}

/** In the order of what takes longest. */
function findProblem({ isDry, tag, version, section }) {
  if (section === null) return `CHANGELOG.md has no section "## ${version}".`
  if (!isDry && /unreleased/i.test(section.split('\n', 1)[0])) {
    return `The section ${version} of CHANGELOG.md says "unreleased": give it the date of today.`
  }
  const changed = run('git', ['status', '--porcelain']).trimEnd()
  if (changed !== '') return `There are changes that are not committed:\n${changed}`
  const isTagged = run('git', ['tag', '--list', tag]).trim() !== ''
  if (isTagged && !isDry) return `The tag ${tag} is there already.`
  const { status } = spawnSync('npm', ['test'], { stdio: ['ignore', 2, 2], shell })
  return status === 0 ? findAdvisories() : '`npm test` failed.'
}

/** Where no registry answers the audit, that is said and no problem. */
function findAdvisories() {
  const options = { encoding: 'utf8', shell }
  const { stdout } = spawnSync('npm', ['audit', '--json', '--omit', 'dev'], options)
  const { metadata } = JSON.parse(stdout || '{}')
  const total = metadata?.vulnerabilities?.total
  if (total === undefined) process.stderr.write('npm audit was not answered by the registry.\n')
  return total > 0 ? `npm audit names ${total} vulnerabilities of dependencies.` : null
}

function run(command, args) {
  const options = { encoding: 'utf8', maxBuffer: 1e8, shell: shell && command === 'npm' }
  return execFileSync(command, args, { ...options, stdio: ['ignore', 'pipe', 'inherit'] })
}
