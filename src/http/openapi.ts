/** The description of the API is made of the same tables that it runs by. */

import { ERROR_CODES } from '../core/errors.js'
import { VERSION } from '../core/version.js'
import type { AnyOperation } from '../operations/operation.js'
import { OPERATIONS, operation } from '../operations/operations.js'
import { schemaOf } from './json-schema.js'
import { DOOR_CODES } from './problems.js'
import type { JsonSchema } from './read-query.js'
import { hasBody, type Place, placeOf, type Route } from './route.js'
import { isRoute, ROUTES } from './routes.js'

type Described = { readonly [key: string]: unknown }

const PROBLEM: Described = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message', 'hint'],
      properties: {
        code: {
          type: 'string',
          enum: [...new Set([...ERROR_CODES, ...Object.keys(DOOR_CODES), 'fault'])].sort(),
        },
        message: { type: 'string', description: 'What happened to which thing.' },
        hint: { type: ['string', 'null'], description: 'What to do next.' },
      },
    },
  },
}

const PROBLEM_RESPONSE: Described = {
  description: 'It could not be done; the status and the code say why.',
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Problem' } } },
}

export async function describeApi({ hasToken }: { readonly hasToken: boolean }) {
  const paths: Record<string, Record<string, Described>> = {}
  for (const one of OPERATIONS) {
    const route = ROUTES[one.name]
    if (!isRoute(route)) continue
    for (const [i, place] of route.at.map(placeOf).entries()) {
      const id = i === 0 ? one.name : `${one.name}.${i + 1}`
      const methods = paths[place.path] ?? {}
      methods[place.method.toLowerCase()] = await describeRoute(one, route, place, id)
      paths[place.path] = methods
    }
  }
  paths['/api/import'] = { post: await describeImport() }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Cairn',
      version: VERSION,
      description:
        'Search by words and by meaning over one local file. Answers are what `--json` prints; docs/json.md shows each.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    paths,
    components: {
      schemas: { Problem: PROBLEM },
      responses: { Problem: PROBLEM_RESPONSE },
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
    },
    security: hasToken ? [{ token: [] }] : [],
  }
}

async function describeRoute(
  one: AnyOperation,
  route: Route,
  place: Place,
  operationId: string,
): Promise<Described> {
  const schema = await schemaOf(one)
  const filled = place.parameters.map((name) => route.idIsOneOf ?? name)
  const rest = withoutKeys(schema, filled)
  const help = (name: string): string =>
    one.options[route.idIsOneOf === undefined ? name : route.idIsOneOf]?.help ?? ''
  const inPath = place.parameters.map((name) => ({
    name,
    in: 'path',
    required: true,
    description: help(name),
    schema: { type: 'string', minLength: 1 },
  }))
  const input = hasBody(place)
    ? { parameters: inPath, ...bodyOf(rest, examplesOf(one, filled)) }
    : { parameters: [...inPath, ...inQuery(rest)] }
  return {
    operationId,
    summary: one.summary,
    tags: [place.path.split('/')[2] ?? ''],
    ...input,
    responses: {
      200: {
        description: 'What the operation gives.',
        content: { 'application/json': { schema: { type: 'object' } } },
      },
      default: { $ref: '#/components/responses/Problem' },
    },
  }
}

function inQuery(schema: JsonSchema): Described[] {
  const required = (schema.required ?? []) as readonly string[]
  return Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>).map(
    ([name, { description, ...property }]) => ({
      name,
      in: 'query',
      required: required.includes(name),
      ...(description !== undefined && { description }),
      schema: property,
    }),
  )
}

function bodyOf(schema: JsonSchema, examples: readonly object[]): Described {
  const required = (schema.required ?? []) as readonly string[]
  if (Object.keys(schema.properties ?? {}).length === 0) return {}
  const shown = examples.map((value, i) => [`example${i + 1}`, { value }])
  return {
    requestBody: {
      required: required.length > 0,
      content: { 'application/json': { schema, examples: Object.fromEntries(shown) } },
    },
  }
}

/** The examples of the operation, without what stands in the path. */
function examplesOf({ examples }: AnyOperation, filled: readonly string[]): object[] {
  return (examples as readonly object[]).map((example) =>
    Object.fromEntries(Object.entries(example).filter(([name]) => !filled.includes(name))),
  )
}

function withoutKeys(schema: JsonSchema, keys: readonly string[]): JsonSchema {
  const { required, properties, ...rest } = schema
  const left = ((required ?? []) as readonly string[]).filter((key) => !keys.includes(key))
  return {
    ...rest,
    properties: Object.fromEntries(
      Object.entries(properties ?? {}).filter(([key]) => !keys.includes(key)),
    ),
    ...(left.length > 0 && { required: left }),
  }
}

async function describeImport(): Promise<Described> {
  const options = withoutKeys(await schemaOf(operation('import')), ['path'])
  const file = {
    type: 'array',
    items: { type: 'string', contentMediaType: 'application/octet-stream' },
  }
  return {
    operationId: 'import',
    summary: 'import the files that are sent',
    tags: ['import'],
    parameters: [
      {
        name: 'name',
        in: 'query',
        required: false,
        description: 'Where the body is one file: its name.',
        schema: { type: 'string' },
      },
      ...inQuery(options),
    ],
    requestBody: {
      required: true,
      content: {
        'multipart/form-data': {
          schema: { ...options, properties: { ...(options.properties as object), file } },
        },
        'application/octet-stream': { schema: { type: 'string' } },
      },
    },
    responses: {
      200: {
        description:
          'A report for each file and each folder at the top; or, as it happens, events.',
        content: {
          'application/json': {
            schema: {
              type: 'object',
              required: ['reports'],
              properties: { reports: { type: 'array', items: { type: 'object' } } },
            },
          },
          'text/event-stream': { schema: { type: 'string' } },
        },
      },
      default: { $ref: '#/components/responses/Problem' },
    },
  }
}
