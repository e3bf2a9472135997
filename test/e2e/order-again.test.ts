/** `scrip order again`: the same product, value, recipient and e-mail once more, as a new purchase. */
import { describe, expect, it } from 'vitest';
import { type CliResult, makeHome } from '../support/cli.ts';
import { judge } from '../support/embedded-service.ts';
import { amazonProducts, buy, fundedWallet, HERE, type OrderDocument } from '../support/shop.ts';
import { answering, KEYS, noTerminalBecause, openTerminal } from '../support/terminal.ts';

const AGREED = ['--yes', '--max-amount', '60'] as const;

interface Rehearsal {
  readonly to: string;
  readonly email: string;
}

const home = makeHome();
const payer = await fundedWallet(home);
const { range } = amazonProducts();
const first = await buy(home, range.product_id, ['--value', '7']);

const paid = () => judge(home, (ledger) => ledger.payments(payer));

describe('an order that is made again', () => {
  it('is a new purchase of the same, and counts as a duplicate until that is allowed', async () => {
    const refused = await home.failure(['order', 'again', first.order_id, ...AGREED]);
    expect(refused).toMatchObject({ status: 7, code: 'DUPLICATE_PURCHASE' });
    expect(await paid()).toEqual([first.transaction]);

    const words = ['order', 'again', first.order_id, ...AGREED, '--allow-duplicate'];
    const again = await home.json<OrderDocument>(words);
    expect(again).toMatchObject({ status: 'completed', amount: first.amount });
    expect(again.order_id).not.toBe(first.order_id);
    expect(await paid()).toEqual([again.transaction, first.transaction]);
    const shown = await home.json<{ product: string; beneficiary: string }[]>(['orders', 'list']);
    expect(shown).toHaveLength(2);
    expect({ ...shown[0], ...unlike }).toEqual({ ...shown[1], ...unlike });
  });

  it('takes options for what is to differ', async () => {
    const words = ['order', 'again', first.order_id, '--to', 'other@example.com', '--dry-run'];
    const { to, email } = rehearsed(await home.run(words));
    expect({ to, email }).toEqual({ to: 'other@example.com', email: 'you@example.com' });
  });

  it('is known by the beginning of its id, and is named off a terminal', async () => {
    const begun = first.order_id.slice(0, 8);
    expect(rehearsed(await home.run(['order', 'again', begun, '--dry-run'])).to).toBe(
      'friend@example.com',
    );
    const unnamed = await home.failure(['order', 'again', ...AGREED]);
    expect(unnamed).toMatchObject({ status: 2, code: 'USAGE', funds_at_risk: 'none' });
    const strange = await home.failure(['order', 'again', 'cr_nowhere', ...AGREED]);
    expect(strange.code).toBe('ORDER_UNKNOWN');
  });

  it('goes to the merchant that it was bought from', async () => {
    const elsewhere = ['--checkout-url', 'https://host.example'];
    const refused = await home.failure(['order', 'again', first.order_id, ...AGREED, ...elsewhere]);
    const message = expect.stringContaining('was bought from embedded:sandbox');
    const hint = 'Name its merchant instead: --profile sandbox';
    expect(refused).toMatchObject({ status: 2, message, hint });
  });

  it('of the partner API has its coin, its quantity and its way to pay again', async () => {
    const { fixed } = amazonProducts();
    const means = ['--via', 'partner', '--coin', 'BTC', '--network', 'Mainnet', '--quantity', '2'];
    const people = ['--to', 'friend@example.com', '--email', 'you@example.com'];
    const words = ['order', fixed.product_id, ...HERE, ...means, ...people, '--yes'];
    const made = await home.json<PartnerDocument>(words);
    const repeat = () => home.json<PartnerDocument>(['order', 'again', made.order_id, '--yes']);
    // One that is not over is gone on with, as by its own command.
    expect((await repeat()).order_id).toBe(made.order_id);
    await home.json(['sandbox', 'cancel', made.order_id]);
    await home.run(['track', made.order_id]);
    const again = await repeat();
    expect(again.order_id).not.toBe(made.order_id);
    expect(likenessOf(again)).toEqual(likenessOf(made));
    expect(again.deliveries).toHaveLength(2);
  });
});

