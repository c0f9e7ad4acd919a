/** Works for tests, made up by hand or by chance, with as little said as a test needs. */

import fc from 'fast-check'
import { NO_DETAILS, WORK_TYPES, type Work } from '../core/work.js'

export function makeWork(parts: Partial<Work>): Work {
  return { ...NO_DETAILS, title: 'On Cairns', abstract: null, tags: [], references: [], ...parts }
}

const orNull = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: null })
const some = (...values: readonly string[]) => orNull(fc.constantFrom(...values))
const people = fc.array(
  fc.record({
    family: fc.constantFrom('Stone', 'van der Berg', 'García Márquez', 'Márquez'),
    given: some('A.', 'Ada', 'Ada M.', 'Bo', 'Gabriel García', ''),
  }),
  { maxLength: 3 },
)

/** From so few values that two works often agree, differ by a little, or lack the same thing. */
export const anyWork: fc.Arbitrary<Work> = fc
  .record({
    title: fc.constantFrom('On Cairns', 'on cairns!', 'Paths', ''),
    abstract: some('Stones mark', 'Stones mark a path.', 'Other words.', ''),
    type: fc.constantFrom(...WORK_TYPES),
    authors: people,
    editors: people,
    venue: some('Journal of Paths', 'journal of paths', 'Stones'),
    year: orNull(fc.constantFrom(2018, 2019)),
    published: some('2018', '2019', '2019-07', '2019-07-28', '2018-02', ''),
    doi: some('10.1000/a', '10.1000/b'),
    openAlexId: some('W1', 'W2'),
    arxivId: some('1706.03762', 'cs/0112017'),
    citationKey: some('stone2019', 'other'),
    pages: some('1', '1-2', '12'),
    tags: fc.array(fc.constantFrom('path', 'Path', 'stone', 'STONE', 'map'), { maxLength: 4 }),
    references: fc.array(fc.constantFrom('openalex:W7', 'doi:10.1000/c', 'key:x'), {
      maxLength: 4,
    }),
  })
  .map(makeWork)
