/** `scrip order again`: the same product, value, recipient and e-mail once more, as a new purchase. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliResult, type Home, makeHome } from '../support/cli.ts';
import { judge } from '../support/embedded-service.ts';
import { amazonProducts, buy, fundedWallet, HERE, type OrderDocument } from '../support/shop.ts';
import { KEYS, noTerminalBecause, openTerminal } from '../support/terminal.ts';

const AGREED = ['--yes', '--max-amount', '60', '--json'] as const;

interface Rehearsal {
  readonly to: string;
  readonly email: string;
}

let home: Home;
let payer: string;
let first: OrderDocument;
beforeAll(async () => {
  home = makeHome();
  payer = await fundedWallet(home);
  const { range } = amazonProducts();
  first = await buy(home, range.product_id, ['--value', '7']);
});
afterAll(() => home.remove());

const errorOf = ({ stderr }: CliResult) => JSON.parse(stderr).error;
const paid = () => judge(home, (ledger) => ledger.payments(payer));

describe('an order that is made again', () => {
  it('is a new purchase of the same, and counts as a duplicate until that is allowed', async () => {
    const refused = await home.run(['order', 'again', first.order_id, ...AGREED]);
    expect(refused.status).toBe(7);
    expect(errorOf(refused).code).toBe('DUPLICATE_PURCHASE');
    expect(await paid()).toEqual([first.transaction]);

    const words = ['order', 'again', first.order_id, ...AGREED, '--allow-duplicate'];
    const again = JSON.parse((await home.run(words)).stdout) as OrderDocument;
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
    const unnamed = await home.run(['order', 'again', ...AGREED]);
    expect(unnamed.status).toBe(2);
    expect(errorOf(unnamed)).toMatchObject({ code: 'USAGE', funds_at_risk: 'none' });
    const strange = await home.run(['order', 'again', 'cr_nowhere', ...AGREED]);
    expect(errorOf(strange).code).toBe('ORDER_UNKNOWN');
  });

  it('goes to the merchant that it was bought from', async () => {
    const elsewhere = ['--checkout-url', 'https://host.example'];
    const refused = await home.run(['order', 'again', first.order_id, ...AGREED, ...elsewhere]);
    expect(refused.status).toBe(2);
    expect(errorOf(refused).message).toContain('was bought from embedded:sandbox');
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
    try {
      await fundedWallet(own);
      const { range } = amazonProducts();
      const bought = await buy(own, range.product_id, ['--value', '7']);
      const terminal = openTerminal(['order', 'again', '--allow-duplicate'], { home: own.dir });
      await terminal.shows('7 USD');
      await terminal.shows(/\? [^\n]*(Pay|Buy)/);
      terminal.send(KEYS.enter);
      expect(await terminal.ended).toBe(7);
      const orders = await own.json<OrderDocument[]>(['orders']);
      expect(orders.map(({ order_id }) => order_id)).toEqual([bought.order_id]);
    } finally {
      own.remove();
    }
  });
});
