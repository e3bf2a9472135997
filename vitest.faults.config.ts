import { defineConfig } from 'vitest/config';

/** The whole crash matrix, about a quarter of an hour; `npm test` runs a slice of it. */
export default defineConfig({
  test: {
    include: ['test/faults/*.faults.ts'],
    globalSetup: ['test/support/memory-folder.ts'],
    testTimeout: 90 * 60_000,
    pool: 'forks',
    fileParallelism: false,
    disableConsoleIntercept: true,
  },
});
