import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeHome } from '../support/cli.ts';
import { AGREED, amazonProducts, fundedWallet, HERE } from '../support/shop.ts';

interface Exported {
  readonly order_id: string;
  readonly status: string;
  readonly payment: string;
  readonly paid_atomic: string | null;
  readonly asset: string | null;
  readonly beneficiary: string;
  readonly transaction: string | null;
  readonly note: string | null;
}

const NOTE = 'for Ada, =HYPERLINK("x")';

const orderFor = (to: string, productId: string, more: readonly string[] = []) => [
  ...['order', productId, ...HERE, '--to', to, '--email', 'you@example.com', ...AGREED, ...more],
];

const home = makeHome();
await fundedWallet(home, [], '300');
const { fixed } = amazonProducts();
for (const [to, more] of [
  ['ada@example.com', ['--note', NOTE]],
  ['bob@example.com', []],
  ['eve+failing@example.com', ['--timeout', '5s']],
] as const) {
  await home.run(orderFor(to, fixed.product_id, more));
}
// The goods of this one come before the chain has made its payment final.
const partner = ['--via', 'partner', '--coin', 'USDC', '--network', 'Solana', '--pay'];
await home.run(orderFor('pia@example.com', fixed.product_id, partner));
// What became of the payments for the last two is found out before the books are closed.
await home.run(['orders', 'resume']);

describe('scrip orders export', () => {
  it('sums up to what the chain took from the wallet, but for what is refunded', async () => {
    const rows = await home.json<readonly Exported[]>(['orders', 'export']);
    expect(rows).toHaveLength(4);
    const { usdc_atomic: left } = await home.json<{ usdc_atomic: string }>(['wallet', 'balance']);
    const paid = rows.reduce((sum, { paid_atomic }) => sum + BigInt(paid_atomic ?? '-1'), 0n);
    const failed = rows.filter(({ status }) => status === 'failed');
    expect(failed).toHaveLength(1);
    const back = paid - (300_000_000n - BigInt(left));
    // The merchant sends the money of the failed order back, sooner or later.
    expect([0n, BigInt(failed[0]?.paid_atomic ?? '-1')]).toContain(back);
    expect(paid).toBeGreaterThan(0n);
    expect(new Set(rows.map(({ asset }) => asset)).size).toBe(1);
    const made = rows.filter(({ payment }) => payment === 'made');
    expect(made.every(({ transaction }) => transaction !== null)).toBe(true);
  });

  it('masks beneficiaries unless they are asked for', async () => {
    const masked = await home.json<readonly Exported[]>(['orders', 'export']);
    expect(masked[0]?.beneficiary).toBe('a***@example.com');
    const shown = await home.json<readonly Exported[]>(['orders', 'export', '--reveal']);
    expect(shown[0]?.beneficiary).toBe('ada@example.com');
  });

  it('is a table that a spreadsheet takes for text', async () => {
    const { stdout } = await home.run(['orders', 'export', '--csv']);
    expect((await home.run(['orders', 'export'])).stdout).toBe(stdout);
    const [headers = '', first = '', ...others] = stdout.trimEnd().split('\r\n');
    expect(headers.split(',')).toContain('paid_atomic');
    expect(first).toContain('"for Ada, =HYPERLINK(""x"")"');
    expect(others).toHaveLength(3);
  });
});

describe('a purchase that failed', () => {
  it('is shown without a word of codes to be revealed', async () => {
    const [failed] = await home.json<readonly Exported[]>(['orders', '--status', 'failed']);
    const { status, stderr } = await home.run(['orders', 'show', failed?.order_id ?? '']);
    expect([status, stderr]).toEqual([0, expect.not.stringContaining('code')]);
  });
});

describe('a note', () => {
  it('is listed and shown', async () => {
    const [row] = await home.json<readonly Exported[]>(['orders', 'export']);
    expect(row?.note).toBe(NOTE);
    expect(await home.json(['orders', 'show', row?.order_id ?? ''])).toMatchObject({ note: NOTE });
  });

  it('stays on this machine: what is sent does not hold it', () => {
    const journal = join(home.dir, '.local', 'state', 'scrip', 'journal');
    const intents = readdirSync(journal, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('intent.rec'))
      .map((name) => readFileSync(join(journal, name), 'utf8'));
    const noted = intents.filter((text) => text.includes('for Ada'));
    expect(noted).toHaveLength(1);
    const [line = ''] = (noted[0] ?? '').split('\n');
    expect(JSON.parse(line).intent.body).not.toContain('for Ada');
    const sandbox = join(home.dir, '.local', 'state', 'scrip', 'sandbox');
    for (const name of readdirSync(sandbox, { recursive: true, encoding: 'utf8' })) {
      if (!/\.(?:db|sqlite|json)$/.test(name)) continue;
      expect(readFileSync(join(sandbox, name)).includes('for Ada')).toBe(false);
    }
  });
});
