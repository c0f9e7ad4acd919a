import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'page/src/**/*.test.ts', 'test/**/*.test.ts'],
    coverage: {
      include: ['src/**/*.ts'],
      exclude: ['**/*.test.ts', '**/*.fixture.ts', '**/*.wasm.ts'],
    },
    // All cores: the suite waits for processes and disks as often as it computes.
    maxWorkers: '100%',
    // Modules are loaded once per worker: they hold no state, so test files cannot disturb each other.
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
