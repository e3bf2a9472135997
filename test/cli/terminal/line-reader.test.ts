/** Lines of standard input, however they arrive. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLineReader } from '../../../src/cli/terminal/terminal.ts';
import { ScripError } from '../../../src/domain/message/errors.ts';
import { t } from '../../../src/domain/message/message.ts';

const NEVER = new AbortController().signal;

async function* arriving(chunks: readonly (string | Uint8Array)[]) {
  yield* chunks;
}

async function allLines(read: () => Promise<string | undefined>): Promise<readonly string[]> {
  const lines: string[] = [];
  for (let line = await read(); line !== undefined; line = await read()) lines.push(line);
  return lines;
}

describe('lines', () => {
  it('are the same however the bytes are cut', async () => {
    const line = fc
      .string({ unit: 'grapheme', maxLength: 20 })
      .map((text) => text.replace(/[\r\n]/g, ''));
    await fc.assert(
      fc.asyncProperty(fc.array(line), fc.array(fc.nat(60)), async (lines, cuts) => {
        const bytes = new TextEncoder().encode(lines.map((text) => `${text}\n`).join(''));
        const places = [0, ...cuts.filter((cut) => cut < bytes.length), bytes.length].toSorted(
          (one, other) => one - other,
        );
        const chunks = places.slice(1).map((end, index) => bytes.slice(places[index], end));
        expect(await allLines(createLineReader(() => arriving(chunks), NEVER))).toEqual(lines);
      }),
    );
  });

  it('may end with CR LF, and the last one with nothing', async () => {
    const read = createLineReader(() => arriving(['one\r\ntwo\r\n\r\nthr', 'ee']), NEVER);
    expect(await allLines(read)).toEqual(['one', 'two', '', 'three']);
    expect(await read()).toBeUndefined();
  });

  it('that never end are refused', async () => {
    const read = createLineReader(() => arriving(['x'.repeat(3_000), 'x'.repeat(3_000)]), NEVER);
    await expect(read()).rejects.toMatchObject({ code: 'INPUT_INVALID' });
  });

  it('are not waited for when the program is told to stop', async () => {
    const stop = new AbortController();
    const silent: AsyncIterable<string> = {
      [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => undefined) }),
    };
    const waiting = createLineReader(() => silent, stop.signal)();
    stop.abort(new ScripError('INTERRUPTED', t`Stopped by SIGTERM`));
    await expect(waiting).rejects.toMatchObject({ code: 'INTERRUPTED' });
  });
});
