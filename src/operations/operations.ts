/** All that is asked of a file in one go and answered in one piece is in one list, for every face. */

import type { Cairn } from '../cairn/cairn.js'
import { check } from '../schemas/check.js'
import { FINDING_OPERATIONS } from './finding.js'
import { LITERATURE_OPERATIONS } from './literature.js'
import { CARE_OPERATIONS } from './maintenance.js'
import { FACT_OPERATIONS, LINK_OPERATIONS, SESSION_OPERATIONS, TRACE_OPERATIONS } from './memory.js'
import type { AnyOperation, Call, Operation } from './operation.js'
import { RECORD_OPERATIONS } from './records.js'

const LIST = [
  ...FINDING_OPERATIONS,
  ...RECORD_OPERATIONS,
  ...SESSION_OPERATIONS,
  ...FACT_OPERATIONS,
  ...LINK_OPERATIONS,
  ...TRACE_OPERATIONS,
  ...LITERATURE_OPERATIONS,
  ...CARE_OPERATIONS,
]

type Listed = (typeof LIST)[number]
export type OperationName = Listed['name']
type Named<Name extends OperationName> = Extract<Listed, { readonly name: Name }>

export type OperationInput<Name extends OperationName> = Parameters<Named<Name>['run']>[1]
export type OperationAnswer<Name extends OperationName> = Awaited<ReturnType<Named<Name>['run']>>

export const OPERATIONS: readonly (AnyOperation & { readonly name: OperationName })[] = LIST

export function operation<Name extends OperationName>(name: Name): Named<Name> {
  const found = LIST.find((one) => one.name === name)
  if (found === undefined) throw new Error(`there is no operation ${name}`)
  return found as Named<Name>
}

/** Checks what came from outside, and does it. */
export async function perform<Answer>(
  // biome-ignore lint/suspicious/noExplicitAny: the schema, which is the operation's own, decides what fits
  { schema, run }: Pick<Operation<string, any, Answer>, 'schema' | 'run'>,
  cairn: Cairn,
  input: unknown,
  call: Call = {},
): Promise<Answer> {
  check(await schema(), input)
  return run(cairn, input, call)
}

/** The same by the name, for a face that has not looked the operation up. */
export async function performNamed<Name extends OperationName>(
  name: Name,
  cairn: Cairn,
  input: OperationInput<Name>,
  call: Call = {},
): Promise<OperationAnswer<Name>> {
  const found: AnyOperation = operation(name)
  return (await perform(found, cairn, input, call)) as OperationAnswer<Name>
}
