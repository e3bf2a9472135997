import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What takes long comes first, so that no worker is left alone with it at the end. */
class ProcessesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const takesLong = ({ moduleId }: TestSpecification) =>
      Number(/\/test\/(e2e|faults|library|mcp|pinned|cli\/schemas)\//.test(moduleId));
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => takesLong(other) - takesLong(one));
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
    // Some of the time goes into waiting for processes, and each worker reads the modules anew.
    maxWorkers: 2 * availableParallelism(),
  },
});
