import { existsSync, statfsSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The files that wait longest for other programs: a browser and killed processes. */
const FIRST = ['test/page/page.test.ts', 'test/stress.test.ts']

/** Starts the longest files first, also on a machine that has no times of an earlier run. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isFirst = ({ moduleId }: TestSpecification) =>
      FIRST.some((name) => moduleId.endsWith(name))
    const sorted = await super.sort(files)
    return [...sorted.filter(isFirst), ...sorted.filter((file) => !isFirst(file))]
  }
}

/** Linux has a folder in memory: a test that writes a file there does not wait for the disk. */
const MEMORY = '/dev/shm'
const NEEDED_BYTES = 2 ** 30

function hasRoom(): boolean {
  if (!existsSync(MEMORY)) return false
  const { bavail, bsize } = statfsSync(MEMORY)
  return bavail * bsize >= NEEDED_BYTES
}

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'page/src/**/*.test.ts', 'test/**/*.test.ts'],
    coverage: {
      include: ['src/**/*.ts'],
      exclude: ['**/*.test.ts', '**/*.fixture.ts', '**/*.wasm.ts'],
    },
    globalSetup: 'test/support/drop-schemas.ts',
    env: hasRoom() ? { TMPDIR: MEMORY } : {},
    // All cores: the suite waits for processes and disks as often as it computes.
    maxWorkers: '100%',
    // Modules are loaded once per worker: they hold no state, so test files cannot disturb each other.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    // A busy machine may take long to come to what is waited for.
    expect: { poll: { timeout: 10_000 } },
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
