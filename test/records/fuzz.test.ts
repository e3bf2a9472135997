/** Records on disk, nearly right: they are read, or refused by an error of ours, and never believed. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ownMark } from '../../src/disk/process-mark.ts';
import { ScripError } from '../../src/domain/message/errors.ts';
import type { Reservation } from '../../src/domain/policy/spend-log.ts';
import { folderOf, openJournal } from '../../src/records/journal-files.ts';
import { parseLine, recordName } from '../../src/records/journal-records.ts';
import { CHAIN_START, sealRecord } from '../../src/records/record-files.ts';
import { fuzzRuns } from '../support/fuzz.ts';
import { anAttempt, anIntent, PAYER } from '../support/journal-records.ts';
import { garbled, mutated } from '../support/mutation.ts';
import { spendLogAt } from '../support/spending.ts';
import { tempFolder } from '../support/temp-folder.ts';

const RUNS = { numRuns: fuzzRuns(200) };
const SLOW_MS = 600_000;

const dir = tempFolder();

const RECORDS = {
  intent: { kind: 'intent', intent: anIntent() },
  attempt: { kind: 'attempt', attempt: anAttempt(), intent: anIntent() },
  accepted: { kind: 'fact', fact: { fact: 'accepted', attempt: 1, orderId: 'cr_1' } },
  landed: { kind: 'fact', fact: { fact: 'landed', attempt: 1, transaction: 't', slot: 5 } },
  dead: { kind: 'fact', fact: { fact: 'dead', attempt: 1, proof: 'expired at 9' } },
  goods: { kind: 'fact', fact: { fact: 'goods', attempt: 1, status: 'completed', sealed: 'x' } },
  attention: { kind: 'fact', fact: { fact: 'attention', reason: 'refused' } },
} as const;
const RESERVATION: Reservation = {
  number: 1,
  owner: ownMark(),
  intentId: 'intent-1',
  attempt: 1,
  merchant: 'https://checkout.example',
  amountAtomic: '25250000',
  atMs: 1,
};

const textsLike = (good: unknown): fc.Arbitrary<string> =>
  fc.oneof(
    mutated(good).map((value) => JSON.stringify(value) ?? ''),
    garbled(JSON.stringify(good)),
    fc.string(),
  );

/** Reads, or refuses as damaged. */
async function readsOrRefuses(read: () => Promise<unknown>): Promise<void> {
  await read().catch((error: unknown) => {
    expect(error).toBeInstanceOf(ScripError);
    expect(error).toMatchObject({ code: 'JOURNAL_UNUSABLE' });
  });
}

/** A line as if this program had sealed it: past the seal, the reader of the line stands alone. */
const sealed = (line: string): string => {
  const record = sealRecord(CHAIN_START, line.replaceAll('\n', ' '));
  return `${record.line}\n${record.seal}\n`;
};

describe('a record of the journal', () => {
  it.each(Object.entries(RECORDS))(
    'of kind %s is read, or is none',
    (_kind, good) => {
      expect(parseLine(JSON.stringify(good))).toEqual(good);
      fc.assert(
        fc.property(textsLike(good), (line) => {
          const record = parseLine(line);
          // What is believed has a name that a file can have.
          if (record !== undefined)
            expect(recordName(record)).toMatch(/^[a-z]+[a-z0-9.+-]*\.rec$/i);
        }),
        RUNS,
      );
    },
    SLOW_MS,
  );

  it(
    'with a good seal and a wrong line is refused, and so is one without a seal',
    async () => {
      const folder = folderOf(join(dir, PAYER), anIntent().key);
      mkdirSync(folder, { recursive: true });
      const files = fc.oneof(
        textsLike(RECORDS.intent).map(sealed),
        textsLike(RECORDS.intent),
        garbled(sealed(JSON.stringify(RECORDS.intent))),
      );
      const journal = openJournal({ dir, payer: PAYER });
      await fc.assert(
        fc.asyncProperty(files, async (text) => {
          writeFileSync(join(folder, 'intent.rec'), text);
          await readsOrRefuses(() => journal.all());
        }),
        RUNS,
      );
    },
    SLOW_MS,
  );
});

describe('the spend log', () => {
  it('reads what it wrote', async () => {
    const log = spendLogAt(dir, 'writer');
    await log.reserve(RESERVATION);
    expect((await log.read()).held).toEqual([RESERVATION]);
  });

  it(
    'is read, or refused: never a reservation without its amount',
    async () => {
      const folder = join(dir, 'spender', 'spend');
      mkdirSync(folder, { recursive: true });
      const files = fc.oneof(textsLike(RESERVATION).map(sealed), textsLike(RESERVATION));
      const log = spendLogAt(dir, 'spender');
      await fc.assert(
        fc.asyncProperty(files, async (text) => {
          writeFileSync(join(folder, '00000001.rec'), text);
          await readsOrRefuses(async () => {
            const { held } = await log.read();
            for (const { amountAtomic } of held) expect(amountAtomic).toMatch(/^\d+$/);
          });
        }),
        RUNS,
      );
    },
    SLOW_MS,
  );
});