/** Paid at once and delivered later. */
const SLOW = ['--value', '11', ...HERE, '--to', 'ada+slow@example.com', '--email', 'a@example.com'];

describe('an order that is paid and not delivered yet', () => {
  const order = () => ['order', amazonProducts().range.product_id, ...SLOW];
  const buyIt = (...more: readonly string[]) =>
    home.run([...order(), '--yes', '--max-amount', '60', '--no-wait', ...more]);

  it('is finished by the same line, which names the options that buy it again', async () => {
    const before = await paid();
    expect((await buyIt()).status).toBe(0);
    for (const more of [[], ['--allow-duplicate']]) {
      const again = await buyIt(...more);
      expect(again.status).toBe(0);
      expect(again.stderr).toMatch(/^Finishing the order started at .*, which is already paid\. /);
      expect(again.stderr).toContain(
        'To buy it again, add --allow-duplicate and a new --idempotency-key.',
      );
    }
    expect(await paid()).toHaveLength(before.length + 1);
    const meant = ['--allow-duplicate', '--idempotency-key', 'gift-2'];
    expect((await buyIt(...meant)).stderr).toBe('');
    expect((await buyIt(...meant)).status).toBe(0);
    expect(await paid()).toHaveLength(before.length + 2);
  });

  it.skipIf(noTerminalBecause)('is waited for at a terminal without a question', async () => {
    const before = await paid();
    for (const more of [[], ['--idempotency-key', 'gift-2']]) {
      const terminal = openTerminal([...order(), ...more], home);
      const run = await answering(terminal, ['Waiting for delivery', KEYS.ctrlC]);
      expect(run.seen[0]).toMatch(/^Finishing the order started at .*, which is already paid\./m);
      expect(run.seen[0]).not.toMatch(/^[ ?]+(Pay|Buy it)/m);
      expect(run.status).toBe(130);
    }
    expect(await paid()).toEqual(before);
  });

  it.skipIf(noTerminalBecause)('is named while its outcome is looked for', async () => {
    const terminal = openTerminal(['orders', 'resume'], home);
    const { status, screen } = await answering(terminal, [/Checking cr_\w+ /, KEYS.ctrlC]);
    expect(status).toBe(130);
    expect(screen).toMatch(/Stopped\. (Paid|The payment was sent); order\s+cr_/);
  });
});

const unlike = {
  order_id: '',
  intent_id: '',
  transaction: '',
  created_at: '',
  idempotency_key: '',
};

interface PartnerDocument {
  readonly order_id: string;
  readonly coin: string;
  readonly network: string;
  readonly deliveries: readonly { readonly deliverable: Readonly<Record<string, unknown>> }[];
}

function likenessOf({ coin, network, deliveries }: PartnerDocument) {
  const goods = deliveries.map(
    ({ deliverable: { brand_name, denomination, beneficiary_account } }) => [
      brand_name,
      denomination,
      beneficiary_account,
    ],
  );
  return { coin, network, goods };
}

function rehearsed({ status, stdout, stderr }: CliResult): Rehearsal {
  expect([status, stderr]).toEqual([0, '']);
  const line = (label: string) => new RegExp(`^${label}\t(.*)$`, 'm').exec(stdout)?.[1] ?? '';
  return { to: line('For'), email: line('E-mail') };
}

describe.skipIf(noTerminalBecause !== undefined)('at a terminal', () => {
  it('is the latest where none is named, asks, and pays nothing without a yes', async () => {
    const own = makeHome();
    await fundedWallet(own);
    const { range } = amazonProducts();
    const bought = await buy(own, range.product_id, ['--value', '7']);
    const terminal = openTerminal(['order', 'again', '--allow-duplicate'], own);
    const asked = [/7 USD[\s\S]*\? [^\n]*(Pay|Buy)/, KEYS.enter] as const;
    expect((await answering(terminal, asked)).status).toBe(7);
    const orders = await own.json<OrderDocument[]>(['orders']);
    expect(orders.map(({ order_id }) => order_id)).toEqual([bought.order_id]);
  });
});
