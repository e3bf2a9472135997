import { defineConfig } from 'vitest/config';

/** Several servers on one PostgreSQL, killed at random, about ten minutes; `npm test` runs a slice of it. */
export default defineConfig({
  test: {
    include: ['test/cluster/*.cluster.ts'],
    globalSetup: ['test/support/memory-folder.ts'],
    testTimeout: 60 * 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    fileParallelism: false,
    disableConsoleIntercept: true,
  },
});
