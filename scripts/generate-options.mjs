// Writes src/cli/options.generated.ts: the operations and the settings as the command line shows them, read from their
// schemas, so that help and completion need not load zod. With --check it only says whether the file is up to date.

import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const FILE = `${ROOT}src/cli/options.generated.ts`

async function generateOptions() {
  const { outputFiles } = await build({
    stdin: {
      contents: `export { OPERATIONS } from './src/operations/operations.ts'
        export { SETTINGS } from './src/config/settings.ts'
        export { describeOptions } from './src/schemas/fields.ts'
        export { toJSONSchema } from 'zod/mini'`,
      resolveDir: ROOT,
    },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
  })
  const code = Buffer.from(outputFiles[0].contents).toString('base64')
  const { OPERATIONS, SETTINGS, describeOptions, toJSONSchema } = await import(
    `data:text/javascript;base64,${code}`
  )
  const lines = OPERATIONS.map(({ name, summary, examples, schema }) => {
    const { properties, required = [] } = toJSONSchema(schema, {
      io: 'input',
      unrepresentable: 'any',
    })
    const options = Object.entries(describeOptions(schema)).map(
      ([key, help]) =>
        `    ${key}: ${JSON.stringify({ ...describe(properties[key], help), isRequired: required.includes(key) || undefined })},\n`,
    )
    const [about, shown] = [summary, examples].map((part) => JSON.stringify(part))
    return `  '${name}': { summary: ${about}, examples: ${shown}, options: {\n${options.join('')}  } },\n`
  })
  const settings = FLAG_SETTINGS.map((name) => {
    const setting = SETTINGS[name]
    const { help, kind, variables, otherwise, schema } = setting
    const { enum: choices } = toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
    // No file holds a secret.
    const elsewhere = kind === 'secret' ? '' : ', else the configuration'
    const last = String(setting.default ?? otherwise).replaceAll('`', '')
    const byDefault = kind === 'switch' ? undefined : `$${variables[0]}${elsewhere}, else ${last}`
    const type = ['number', 'switch'].includes(kind) ? kind : 'text'
    const value = { text: 'text', number: 'n', path: 'file', secret: 'text' }[kind]
    return `  '${name}': ${JSON.stringify({ type, help, value, choices, default: byDefault })},\n`
  })
  return `/** Generated from the schemas by scripts/generate-options.mjs; \`npm run generate\` writes it anew. */

import type { OperationName } from '../operations/operations.js'
import type { Flag, OperationInfo } from './command.js'

export const OPERATION_TABLE: Readonly<Record<OperationName, OperationInfo>> = {
${lines.join('')}}

export const SETTING_TABLE = {
${settings.join('')}} satisfies Readonly<Record<string, Flag>>
`
}

/** The settings that commands have flags for: the script that starts every command holds no others. */
const FLAG_SETTINGS = [
  ...['db', 'namespace', 'pinned', 'log.level', 'log.file', 'http.port', 'mcp.port', 'mcp.token'],
  ...['llm.provider', 'llm.model', 'llm.baseUrl', 'openAlex.mailto', 'openAlex.baseUrl'],
]

const TYPES = {
  string: 'text',
  number: 'number',
  integer: 'number',
  boolean: 'switch',
  array: 'list',
}

/** An object before a list before a single value: the form that can say most. */
function describe(schema, { help, value, unset, suggestions }) {
  const forms = formsOf(schema)
  const form = ['object', 'array']
    .map((type) => forms.find((one) => one.type === type))
    .concat(forms.find((one) => one.type !== undefined && one.type !== 'null'))
    .find((one) => one !== undefined)
  const isShown =
    typeof schema.default === 'number' || (schema.default && typeof schema.default === 'string')
  const type = TYPES[form.type] ?? 'object'
  return {
    type,
    help,
    value: type === 'switch' ? undefined : (value ?? (type === 'number' ? 'n' : 'text')),
    default: isShown ? String(schema.default) : unset,
    choices: form.enum ?? form.items?.enum,
    suggestions,
  }
}

function formsOf(schema) {
  if (schema.anyOf !== undefined) return schema.anyOf.flatMap(formsOf)
  return [schema.type].flat().map((type) => ({ ...schema, type }))
}

export async function writeOptions() {
  writeFileSync(FILE, await generateOptions())
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (!process.argv.includes('--check')) await writeOptions()
  else if (readFileSync(FILE, 'utf8') !== (await generateOptions())) {
    console.error('src/cli/options.generated.ts is out of date: run `npm run generate`.')
    process.exitCode = 1
  }
}
