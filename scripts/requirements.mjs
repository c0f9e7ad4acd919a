// Says which requirements passing tests prove, keeps docs/requirements.md true, and with --check refuses a page that is not.

import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import process from 'node:process'
import { pathToFileURL } from 'node:url'

const PAGE = 'docs/requirements.md'
const REPORT = 'test-results/vitest.json'
const ID = /^[A-Z]\d+$/
const ROW = /^\|\s*([A-Z]\d+)\s*\|\s*(.+?)\s*\|\s*(proven|partly|open)\s*\|\s*(.*?)\s*\|$/
const PARTLY = /^- \*\*([A-Z]\d+)\*\*:? (.+)$/

/**
 * The ids that a title names: `[F1, N2] …`, or several brackets. Brackets without any id are text.
 * @param {string} title
 * @returns {string[]}
 */
export function idsIn(title) {
  const named = new Set()
  for (const [, inside = ''] of title.matchAll(/\[([^[\]]*)\]/g)) {
    const parts = inside.split(',').map((part) => part.trim())
    if (parts.some((part) => ID.test(part))) for (const part of parts) named.add(part)
  }
  return [...named]
}

/**
 * The tests of a vitest report that name ids.
 * @param {{ testResults: { name: string, assertionResults: { fullName: string, status: string }[] }[] }} report
 * @param {string} root
 */
export function testsIn(report, root) {
  return report.testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map(({ fullName, status }) => ({
      file: relative(root, name).replaceAll('\\', '/'),
      title: fullName,
      ids: idsIn(fullName),
      // Skipped and planned tests prove nothing and break nothing.
      outcome: status === 'passed' || status === 'failed' ? status : 'absent',
    })),
  )
}

/**
 * The rows of the page, and the ids that its hand-kept list calls done in part.
 * @param {string} page
 */
export function readPage(page) {
  const lines = page.split('\n')
  const rows = lines.flatMap((line) => {
    const [, id, what, status, tests] = ROW.exec(line) ?? []
    return id === undefined ? [] : [{ id, what, status, tests }]
  })
  const partly = new Map(
    lines.flatMap((line) => [PARTLY.exec(line)?.slice(1) ?? []]).filter(isPair),
  )
  return { rows, partly }
}

function isPair(list) {
  return list.length === 2
}

/**
 * What the tests say of each id: proven by passing tests alone, and never while later work completes it.
 * @param {ReturnType<typeof readPage>} page
 * @param {ReturnType<typeof testsIn>} tests
 */
export function judge({ rows, partly }, tests) {
  return rows.map(({ id, what }) => {
    const named = tests.filter(({ ids }) => ids.includes(id))
    const passing = named.filter(({ outcome }) => outcome === 'passed')
    const failing = named.filter(({ outcome }) => outcome === 'failed')
    const isShown = passing.length > 0 && failing.length === 0
    const status = isShown ? (partly.has(id) ? 'partly' : 'proven') : 'open'
    return {
      id,
      what,
      status,
      passing,
      failing,
      // Also of tests that are skipped here: the page must not depend on what else is on the machine.
      files: [...new Set(named.map(({ file }) => file))].sort(),
    }
  })
}

/**
 * The page with its status and tests columns as the tests have them.
 * @param {string} page
 * @param {ReturnType<typeof judge>} judged
 */
export function writePage(page, judged) {
  const byId = new Map(judged.map((row) => [row.id, row]))
  const lines = page.split('\n').map((line) => {
    const row = byId.get(ROW.exec(line)?.[1])
    if (row === undefined) return line
    return `| ${row.id} | ${row.what} | ${row.status} | ${cellOf(row.files)} |`
  })
  return lines.join('\n')
}

function cellOf(files) {
  return files.map((file) => `\`${file}\``).join(' ')
}

/**
 * What is wrong with a page, one sentence each.
 * @param {string} page
 * @param {ReturnType<typeof testsIn>} tests
 */
export function problemsOf(page, tests) {
  const read = readPage(page)
  const judged = judge(read, tests)
  const known = new Set(read.rows.map(({ id }) => id))
  const problems = []
  for (const [i, { id, status }] of read.rows.entries()) {
    const { passing, failing } = judged[i]
    if (status === 'open') continue
    if (passing.length === 0)
      problems.push(`${id} is called ${status} and no passing test names it.`)
    for (const { title } of failing)
      problems.push(`${id} is called ${status} and "${title}" fails.`)
  }
  for (const { title, ids } of tests) {
    for (const id of ids)
      if (!known.has(id)) problems.push(`"${title}" names ${id}, which is no requirement.`)
  }
  for (const id of read.partly.keys()) {
    if (!known.has(id)) problems.push(`${id} is called partly done and is no requirement.`)
  }
  if (known.size !== read.rows.length) problems.push('An id has two rows.')
  const outdated = judged.filter(({ status, files }, i) => {
    const row = read.rows[i]
    return row.status !== status || row.tests !== cellOf(files)
  })
  if (outdated.length > 0) {
    const ids = outdated.map(({ id }) => id).join(', ')
    problems.push(`${PAGE} is out of date for ${ids}; \`npm run requirements\` writes it anew.`)
  }
  return problems
}

function filesUnder(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
}

/** The report, or null where it is missing, older than the code, or of some of the tests only. */
function readReport() {
  if (!existsSync(REPORT)) return null
  const writtenMs = statSync(REPORT).mtimeMs
  const files = [...filesUnder('src'), ...filesUnder('test')]
  if (files.some((file) => statSync(file).mtimeMs > writtenMs)) return null
  try {
    const report = JSON.parse(readFileSync(REPORT, 'utf8'))
    const covered = new Set(report.testResults.map(({ name }) => resolve(name)))
    const tests = files.filter((file) => file.endsWith('.test.ts'))
    return tests.every((file) => covered.has(resolve(file))) ? report : null
  } catch {
    return null
  }
}

function runTests() {
  console.error('The report of the tests is missing or old: running them.')
  spawnSync('npx', ['vitest', 'run'], { stdio: ['ignore', 'ignore', 'inherit'] })
  if (!existsSync(REPORT)) throw new Error(`vitest wrote no ${REPORT}`)
  return JSON.parse(readFileSync(REPORT, 'utf8'))
}

function main() {
  const tests = testsIn(readReport() ?? runTests(), process.cwd())
  const page = readFileSync(PAGE, 'utf8')
  const judged = judge(readPage(page), tests)
  if (process.argv.includes('--check')) {
    const problems = problemsOf(page, tests)
    for (const problem of problems) console.error(problem)
    if (problems.length > 0) process.exit(1)
  } else {
    for (const { id, status, passing } of judged) {
      const title = passing[0]?.title ?? ''
      console.log(
        `${id.padEnd(4)} ${status.padEnd(6)} ${String(passing.length).padStart(4)}  ${title}`.trimEnd(),
      )
    }
    writeFileSync(PAGE, writePage(page, judged))
  }
  const count = (wanted) => judged.filter(({ status }) => status === wanted).length
  console.log(`${count('proven')} proven, ${count('partly')} partly, ${count('open')} open`)
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) main()
