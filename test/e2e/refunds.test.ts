/** Refunds as a buyer sees them: shown and proved on the chain, and the address that he names. */
import { describe, expect, it } from 'vitest';
import { FINAL_SOON, makeHome, SCRIP } from '../support/cli.ts';
import { amazonProducts, fundedWallet, HERE } from '../support/shop.ts';

interface Shown {
  readonly order_id: string;
  readonly status?: string;
  readonly refunds?: readonly { readonly state: string }[];
}

const BASE_ADDRESS = '0x751b37ac068a9848aaa6a6b7424e326365dcd344';
const BITCOIN_ADDRESS = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4';

const home = makeHome(SCRIP, FINAL_SOON);
const own = await fundedWallet(home, [], '100');
const { fixed } = amazonProducts();
const order = ['order', fixed.product_id, ...HERE, '--email', 'you@example.com', '--yes'];
await home.run([...order, '--to', 'eve+failing@example.com', '--max-amount', '60', '--json']);
await home.run(['orders', 'resume']);
const [purchase] = await home.json<readonly Shown[]>(['orders', '--status', 'failed']);
const failed = purchase?.order_id ?? '';
const shownBy = (id: string) => home.json<Shown>(['orders', 'show', id]);
/** Once the chain has made it final, which takes a moment. */
async function refunded(id: string, status: string): Promise<Shown> {
  let shown = await shownBy(id);
  while (shown.refunds?.[0]?.state !== 'sent' || shown.status !== status) shown = await shownBy(id);
  return shown;
}
const bitcoin = ['--to', 'ann@example.com', '--via', 'partner', '--coin', 'BTC'];
const open = (await home.json<Shown>([...order, ...bitcoin, '--allow-duplicate'])).order_id;

describe('a refund of the checkout host', () => {
  it('is shown with its transaction, and proved on the chain', async () => {
    const shown = await refunded(failed, 'failed');
    const { address } = await home.json<{ address: string }>(['wallet', 'address']);
    expect(shown.refunds).toMatchObject([
      { coin: 'USDC', recipient: address, proof: 'proved', to_own_wallet: true },
    ]);
    const { stdout } = await home.run(['track', failed, '--timeout', '0s']);
    expect(stdout).toContain('USDC, sent; proved on the chain');
    expect(stdout).toContain('(this wallet)');
    const resumed = await home.run(['orders', 'resume', failed]);
    expect([resumed.status, resumed.stderr]).toEqual([
      10,
      expect.stringContaining('hint: The refund is back in your wallet.'),
    ]);
    const spanish = await home.run(['orders', 'show', failed, '--lang', 'es']);
    expect(spanish.stdout).toContain('enviado; probado en la cadena');
  });

  it('is not counted as spent once it is proved', async () => {
    type Rows = readonly Readonly<Record<string, unknown>>[];
    const words = ['orders', '--status', 'failed'];
    const [row] = await home.json<Rows>(words);
    expect(row).toMatchObject({ refunded: row?.amount });
    const [exported] = await home.json<Rows>(['orders', 'export']);
    expect(exported).toMatchObject({ refunded_atomic: exported?.paid_atomic });
    const { stderr } = await home.run(words);
    expect(stderr).toContain(`Paid: 0.00 USDC, without ${row?.amount} USDC that came back.`);
    // A day's budget still counts it.
    const spent = await home.json<{ today: { spent: string } }>(['spend']);
    expect(spent.today.spent).toBe(row?.amount);
  });

  it('needs no address', async () => {
    const { status, message } = await home.failure(['orders', 'refund', failed, '--to', failed]);
    expect(status).toBe(2);
    expect(message).toContain('Refunds of this order go to the wallet that paid it');
  });
});

describe('a refund of an order of the partner API', () => {
  it('is told as it is, until it is back in the wallet', async () => {
    const words = ['--to', 'ann+failing@example.com', '--via', 'partner', '--coin', 'USDC'];
    const made = await home.failure([...order, ...words, '--pay', '--max-amount', '60']);
    expect(made.status).toBe(11);
    const { order_id: id } = made.details;
    await home.json(['sandbox', 'refund', id]);
    const all = await home.run(['track', '--all', '--timeout', '0s', '--json']);
    const followed = JSON.parse(all.stdout) as readonly Shown[];
    expect(followed.find(({ order_id: one }) => one === id)).toMatchObject({
      status: 'Refunded',
      refunds: [{ to_own_wallet: true }],
    });
    const tracked = await home.run(['track', id]);
    expect([tracked.status, tracked.stderr]).toEqual([
      10,
      expect.stringContaining('ended as Refunded'),
    ]);
    // Not that it is back, nor that it is not, but what the chain shows.
    expect(/USDC, sent; proved/.test(tracked.stdout)).toBe(
      /back in your wallet/.test(tracked.stderr),
    );
    expect(await refunded(id, 'refunded')).toMatchObject({
      order: { order_state: 'Refunded' },
      refunds: [{ proof: 'proved' }],
    });
    const { stdout, stderr } = await home.run(['orders', 'show', id]);
    expect(stdout).toMatch(/^Status\trefunded /m);
    expect(stdout).not.toContain('body_sha256');
    expect(stderr).toContain('The refund is back in your wallet.');
  });
});

describe('a refund of a delivered order', () => {
  it('is shown where more than the price was received', async () => {
    const words = ['--to', 'zoe@example.com', '--via', 'partner', '--coin', 'BTC'];
    const { order_id: id } = await home.json<Shown>([...order, ...words]);
    await home.json(['sandbox', 'pay', id, '--amount', '1']);
    expect(await home.json(['track', id])).toMatchObject({ order_state: 'Done' });
    expect((await shownBy(id)).refunds).toMatchObject([{ coin: 'BTC', state: 'waiting' }]);
  });
});

describe('the address of refunds of an order', () => {
  it('is named once, with the key that the journal has', async () => {
    const words = ['orders', 'refund', open, '--to'];
    const asked = await home.failure(words.slice(0, -1));
    expect([asked.status, JSON.stringify(asked)]).toEqual([2, expect.stringContaining('--to')]);
    await home.failure([...words, 'nowhere']);
    expect(await home.json([...words, BITCOIN_ADDRESS])).toEqual({
      order_id: open,
      recipient: BITCOIN_ADDRESS,
      refunds: [],
    });
    expect(await home.json([...words, BITCOIN_ADDRESS])).toMatchObject({ order_id: open });
    const other = await home.failure([...words, '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy']);
    expect(other.message).toContain('another address');
  });

  it.each([
    ['Base', own, BASE_ADDRESS],
    ['Solana', BASE_ADDRESS, own],
  ])('is one on %s for an order that is paid there', async (network, wrong, right) => {
    const words = ['--to', `${network}@example.com`, '--via', 'partner', '--coin', 'USDC'];
    const named = await home.json<Shown>([...order, ...words, '--network', network]);
    const refund = ['orders', 'refund', named.order_id, '--to'];
    const { message } = await home.failure([...refund, wrong]);
    expect(message).toContain(`"${wrong}" is not an address on ${network}`);
    expect(await home.json([...refund, right])).toMatchObject({ recipient: right });
  });

  it('is one that the policy allows', async () => {
    await home.json(['policy', 'set', 'recipients', 'ann@example.com']);
    const { message } = await home.failure(['orders', 'refund', open, '--to', BITCOIN_ADDRESS]);
    expect(message).toContain(`The policy does not allow refunds to ${BITCOIN_ADDRESS}`);
  });
});
