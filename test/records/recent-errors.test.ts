import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { recentErrors, rememberError } from '../../src/records/recent-errors.ts';
import { fuzzRuns } from '../support/fuzz.ts';
import { tempFolder } from '../support/temp-folder.ts';

const dir = tempFolder();

const at = (second: number): string => new Date(second * 1_000).toISOString();
const failure = (second: number) => ({ at: at(second), code: 'USAGE', verb: 'brands' });

describe('the last failures', () => {
  it('are kept in their order, for their owner alone', () => {
    const path = join(dir, 'kept');
    rememberError(path, failure(1));
    rememberError(path, { at: at(2), code: 'INTERNAL', verb: null });
    expect(recentErrors(path)).toEqual([failure(1), { at: at(2), code: 'INTERNAL', verb: null }]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('are few, however many there were', () => {
    const path = join(dir, 'many');
    for (let second = 1; second <= 2_000; second += 1) rememberError(path, failure(second));
    expect(recentErrors(path)).toHaveLength(50);
    expect(recentErrors(path).at(-1)).toEqual(failure(2_000));
    expect(readFileSync(path).length).toBeLessThan(20_000);
  });

  it('make no folder, and are none where there is no file', () => {
    const path = join(dir, 'nowhere', 'errors');
    rememberError(path, failure(1));
    expect(existsSync(join(dir, 'nowhere'))).toBe(false);
    expect(recentErrors(path)).toEqual([]);
  });

  it('that cannot be written down are passed over', () => {
    expect(() => rememberError(dir, failure(1))).not.toThrow();
  });

  it('are codes alone, whatever stands in the file', () => {
    const path = join(dir, 'strange');
    const lines = [
      '{"at":"2026-01-01T00:00:00.000Z","code":"me@example.com","verb":"x"}',
      '{"at":"whsec_x","code":"USAGE","verb":"x"}',
      'null',
      '{',
    ];
    const good = JSON.stringify({ ...failure(1), verb: 'me@example.com' });
    writeFileSync(path, [...lines, good].join('\n'));
    expect(recentErrors(path)).toEqual([{ ...failure(1), verb: null }]);
    fc.assert(
      fc.property(fc.array(fc.json()), (documents) => {
        writeFileSync(path, documents.join('\n'));
        for (const { code } of recentErrors(path)) expect(code).toMatch(/^[A-Z][A-Z0-9_]+$/);
      }),
      { numRuns: fuzzRuns(100) },
    );
  });
});
