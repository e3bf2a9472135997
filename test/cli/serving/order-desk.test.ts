/** What `scrip serve order`, `orders` and `retry` say, over a store in memory. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runProgram } from '../../../src/cli/program.ts';
import { SOLANA_MAINNET, USDC_MINT } from '../../../src/contract/x402.ts';
import { ScripError } from '../../../src/domain/message/errors.ts';
import { t } from '../../../src/domain/message/message.ts';
import type { ShopAdmin } from '../../../src/domain/operator/operator.ts';
import { refundIdOf } from '../../../src/domain/operator/operator-records.ts';
import { signerFromSeed } from '../../../src/rails/solana/ed25519.ts';
import type { SolanaRpc } from '../../../src/rails/solana/rpc.ts';
import { createSolanaShopRail } from '../../../src/rails/solana/shop-rail.ts';
import { createVoucherVault } from '../../../src/service/delivery/vouchers.ts';
import { createOperatorLog } from '../../../src/service/operator/operator-log.ts';
import { createOrderDesk } from '../../../src/service/operator/order-desk.ts';
import { listOrders } from '../../../src/service/operator/order-search.ts';
import { createPersonAdmin } from '../../../src/service/operator/persons.ts';
import { createRefundAdmin } from '../../../src/service/refunds/refund-admin.ts';
import type { DeliveryRow } from '../../../src/store/tables/deliveries.ts';
import type { PartnerOrderRow } from '../../../src/store/tables/partner-orders.ts';
import { memoryClaims } from '../../support/claims.ts';
import { type EmptyStore, emptyStore } from '../../support/engines.ts';
import { type ManualClock, manualClock } from '../../support/manual-clock.ts';
import { capture, smallHost, smallSettings } from '../../support/small-context.ts';
import { FEE_PAYER } from '../../support/solana-payment.ts';
import { GOODS } from '../../support/sold-line.ts';
import { deliveryRow, partnerOrderRow } from '../../support/store-suite.ts';

const { orderId: ORDER } = partnerOrderRow();
const PAID = { orderState: 'WaitingForDelivery', paymentState: 'PaymentReceived' } as const;
const HELD = { ...PAID, orderState: 'WaitingForManualAction' } as const;
const MINUTE = 60_000;

let opened: EmptyStore;
let clock: ManualClock;
beforeEach(async () => {
  clock = manualClock();
  opened = await emptyStore('SQLite');
  columns = 200;
});
afterEach(() => opened.remove());

async function put(order: Partial<PartnerOrderRow>, line: Partial<DeliveryRow> = {}) {
  const row = partnerOrderRow({ updatedAtMs: clock.now(), ...order });
  const lines = [deliveryRow({ orderId: ORDER, goods: GOODS, ...line })];
  await opened.store.write(({ partnerOrders }) => partnerOrders.insert(row, lines));
}

async function said(...words: readonly string[]): Promise<string> {
  return saidBecause(undefined, ...words);
}

let columns = 200;

// Asks no node: only addresses are looked at.
const solana = createSolanaShopRail({
  ...{ network: SOLANA_MAINNET, mint: USDC_MINT, rpc: {} as SolanaRpc, clock: manualClock() },
  ...{ claims: memoryClaims(), feePayer: () => FEE_PAYER, random: () => new Uint8Array() },
});

/** @param reason as `--reason` gives it to the log */
async function saidBecause(
  reason: string | undefined,
  ...words: readonly string[]
): Promise<string> {
  const { store } = opened;
  const random = (length: number) => crypto.getRandomValues(new Uint8Array(length));
  const log = createOperatorLog({ store, clock, who: 'ann', reason, random });
  const admin: ShopAdmin = {
    ...NOT_ASKED,
    log,
    refunds: createRefundAdmin({
      ...{
        store,
        clock,
        who: 'ann',
        rails: async () => [solana],
        spareIn: async () => 0n,
        sendsOn: () => true,
      },
    }),
    persons: createPersonAdmin({
      ...{ store, clock, key: new Uint8Array(32) },
      vault: createVoucherVault(new Uint8Array(32), random),
    }),
    desk: createOrderDesk({ store, clock, log, sendsOn: () => true }),
    orders: (asked) => listOrders(store, asked),
    close: async () => undefined,
  };
  const host = smallHost(
    { parts: { clock }, serving: { openShopAdmin: async () => admin } },
    { stdout: capture({ isTerminal: true, columns }) },
  );
  await runProgram(['serve', ...words, '--config', 'shop.json'], host);
  return `${host.stdout.text()}${host.stderr.text()}`;
}

