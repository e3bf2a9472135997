import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import usual from './vitest.config.ts';

/** What runs a process, with the standalone executable as that process: `npm run test:binary`. */
export default defineConfig({
  test: {
    ...usual.test,
    include: ['test/e2e/**/*.test.ts', 'test/mcp/stdio.test.ts'],
    env: { SCRIP_TEST_EXECUTABLE: fileURLToPath(new URL('build/scrip', import.meta.url)) },
  },
});
