import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * From the longest on: the crash matrix and what takes half a minute and more, what waits for processes and for
 * a chain, and what takes moments.
 */
const LONGEST_FIRST = [
  /\/test\/(faults\/|e2e\/(examples|faults|foreign-\w+|kept-states|minimal-and-odd-hosts|order-killed|partner|rehearsal|serve|top-up-country)\.)/,
  /\/test\/((e2e|library|mcp|pinned|cli\/schemas)\/|[^/]+$)/,
  /\/test\/(api|disk|records|store|sandbox|wallet)\//,
];

/** What takes long comes first, so that no worker is left alone with it at the end. */
class ProcessesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const found = LONGEST_FIRST.findIndex((paths) => paths.test(moduleId));
      return found === -1 ? LONGEST_FIRST.length : found;
    };
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => rank(one) - rank(other));
  }
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/memory-folder.ts', 'test/support/choose-seed.ts'],
    setupFiles: ['test/support/message-equality.ts', 'test/support/fixed-seed.ts'],
    sequence: { sequencer: ProcessesFirst },
    // For what hangs: a machine that does other work beside this one is no reason to fail.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
    pool: 'forks',
    // Nothing is shared but modules, which hold no state: a worker reads each of them once.
    isolate: false,
    // Most of the time goes into waiting for a chain and for processes; each worker reads the modules anew.
    maxWorkers: 4 + 2 * availableParallelism(),
    // V8 optimizes a function after 16 times the usual work: command lines and short tests seldom earn it back.
    execArgv: ['--interrupt-budget=1000000'],
  },
});