const refused = () => {
  throw new Error('this test gives the operator no such part');
};
const NOT_ASKED = {
  webhooks: { list: refused, replay: refused, resend: refused },
  partners: {
    ...{ list: refused, add: refused, rotate: refused, set: refused, revoke: refused },
    rotateWebhookSecret: refused,
  },
  catalog: { list: refused, use: refused },
  persons: { find: refused, export: refused, erase: refused },
  ...{ sales: refused, saleLines: refused },
  ...{ stock: refused, books: refused, codeDigest: refused, alarms: refused, testAlarms: refused },
};

describe('what an order waits for', () => {
  it('has the time of the next try before it, and says that it is due after it', async () => {
    await put(PAID, {
      deliveryId: 'line-1',
      state: 'pending',
      nextAttemptAtMs: clock.now() + MINUTE,
    });
    expect(await said('order', ORDER)).toMatch(/the supplier line-1, tried at 2026-01-01T00:01/);
    clock.advance(2 * MINUTE);
    const late = await said('order', ORDER);
    expect(late).toMatch(/the supplier line-1, due since 2026-01-01T00:01/);
    expect(late).toContain('A running server does what is due.');
  });

  it('names the end of a payment window as an end', async () => {
    await put({ windowEndsAtMs: clock.now() + MINUTE });
    expect(await said('order', ORDER)).toMatch(/the payment, until 2026-01-/);
  });
});

describe('retry', () => {
  it('names the hold of a held order, and the lines that end it', async () => {
    await put(HELD, { state: 'failed', attempts: 10 });
    const text = await said('retry', ORDER);
    expect(text).toContain('Held for a decision: retry does not decide');
    expect(text).toContain(`scrip serve release ${ORDER} --reason 'because …' --config shop.json`);
    expect(text).toContain(`scrip serve release ${ORDER} --refuse`);
  });

  it('says that nothing waits of an order that is over', async () => {
    await put({ orderState: 'Done', paymentState: 'PaymentReceived' }, { state: 'completed' });
    const text = await said('retry', ORDER);
    expect(text).toContain('Nothing waits for its time');
    expect(text).not.toContain('release');
  });
});

describe('a refund to another address', () => {
  const [named, to] = [1, 2].map(
    (seed) => signerFromSeed(new Uint8Array(32).fill(seed)).address,
  ) as [string, string];
  const REFUND = { orderId: ORDER, kind: 'refund', line: null, coin: 'USDC', decimals: 6 } as const;

  it('needs a reason, and is in the log with both addresses', async () => {
    await put({ refundAddress: named, orderState: 'Expired' });
    await opened.store.write(({ refunds }) =>
      refunds.record({
        ...{ ...REFUND, refundId: `${ORDER} late 1`, amountAtomic: '1000000' },
        ...{ recipient: named, reason: 'late', createdAtMs: clock.now() },
      }),
    );
    const [row] = await opened.store.tables.payouts.list('all', 1);
    const id = refundIdOf(row?.refundId ?? '');
    const words = ['refunds', 'approve', id, '--to', to];
    expect(await said(...words)).toContain('--reason is missing');
    const reason = 'a typing error';
    expect(await saidBecause(reason, ...words, '--reason', reason)).toContain(to);
    const [kept] = await opened.store.tables.operatorActions.latest(1, id);
    expect(kept).toMatchObject({
      ...{ action: 'refunds.redirect', result: 'done' },
      reason: `a typing error; ${named} -> ${to}`,
    });
  });
});

