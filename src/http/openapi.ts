/** Describes the API as OpenAPI, from the tables that it runs by. */

import * as z from 'zod/mini'
import { ERROR_CODES } from '../core/errors.js'
import { VERSION } from '../core/version.js'
import type { AnyOperation } from '../operations/operation.js'
import { OPERATIONS, operation } from '../operations/operations.js'
import { describeOptions } from '../schemas/fields.js'
import { REQUEST_STATUSES } from './problems.js'
import type { JsonSchema } from './request.js'
import { type Endpoint, listEndpoints } from './routes.js'

const CODES = [...new Set([...ERROR_CODES, ...Object.keys(REQUEST_STATUSES), 'fault'])].sort()

const PROBLEM = objectOf({
  error: objectOf({
    code: { type: 'string', enum: CODES },
    message: { type: 'string', description: 'What happened to which thing.' },
    hint: { type: ['string', 'null'], description: 'What to do next.' },
  }),
})

function objectOf(properties: JsonSchema): JsonSchema {
  return { type: 'object', required: Object.keys(properties), properties }
}

export function describeApi({ hasToken }: { readonly hasToken: boolean }) {
  const paths: Record<string, Record<string, JsonSchema>> = {}
  for (const one of OPERATIONS) {
    const schema = describeInput(one)
    for (const [i, endpoint] of listEndpoints(one).entries()) {
      const { path, method } = endpoint
      paths[path] = {
        ...paths[path],
        [method.toLowerCase()]: {
          operationId: i === 0 ? one.name : `${one.name}.${i + 1}`,
          summary: one.summary,
          tags: [path.split('/')[2] ?? ''],
          ...describeEndpoint(one, schema, endpoint),
          responses: describeResponses('The answer of the operation.', {
            'application/json': { schema: { type: 'object' } },
            ...(one.name === 'ask' && { 'text/event-stream': { schema: { type: 'string' } } }),
          }),
        },
      }
    }
  }
  paths['/api/import'] = { post: describeImport() }
  paths['/api/backup'] = { get: describeFile('a copy of the whole library', 'octet-stream') }
  paths['/api/caller'] = {
    get: {
      operationId: 'caller',
      summary: 'show who you are: the name, the role and the namespaces of your token',
      responses: describeResponses('Namespaces are null where they are all.', {
        'application/json': { schema: { type: 'object' } },
      }),
    },
  }
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } }
  paths['/api/records/{id}/file'] = {
    get: { ...describeFile('the PDF that a record was imported from', 'pdf'), parameters: [id] },
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Cairn',
      version: VERSION,
      description:
        'Keyword and semantic search in one local file. Answers are the same as `--json` prints; docs/json.md shows each.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    paths,
    components: {
      schemas: { Problem: PROBLEM },
      responses: {
        Problem: {
          description: 'The request failed; the status and the code say why.',
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Problem' } } },
        },
      },
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
    },
    security: hasToken ? [{ token: [] }] : [],
  }
}

export function describeInput({ schema }: AnyOperation): JsonSchema {
  const options = describeOptions(schema)
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  const { $schema: _, properties = {}, ...rest } = dropEmptyParts(json) as JsonSchema
  const described = Object.entries(properties as Record<string, object>).map(([name, property]) => {
    const { help = '', unset } = options[name] ?? {}
    const absent = unset === undefined ? '' : ` (if absent: ${unset})`
    const description = `${help.charAt(0).toUpperCase()}${help.slice(1)}${absent}.`
    return [name, { ...property, description }]
  })
  return { ...rest, properties: Object.fromEntries(described) }
}

/** Drops the bounds that every integer has, and the form "anything" (a Date) beside a text. */
function dropEmptyParts(schema: object): object {
  return JSON.parse(JSON.stringify(schema), (key, value) => {
    const isBound = key === 'minimum' || key === 'maximum'
    if (isBound && Math.abs(value) >= Number.MAX_SAFE_INTEGER) return undefined
    if (key !== 'anyOf') return value
    return value.filter((form: object) => Object.keys(form).length > 0)
  })
}

function describeEndpoint(operation: AnyOperation, schema: JsonSchema, endpoint: Endpoint) {
  const options = describeOptions(operation.schema)
  const filled = endpoint.parameters.map(({ option }) => option)
  const rest = omitProperties(schema, filled)
  const inPath = endpoint.parameters.map(({ name, option }) => ({
    name,
    in: 'path',
    required: true,
    description: options[option]?.help ?? '',
    schema: { type: 'string', minLength: 1 },
  }))
  if (!endpoint.hasBody) return { parameters: [...inPath, ...describeQuery(rest)] }
  if (Object.keys(rest.properties ?? {}).length === 0) return { parameters: inPath }
  const shown = (operation.examples as readonly object[]).map((example, i) => {
    const entries = Object.entries(example).filter(([name]) => !filled.includes(name))
    return [`example${i + 1}`, { value: Object.fromEntries(entries) }]
  })
  return {
    parameters: inPath,
    requestBody: {
      required: listRequired(rest).length > 0,
      content: { 'application/json': { schema: rest, examples: Object.fromEntries(shown) } },
    },
  }
}

function describeQuery(schema: JsonSchema): JsonSchema[] {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>)
  return properties.map(([name, { description, ...property }]) => ({
    name,
    in: 'query',
    required: listRequired(schema).includes(name),
    description,
    schema: property,
  }))
}

function listRequired({ required = [] }: JsonSchema): readonly string[] {
  return required as readonly string[]
}

function omitProperties(schema: JsonSchema, keys: readonly string[]): JsonSchema {
  const isLeft = (key: string) => !keys.includes(key)
  const { required: _, properties = {}, ...rest } = schema
  const left = Object.entries(properties as object).filter(([key]) => isLeft(key))
  const required = listRequired(schema).filter(isLeft)
  return { ...rest, properties: Object.fromEntries(left), ...(required.length > 0 && { required }) }
}

function describeResponses(description: string, content: JsonSchema): JsonSchema {
  return { 200: { description, content }, default: { $ref: '#/components/responses/Problem' } }
}

function describeFile(what: string, type: 'octet-stream' | 'pdf'): JsonSchema {
  const content = { [`application/${type}`]: { schema: { type: 'string' } } }
  return { operationId: `file.${type}`, summary: what, responses: describeResponses(what, content) }
}

function describeImport(): JsonSchema {
  const options = omitProperties(describeInput(operation('import')), ['path'])
  const items = { type: 'string', contentMediaType: 'application/octet-stream' }
  const properties = { ...(options.properties as object), file: { type: 'array', items } }
  const description = 'Where the body is one file: its name.'
  return {
    operationId: 'import',
    summary: 'import the files that are sent',
    tags: ['import'],
    parameters: [
      { name: 'name', in: 'query', required: false, description, schema: { type: 'string' } },
      ...describeQuery(options),
    ],
    requestBody: {
      required: true,
      content: {
        'multipart/form-data': { schema: { ...options, properties } },
        'application/octet-stream': { schema: { type: 'string' } },
      },
    },
    responses: describeResponses(
      'A report for each file and each folder at the top; or, as it happens, events.',
      {
        'application/json': {
          schema: objectOf({ reports: { type: 'array', items: { type: 'object' } } }),
        },
        'text/event-stream': { schema: { type: 'string' } },
      },
    ),
  }
}
