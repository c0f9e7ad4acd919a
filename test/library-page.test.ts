/** Every example of docs/library.md compiles, runs, and prints what the page says. */

import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { transform } from 'esbuild'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '..')
const PAGE = join(ROOT, 'docs/library.md')

type Example = { readonly title: string; readonly code: string; readonly printed: string }

function readExamples(page: string): Example[] {
  const blocks = page.matchAll(/```ts\n([\s\S]*?)```\n\n```text\n([\s\S]*?)```/g)
  return [...blocks].map(([block, code = '', printed = '']) => {
    const before = page.slice(0, page.indexOf(block))
    const title = [...before.matchAll(/^##? (.*)$/gm)].at(-1)?.[1] ?? 'The library'
    return { title, code, printed }
  })
}

const END = '--- the end of an example ---\n'

/** What each example prints; all run in one process, one after the other. */
async function runExamples(folder: string): Promise<readonly string[]> {
  const lines = []
  for (const [i, example] of EXAMPLES.entries()) {
    const { code } = await transform(example.code, { loader: 'ts', target: 'node20' })
    writeFileSync(join(folder, `${i}.mjs`), code)
    lines.push(`await import('./${i}.mjs')`, `process.stdout.write(${JSON.stringify(END)})`)
  }
  writeFileSync(join(folder, 'all.mjs'), lines.join('\n'))
  const { stdout, stderr } = await run(process.execPath, ['all.mjs'], { cwd: folder })
  expect(stderr).toBe('')
  return stdout.split(END)
}

const EXAMPLES = readExamples(readFileSync(PAGE, 'utf8'))

describe('docs/library.md', () => {
  let folder: string
  let printed: Promise<readonly string[]>
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'cairn-page-'))
    mkdirSync(join(folder, 'node_modules'))
    symlinkSync(ROOT, join(folder, 'node_modules/cairn-search'), 'dir')
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
    printed = runExamples(folder)
  })

  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test('has examples, each with what it prints', () => {
    expect(EXAMPLES.length).toBeGreaterThanOrEqual(8)
    const page = readFileSync(PAGE, 'utf8')
    expect(page.match(/```ts\n/g)?.length).toBe(EXAMPLES.length)
  })

  test.each(EXAMPLES)('$title: the example prints what the page says', async (example) => {
    const stdout = (await printed)[EXAMPLES.indexOf(example)] ?? ''
    if (process.env.UPDATE_GOLDEN) rewrite(example, stdout)
    else expect(stdout).toBe(example.printed)
  })

  test('the examples fit the types that the package ships', async () => {
    for (const [i, { code }] of EXAMPLES.entries()) writeFileSync(join(folder, `${i}.ts`), code)
    const files = EXAMPLES.map((_, i) => `${i}.ts`)
    const options = { target: 'esnext', module: 'nodenext', strict: true, noEmit: true }
    const compilerOptions = {
      ...options,
      types: ['node'],
      typeRoots: [join(ROOT, 'node_modules/@types')],
    }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }))
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
    const { stdout } = await run(process.execPath, [tsc, '-p', folder]).catch(
      (error: { stdout: string }) => error,
    )
    expect(stdout).toBe('')
  }, 60_000)

  test('an error that nobody catches shows itself and a little of the code around it', async () => {
    const code = `import { openCairn } from 'cairn-search'
      const cairn = await openCairn({ file: ':memory:' })
      await cairn.briefing({ budget: 1 })`
    writeFileSync(join(folder, 'fails.mjs'), code)
    const failed = run(process.execPath, ['fails.mjs'], { cwd: folder })
    const { stderr } = await failed.then(
      () => ({ stderr: '' }),
      (error: { stderr: string }) => error,
    )
    expect(stderr).toContain('CairnError: ')
    expect(stderr.length).toBeLessThan(5000)
  })
})

function rewrite({ code, printed }: Example, stdout: string): void {
  const before = `${code}\`\`\`\n\n\`\`\`text\n`
  const page = readFileSync(PAGE, 'utf8')
  writeFileSync(
    PAGE,
    page.replace(before + printed, () => before + stdout),
  )
}