it('without --config names the option and the command that lacks it', async () => {
  const host = smallHost();
  await runProgram(['serve', 'refunds', 'approve', 'some'], host);
  expect(host.stderr.text()).toContain('Add --config shop.json to: scrip serve refunds approve');
});

describe('orders at a terminal of 80 columns', () => {
  it('have a short id, their whole state, money, product and short time', async () => {
    columns = 80;
    await put(HELD);
    const [head, row] = (await said('orders')).split('\n');
    expect(head?.split(/ +/)).toEqual(['ORDER', 'STATUS', 'AMOUNT', 'COIN', 'PRODUCT', 'CREATED']);
    expect(row).toMatch(
      /^0000000 {2}WaitingForManualAction +25.25 {2}USDC {2}1-800-F.* \d\d-\d\d \d\d:\d\d$/,
    );
    expect(row?.length).toBeLessThanOrEqual(80);
  });

  it('name the network of one, and the list that has an unknown one', async () => {
    await put(HELD);
    expect(await said('order', ORDER)).toMatch(/^Network +Solana$/m);
    expect(await said('order', 'no-such-order')).toContain('serve orders --state any');
  });

  it('have their transactions and network in cells of a table', async () => {
    await put({ ...HELD, transactions: '["sent-1","sent-2"]' });
    const [heads = '', row = ''] = (await said('orders', '--csv')).split('\r\n');
    const cells = row.split(',');
    const cell = (name: string) => cells[heads.split(',').indexOf(name)];
    expect([cell('network'), cell('transactions')]).toEqual([SOLANA_MAINNET, 'sent-1 sent-2']);
  });
});

describe('the books', () => {
  const NONE = { key: null, name: null, is_total: false, lines: 0, gross: '0', refunds: '0' };
  const SUMS = { ...NONE, cost: null, cost_unknown: 0, margin: null, fees: '0', sweeps: '0' };
  const OPEN = { undelivered: null, refunds_due: null };
  const cost = { lines: 3, gross: '1075.75', refunds: '25.25', cost: '1020.5', cost_unknown: 1 };
  const records = [
    { ...SUMS, ...OPEN, coin: 'SOL', fees: '0.000015' },
    { ...SUMS, ...OPEN, coin: 'USDC', sweeps: '1050.5' },
    { ...SUMS, ...OPEN, key: 'id', name: 'Corner', coin: 'USDC', ...cost },
    { ...SUMS, coin: 'USDC', is_total: true, ...cost, undelivered: '25.25', refunds_due: '0' },
  ];
  const checked = { settlements: 1, partner_orders: 1, lines: 2, refunds: 0 };
  const report = {
    ...{ agrees: true, open: 0, not_checked: null, mismatches: [] },
    checked: { ...checked, transactions: 2, transfers: 2, purchases: 2 },
  };
  async function told(words: readonly string[], columns?: number): Promise<string> {
    const admin = { ...NOT_ASKED, sales: async () => records, books: async () => report };
    const opens = async () => ({ ...admin, close: async () => undefined }) as unknown as ShopAdmin;
    const host = smallHost(
      { parts: { clock }, serving: { openShopAdmin: opens } },
      columns ? { stdout: capture({ isTerminal: true, columns }) } : {},
    );
    await runProgram(['serve', ...words, '--config', 'shop.json'], host);
    return `${host.stdout.text()}${host.stderr.text()}`;
  }

  it('show no cost without the lines whose cost is unknown, and name rows of no product', async () => {
    const text = await told(['sales', '--by', 'product'], 80);
    expect(text).toMatch(/ COST +COST UNKNOWN .*UNDELIVERED/);
    expect(text).toMatch(/^fees +SOL/m);
    expect(await told(['sales', '--by', 'product'], 200)).toMatch(/^sweeps +USDC.* 1050.5$/m);
  });

  it('have their result in a saved report', async () => {
    expect(await told(['books'])).toMatch(/^Result\tNo mismatches found$/m);
  });

  it.each(['books', 'sales'])('are not asked since a time to come: %s', async (command) => {
    expect(await told([command, '--since', '2030-01-01'])).toContain(
      '--since "2030-01-01" is in the future',
    );
  });
});

