/** Where an operation is found over HTTP is written in one line, or why it is not. */

export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
export type Method = (typeof METHODS)[number]

/** A method and a path; a name in braces is the option of the operation that this part of the path fills. */
export type At = `${Method} /api/${string}`

export type Route = {
  readonly at: readonly [At, ...At[]]
  /** The option that `{id}` fills, as a list of one, where the operation takes several. */
  readonly idIsOneOf?: string
  /** A path with an id whose answer says that it is missing is a path that leads nowhere. */
  readonly isMissing?: (answer: never) => boolean
}

/** An operation that this face does not have. */
export type LeftOut = { readonly leftOut: string }

export type Place = {
  readonly method: Method
  /** As OpenAPI writes it: `/api/records/{id}`. */
  readonly path: string
  /** The names in braces. */
  readonly parameters: readonly string[]
}

export function placeOf(at: At): Place {
  const space = at.indexOf(' ')
  const path = at.slice(space + 1)
  return {
    method: at.slice(0, space) as Method,
    path,
    parameters: [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name),
  }
}

/** Whether the input stands in a body of JSON, and not in the query string. */
export function hasBody({ method }: Pick<Place, 'method'>): boolean {
  return method === 'POST' || method === 'PUT' || method === 'PATCH'
}
