/** What is not exactly as expected in an index is never guessed: whoever reads it is told, and asks SQL. */

export class Unreadable extends Error {
  override readonly name = 'Unreadable'
}

export function expectThat(holds: boolean, expectation: string): asserts holds {
  if (!holds) throw new Unreadable(expectation)
}
