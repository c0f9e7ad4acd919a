// Lists the tests of each requirement in docs/requirements.md; with --check it fails if the page is out of date or an id has no test.

import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import process from 'node:process'
import { pathToFileURL } from 'node:url'

const PAGE = 'docs/requirements.md'
const ROW = /^\| ([A-Z]\d+) \| (.+?) \| (.*?) \|$/
const TITLE = /\b(?:test|describe)(?:\.\w+(?:\([^)]*\))?)*\(\s*(['"`])(.*?)\1/gs

/** The requirement ids of a title: `[F1, N2] …` names two. */
export function parseIds(title) {
  const brackets = [...title.matchAll(/\[([A-Z]\d+(?:, ?[A-Z]\d+)*)\]/g)]
  return brackets.flatMap(([, inside]) => inside.split(/, ?/))
}

/** The page with the test files of each id in its last column, and what is wrong with it. */
export function updatePage(page, filesById) {
  const problems = []
  const known = new Set()
  const lines = page.split('\n').map((line) => {
    const [, id, what] = ROW.exec(line) ?? []
    if (id === undefined) return line
    if (known.has(id)) problems.push(`${id} has two rows.`)
    known.add(id)
    const files = [...(filesById.get(id) ?? [])].sort()
    if (files.length === 0) problems.push(`No test names ${id}.`)
    return `| ${id} | ${what} | ${files.map((file) => `\`${file}\``).join(' ')} |`
  })
  for (const id of filesById.keys())
    if (!known.has(id)) problems.push(`A test names ${id}, which is not in ${PAGE}.`)
  return { page: lines.join('\n'), problems }
}

function findTests() {
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'src', 'test'], {
    encoding: 'utf8',
  })
  const filesById = new Map()
  for (const file of files
    .split('\n')
    .filter((path) => /\.(test|cases)\.ts$|contract\.ts$/.test(path))) {
    const titles = [...readFileSync(file, 'utf8').matchAll(TITLE)].map(([, , title]) => title)
    for (const id of titles.flatMap(parseIds))
      filesById.set(id, (filesById.get(id) ?? new Set()).add(file))
  }
  return filesById
}

function main() {
  const before = readFileSync(PAGE, 'utf8')
  const { page, problems } = updatePage(before, findTests())
  if (process.argv.includes('--check')) {
    if (page !== before) problems.push(`${PAGE} is out of date: run \`npm run requirements\`.`)
  } else writeFileSync(PAGE, page)
  for (const problem of problems) console.error(problem)
  process.exitCode = problems.length > 0 ? 1 : 0
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) main()