describe('a list without orders', () => {
  it.each([
    [[], 'No order is under way.'],
    [['--state', 'WaitingForManualAction'], 'No order is WaitingForManualAction.'],
  ])('of %j says so', async (words, sentence) => {
    expect(await said('orders', ...words)).toContain(sentence);
  });

  it('of refunds names the command that lists those sent, once', async () => {
    expect(await said('refunds')).toContain('scrip serve refunds --all --config shop.json');
    expect(await said('refunds', '--all')).toBe('No refund was owed yet.\n');
  });
});

describe('a person', () => {
  const NOTHING = /^The shop holds nothing of /m;
  it('of no order is exported with a warning, also if a reason names the address', async () => {
    await put({ orderState: 'Done', paymentState: 'PaymentReceived' }, { state: 'completed' });
    expect(await said('person', 'export', partnerOrderRow().email)).not.toMatch(NOTHING);
    const none = ['person', 'export', 'none@example.com'];
    expect(await saidBecause('none@example.com asked', ...none)).toMatch(NOTHING);
    expect(await said(...none)).toMatch(NOTHING);
  });

  it('is erased with the number of orders', async () => {
    await put(
      { orderState: 'Done', paymentState: 'PaymentReceived', nextLookAtMs: null },
      { state: 'completed' },
    );
    const text = await said('person', 'erase', partnerOrderRow().email, '--yes');
    expect(text).toContain('Erased 1 order of the person');
    expect(await said('person', 'erase', '--help')).toMatch(/^ +-y, --yes /m);
  });
});

it('of all commands, partners add alone begins a shop where there is none', async () => {
  const begun: unknown[] = [];
  const host = smallHost({
    serving: {
      openShopAdmin: async (_file, { begins }) => {
        begun.push(begins);
        throw new ScripError('INPUT_INVALID', t`not asked further`);
      },
    },
  });
  for (const words of [['partners', 'add', 'acme'], ['partners'], ['orders']]) {
    await runProgram(['serve', ...words, '--config', 'shop.json'], host);
  }
  expect(begun).toEqual([true, false, false]);
});

it.each([
  [false, ['find'], 'error[DECLINED]: You declined; nothing was erased'],
  [true, ['find', 'begun', 'erase'], 'Kept'],
])('a person is erased only if the operator agrees: %s', async (answer, done, sentence) => {
  const asked: string[] = [];
  const steps: string[] = [];
  const step = <Given>(name: string, given: Given) => {
    steps.push(name);
    return given;
  };
  const kept = [{ order_id: ORDER, needed_for: ['refund' as const] }];
  const counts = { erased_orders: ['order-1'], erased_offers: 0, erased_as_recipient: [] };
  const admin = {
    ...NOT_ASKED,
    persons: {
      export: refused,
      find: async () => step('find', { digest: 'd1', orders: 2 }),
      erase: async () => step('erase', { digest: 'd1', ...counts, kept }),
    },
    log: {
      latest: refused,
      record: <Result>(_action: string, subject: string, work: () => Promise<Result>) => {
        steps.push(subject === 'd1' ? 'begun' : subject);
        return work();
      },
    },
    close: async () => undefined,
  };
  const confirm = async (question: unknown) => asked.push(String(question)) > 0 && answer;
  const host = smallHost({
    settings: { ...smallSettings(), mayPrompt: true },
    io: { prompter: { confirm, text: refused } },
    serving: { openShopAdmin: async () => admin as unknown as ShopAdmin },
  });
  await runProgram(['serve', 'person', 'erase', 'ann@example.com', '--config', 'shop.json'], host);
  expect(asked).toEqual(['Erase the person of 2 orders, and the codes delivered for them?']);
  expect([steps, host.stdout.text() + host.stderr.text()]).toEqual([
    done,
    expect.stringContaining(sentence),
  ]);
});
