/** A cart of many recipients, bought by the built program that is killed on the way, and its judges. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { allRows } from './all-rows.ts';
import type { Home } from './cli.ts';
import { ledgerAt } from './ledger.ts';
import { serveHere } from './served-here.ts';

/** A line of the result, as `--json` prints it. */
export interface LineDocument {
  readonly line: number;
  readonly status: string;
  readonly to: string | null;
  readonly amount: string | null;
  readonly order_id: string | null;
  readonly transaction: string | null;
  readonly code: string | null;
  readonly product_id: string | null;
  readonly brand: string | null;
  readonly value: string | null;
  readonly already_bought: boolean;
  readonly field: string | null;
  readonly error_code: string | null;
  readonly serial: string | null;
}

/** Three lines that cannot be bought: how they differ from the others, and what speaks against them. */
export const BAD_LINES = [
  { change: { to: 'nobody' }, error_code: 'EMAIL_INVALID', field: 'to' },
  { change: { value: '9999999' }, error_code: 'VALUE_OUT_OF_RANGE', field: 'value' },
  { change: { brand: 'Amazonia' }, error_code: 'BRAND_UNKNOWN', field: 'brand' },
] as const;

export interface Recipients {
  readonly path: string;
  /** Who should receive something, once. */
  readonly good: readonly string[];
  /** Lines of the file that cannot be bought, in its order. */
  readonly badLines: readonly number[];
}

/** Writes a CSV of so many recipients, of whom three cannot be served. */
export function writeRecipients(home: Home, productId: string, count: number): Recipients {
  const badAt = BAD_LINES.map((_, index) => Math.floor((count * (index + 1)) / 4));
  const rows = Array.from({ length: count }, (_, index) => {
    const bad = BAD_LINES[badAt.indexOf(index)]?.change;
    const plain = {
      to: `r${index}@example.com`,
      value: String(10 + (index % 7)),
      brand: 'Amazon.com',
    };
    return { ...plain, ...bad };
  });
  const text = rows.map(({ to, value, brand }) => `${productId},us,${brand},${value},${to}`);
  const path = join(home.dir, 'recipients.csv');
  writeFileSync(path, ['product_id,country,brand,value,to', ...text, ''].join('\n'));
  return {
    path,
    good: rows.flatMap(({ to }, index) => (badAt.includes(index) ? [] : [to])),
    // The head is line 1.
    badLines: badAt.map((index) => index + 2),
  };
}

/** The words that buy a cart without a question. */
export function cartOrder(path: string, more: readonly string[] = []): string[] {
  const agreed = ['--yes', '--max-total', '20000', '--skip-invalid'];
  return ['order', '--cart', path, '--email', 'you@example.com', ...agreed, ...more];
}

export interface Books {
  /** Transactions that debited the wallet, by the chain. */
  readonly payments: readonly string[];
  /** What the wallet holds, in atomic units. */
  readonly balance: bigint;
  /** To whom the supplier sold, a beneficiary as often as it did. */
  readonly sold: readonly string[];
  /** What `scrip sandbox audit` says of orders, chain and supplier. */
  readonly agrees: boolean;
}

/** The chain's ledger and the supplier's, of the embedded service of a home. */
export async function readBooks(home: Home, payer: string): Promise<Books> {
  const { agrees } = await home.json<{ agrees: boolean }>(['sandbox', 'audit']);
  const served = await serveHere(home);
  try {
    const ledger = ledgerAt(`${served.url}/rpc`);
    const payments = await ledger.payments(payer);
    const balance = await ledger.balance(payer);
    return { payments, balance, sold: await soldTo(home), agrees };
  } finally {
    await served.stop();
  }
}

async function soldTo(home: Home): Promise<readonly string[]> {
  const store = await openSqliteStore(
    join(home.dir, '.local', 'state', 'scrip', 'sandbox', 'sandbox.db'),
  );
  try {
    const purchases = await allRows(store.tables.purchases.rows());
    const rows = await Promise.all(
      purchases.map(({ reference }) => store.tables.deliveries.byId(reference)),
    );
    return rows.map((row) => row?.beneficiary ?? 'nobody').toSorted();
  } finally {
    await store.close();
  }
}
