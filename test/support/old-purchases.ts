/** A journal and a spend log as a wallet has them that has bought for long. */
import type { Intent } from '../../src/domain/journal/journal.ts';
import { openJournal } from '../../src/records/journal-files.ts';
import { openSpendLog } from '../../src/records/spend-log-files.ts';
import { anAttempt, anIntent } from './journal-records.ts';
import { quickDisk } from './quick-disk.ts';

interface Books {
  readonly dir: string;
  readonly payer: string;
}

/** Purchases that were paid, delivered and signed at an instant, with numbers from one up to another. */
export async function buyLongAgo(
  books: Books,
  { from, to, atMs }: { readonly from: number; readonly to: number; readonly atMs: number },
): Promise<void> {
  const { payer } = books;
  const journal = openJournal({ ...books, disk: quickDisk });
  for (let number = from; number <= to; number += 1) {
    const intent = oldIntent(number, { payer, createdAtMs: atMs });
    await journal.open(intent);
    await journal.addAttempt(intent, anAttempt(1, { payer, createdAtMs: atMs }));
    const goods = { fact: 'goods', attempt: 1, status: 'completed', sealed: '' } as const;
    await journal.addFact(intent, goods);
  }
}

export function oldIntent(number: number, more: Partial<Intent> = {}): Intent {
  const intentId = `old-${number}`;
  return anIntent({ intentId, key: intentId, body: JSON.stringify({ number }), ...more });
}

/** Their reservations, by a process that is gone; they follow those that there are. */
export async function reserveLongAgo(
  books: Books,
  { count, atMs }: { readonly count: number; readonly atMs: number },
): Promise<void> {
  const owner = { pid: 1, started: 'long ago', space: '' };
  const log = openSpendLog({ ...books, owner, isGone: () => true, disk: quickDisk });
  for (let more = 1; more <= count; more += 1) {
    const number = (await log.read(atMs)).last + 1;
    const slot = { number, intentId: `old-${number}`, attempt: 1 };
    await log.reserve({ ...slot, merchant: 'shop', amountAtomic: '1000000', atMs });
  }
}
