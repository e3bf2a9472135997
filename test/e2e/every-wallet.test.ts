/** What this machine bought is found again, whichever wallet paid, and where none did. */
import { readdirSync, writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Home, makeHome } from '../support/cli.ts';
import { amazonProducts, buy, fund, fundedWallet, HERE, markPlay } from '../support/shop.ts';

interface Listed {
  readonly order_id: string;
  readonly status: string;
  readonly payer: string;
}

const NO_WALLET = 'no-wallet';

/** An order that another wallet is to pay, in bitcoin; nothing here has to be able to sign. */
const inBitcoin = (to: string): readonly string[] => [
  ...['order', amazonProducts().card25.product_id, ...HERE, '--to', to, '--email', to],
  ...['--coin', 'BTC', '--yes'],
];
const orderInBitcoin = async (home: Home, to: string): Promise<string> =>
  (await home.json<Listed>(inBitcoin(to))).order_id;

describe('an order of a machine without a wallet', () => {
  const home = makeHome();
  let first: string;
  let second: string;
  beforeAll(async () => {
    first = await orderInBitcoin(home, 'ada@example.com');
    second = await orderInBitcoin(home, 'bob@example.com');
  });

  it('is listed, and belongs to no wallet', async () => {
    expect(await home.json<Listed[]>(['orders'])).toMatchObject([
      { order_id: second, status: 'unpaid', payer: NO_WALLET },
      { order_id: first, status: 'unpaid', payer: NO_WALLET },
    ]);
    expect(await home.json<Listed[]>(['orders', 'export'])).toHaveLength(2);
    const bundle = await home.json<{ journal: { partner: number } }>(['doctor', '--bundle']);
    expect(bundle.journal.partner).toBe(2);
  });

  it('is shown with the command that asks for it', async () => {
    const shown = await home.run(['orders', 'show', first]);
    expect([shown.status, shown.stdout]).toEqual([0, expect.stringContaining(first)]);
    expect(shown.stderr).toContain(`scrip sandbox pay ${first}`);
    const failure = await home.failure(['orders', 'reveal', first]);
    expect(failure).toMatchObject({ code: 'DELIVERY_PENDING' });
    expect(failure.hint).toContain(`scrip track ${first}`);
    expect((await home.failure(['open', first, '--tx', '--print'])).code).toBe('LINK_MISSING');
    const { stdout } = await home.run(['completion', '--values', 'orders', 'track', '']);
    expect(stdout).toContain(first);
  });

  it('that was paid elsewhere is not called unpaid, and resume finishes it', async () => {
    const third = await orderInBitcoin(home, 'cay@example.com');
    await home.json(['sandbox', 'pay', third]);
    const [listed] = await home.json<Listed[]>(['orders']);
    expect(listed?.order_id).toBe(third);
    expect(['processing', 'completed']).toContain(listed?.status);
    if (listed?.status === 'processing') {
      const resumed = await home.json<Listed[]>(['orders', 'resume']);
      expect(resumed).toContainEqual(
        expect.objectContaining({ order_id: third, status: 'completed' }),
      );
    }
    expect((await home.json<Listed[]>(['orders']))[0]?.status).toBe('completed');
  });

  it('that is delivered without a wallet is completed; the merchant has its code', async () => {
    // The beginning of its id is enough.
    await home.json(['sandbox', 'pay', first.slice(0, 8)]);
    const { deliveries } = await home.json<{
      deliveries: { deliverable: { pin_code: string } }[];
    }>(['track', first]);
    const code = deliveries[0]?.deliverable.pin_code ?? '';
    expect(code).toMatch(/./);
    expect(await home.json<Listed[]>(['orders'])).toContainEqual(
      expect.objectContaining({ order_id: first, status: 'completed' }),
    );
    const failure = await home.failure(['orders', 'reveal', first]);
    expect(failure).toMatchObject({ code: 'CODES_FORGOTTEN' });
    expect(failure.hint).toContain(`scrip track ${first}`);
    const told = await home.run(['orders', 'show', first]);
    for (const line of [/^For\tada@example\.com$/m, /^Received\t[\d.]+ BTC$/m, /^Code\t\*+/m]) {
      expect(told.stdout).toMatch(line);
    }
    expect(told.stderr).toContain(`To see them: scrip track ${first}`);
    const written = readdirSync(`${home.dir}/.local/state/scrip/journal/${NO_WALLET}`);
    expect(written).toHaveLength(3);
  });

  it('is found as before once there is a wallet, which then keeps its codes', async () => {
    const { address } = await home.json<{ address: string }>(['wallet', 'new']);
    const listed = await home.run(['orders']);
    expect(listed.stdout).toContain(first);
    expect(listed.stdout).toContain(second);
    await home.json(['sandbox', 'pay', second]);
    expect((await home.run(['track', '--all', '--timeout', '1m'])).status).toBe(0);
    const revealed = await home.run(['orders', 'reveal', second]);
    expect([revealed.status, revealed.stderr]).toEqual([0, '']);
    expect(revealed.stdout).toMatch(/^Code\t./m);
    // What was ordered without it is not ordered again unasked.
    expect((await home.failure(inBitcoin('bob@example.com'))).code).toBe('DUPLICATE_PURCHASE');
    await home.run(['wallet', 'new', '--keypair', 'other.json']);
    const failure = await home.failure(['orders', 'reveal', second, '--keypair', 'other.json']);
    expect(failure.code).toBe('WALLET_OTHER');
    expect(failure.message).toContain(address);
  });
});

