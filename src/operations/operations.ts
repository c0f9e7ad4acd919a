/** Lists all operations, for the command line, HTTP and MCP, and runs them. */

import type { Cairn } from '../cairn/cairn.js'
import { assertRole } from '../core/caller.js'
import { assertInput } from '../schemas/check.js'
import { resolveNames } from '../schemas/names.js'
import { LITERATURE_OPERATIONS } from './literature.js'
import { MAINTENANCE_OPERATIONS } from './maintenance.js'
import { MEMORY_OPERATIONS } from './memory.js'
import type { AnyOperation, Call, Operation } from './operation.js'
import { RECORD_OPERATIONS } from './records.js'

const TABLE = {
  ...RECORD_OPERATIONS,
  ...MEMORY_OPERATIONS,
  ...LITERATURE_OPERATIONS,
  ...MAINTENANCE_OPERATIONS,
}

type Table = typeof TABLE
export type OperationName = keyof Table
export type OperationInput<Name extends OperationName> = Parameters<Table[Name]['run']>[1]
export type OperationAnswer<Name extends OperationName> = Awaited<ReturnType<Table[Name]['run']>>

export const OPERATIONS: readonly (AnyOperation & { readonly name: OperationName })[] =
  Object.entries(TABLE).map(([name, one]) => ({ name: name as OperationName, ...one }))

export function operation<Name extends OperationName>(name: Name): Table[Name] {
  return TABLE[name]
}

/** Checks the role of the caller and the input, and runs the operation. Reads of remote clients are limited. */
export async function perform<Answer>(
  // biome-ignore lint/suspicious/noExplicitAny: the schema of the operation decides which input is valid
  { schema, role, effect, unchecked, run }: Operation<any, Answer>,
  cairn: Cairn,
  given: unknown,
  call: Call = {},
): Promise<Answer> {
  const input = resolveNames(schema, given)
  assertRole(cairn.caller, role(Object(input)))
  if (unchecked !== null) assertInput(unchecked, input)
  const { isRemote = false, signal } = call
  if (!isRemote || signal === undefined || effect !== 'reads') return run(cairn, input, call)
  return cairn.limited(signal, () => run(cairn, input, call))
}

export async function performNamed<Name extends OperationName>(
  name: Name,
  cairn: Cairn,
  input: OperationInput<Name>,
  call: Call = {},
): Promise<OperationAnswer<Name>> {
  const found: Operation = TABLE[name]
  return (await perform(found, cairn, input, call)) as OperationAnswer<Name>
}

/** The answer as programs get it: small, unless the input asks for `body`. */
export function toSmallAnswer(
  operation: Pick<AnyOperation, 'shrink'>,
  answer: unknown,
  input: unknown,
): unknown {
  const asksForBody = (input as { body?: unknown } | null)?.body === true
  return asksForBody ? answer : operation.shrink(answer)
}