describe('purchases of two wallets', () => {
  const OTHER = ['--keypair', 'other.json'] as const;
  const home = makeHome();
  let address: string;
  let bought: string;
  let other: string;
  beforeAll(async () => {
    address = await fundedWallet(home);
    const { fixed } = amazonProducts();
    bought = (await buy(home, fixed.product_id, ['--idempotency-key', 'same'])).order_id;
    other = (await home.json<{ address: string }>(['wallet', 'new', ...OTHER])).address;
    markPlay(home, other);
    await fund(home, other);
    await buy(home, fixed.product_id, ['--idempotency-key', 'same', ...OTHER]);
  });

  it('are listed together, and each says whose it is', async () => {
    for (const wallet of [[], OTHER]) {
      const listed = await home.json<Listed[]>(['orders', ...wallet]);
      expect(listed.map(({ payer }) => payer)).toEqual([other, address]);
      expect((await home.run(['orders', ...wallet])).stdout).toContain(address);
    }
    const own = await home.json<Listed[]>(['orders', '--wallet', address]);
    expect(own.map(({ order_id }) => order_id)).toEqual([bought]);
    const exported = await home.json<Listed[]>(['orders', 'export', '--wallet', other]);
    expect(exported.map(({ payer }) => payer)).toEqual([other]);
  });

  it('are found by one key at the wallet that is named', async () => {
    expect((await home.json<Listed>(['orders', 'show', 'same'])).payer).toBe(address);
    expect((await home.json<Listed>(['orders', 'show', 'same', ...OTHER])).payer).toBe(other);
  });

  it('open with the wallet that sealed them, and name it to any other', async () => {
    const shown = await home.run(['orders', 'show', bought, ...OTHER]);
    expect(shown.status).toBe(0);
    expect(shown.stdout).toContain(`encrypted for the wallet ${address}`);
    // They are finished by their own wallet alone as well.
    for (const verb of ['reveal', 'resume']) {
      const failure = await home.failure(['orders', verb, bought, ...OTHER]);
      expect(failure).toMatchObject({ code: 'WALLET_OTHER' });
      expect(failure.message).toContain(address);
    }
    const revealed = await home.run(['orders', 'reveal', bought]);
    expect(revealed.stdout).toMatch(/^Code\t./m);
  });

  it('are shown of every journal that can be read, and the other is named', async () => {
    const folder = `${home.dir}/.local/state/scrip/journal/${other}`;
    const [entry = ''] = readdirSync(folder).filter((name) => /^[0-9a-f]{64}$/.test(name));
    writeFileSync(`${folder}/${entry}/intent.rec`, 'not a record\n');
    const listed = await home.failure(['orders']);
    expect(JSON.parse(listed.stdout)).toMatchObject([{ order_id: bought }]);
    expect(listed).toMatchObject({ status: 13, code: 'JOURNAL_UNUSABLE' });
    expect(JSON.stringify(listed)).toContain(other);
    expect((await home.run(['orders', 'reveal', bought])).status).toBe(0);
    expect((await home.failure(['orders', 'show', 'cr_nothing'])).code).toBe('JOURNAL_UNUSABLE');
    const examined = await home.json<{ checks: { check: string; state: string }[] }>(['doctor']);
    const journals = examined.checks.filter(({ check }) => check === 'journal');
    expect(journals.map(({ state }) => state)).toEqual(['ok', 'warn']);
  });
});
