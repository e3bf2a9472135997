/** Orders made and paid: the points at which it can stop, each with its one outcome. */

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readOrderJournal } from '../../../src/api/partner/partner-journal.ts';
import { makeOrder, type PartnerOrderRequest } from '../../../src/api/partner/partner-order.ts';
import { payOrder } from '../../../src/api/partner/pay.ts';
import type { PayDeps, PayRequest } from '../../../src/api/partner/pay-terms.ts';
import { signTransfer } from '../../../src/api/payment/sign-transfer.ts';
import type { Reply } from '../../../src/contract/fetch.ts';
import type { WirePartnerOrder } from '../../../src/contract/partner-orders.ts';
import { SOLANA_MAINNET } from '../../../src/contract/usdc.ts';
import { ScripError } from '../../../src/domain/message/errors.ts';
import { t } from '../../../src/domain/message/message.ts';
import { type Atomic, atomic } from '../../../src/domain/money/money.ts';
import type { PayerRail, PaymentFate } from '../../../src/rails/rail.ts';
import { signerFromSeed } from '../../../src/rails/solana/ed25519.ts';
import type { SolanaPayment } from '../../../src/rails/solana/seal.ts';
import { openJournal } from '../../../src/records/journal-files.ts';
import { createVault } from '../../../src/wallet/vault.ts';
import { START_MS, skippingClock } from '../../support/manual-clock.ts';
import { stubRail } from '../../support/rails.ts';
import { jsonReply, networkError } from '../../support/scripted-fetch.ts';
import { spendingOf, spendLogAt } from '../../support/spending.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const dir = tempFolder();

const ORDER_ID = '2f1b6a0e-7f55-4c59-9d5c-0f2f6b1d7a11';
const PAYER = 'BuyerWa11et1111111111111111111111111111111';
const made: WirePartnerOrder = {
  order_id: ORDER_ID,
  created_at: START_MS / 1_000,
  payment_state: 'PaymentRequested',
  order_state: 'WaitingForPayment',
  is_payment_processor_external: false,
  wallet_address: 'OrderWa11et1111111111111111111111111111111',
  coin: 'USDC',
  network: 'Solana',
  coin_amount: '25.25',
};

interface Journey {
  /** What the merchant answers to a reading, by how much has landed. */
  readonly read?: (landed: bigint) => Partial<WirePartnerOrder>;
  /** What the chain says of each transfer, in the order in which they were signed. */
  readonly fates?: readonly PaymentFate['fate'][];
  readonly openingCost?: string;
  /** What the creation answers, one after the other. */
  readonly creations?: readonly (Reply | Error)[];
  readonly honoursIdempotencyKey?: boolean;
  readonly body?: Partial<PartnerOrderRequest['body']>;
}

let journals = 0;

function world(journey: Journey = {}) {
  journals += 1;
  const clock = skippingClock();
  const journal = openJournal({ dir: join(dir, String(journals)), payer: PAYER });
  const signed: bigint[] = [];
  const sent: string[] = [];
  const keys: (string | undefined)[] = [];
  let landed = 0n;
  const fates = journey.fates ?? [];
  const fate = async (payment: { readonly signature: string }): Promise<PaymentFate> => {
    const at = Number(payment.signature.slice(1)) - 1;
    const kind = sent.includes(payment.signature) ? (fates[at] ?? 'landed') : 'pending';
    if (kind === 'landed') {
      landed = signed
        .slice(0, at + 1)
        .reduce(
          (sum, amount, index) => sum + ((fates[index] ?? 'landed') === 'landed' ? amount : 0n),
          0n,
        );
      return { fate: 'landed', transaction: payment.signature, slot: 1 };
    }
    if (kind === 'dead') return { fate: 'dead', proof: t`expired` };
    return kind === 'unknown' ? { fate: 'unknown', reason: t`no history` } : { fate: 'pending' };
  };
  const rail: PayerRail = stubRail({
    fate,
    asset: ({ coin, network }) =>
      coin === 'USDC' && network === 'Solana' ? { asset: 'mint', decimals: 6 } : undefined,
    openingCost: async () => journey.openingCost ?? null,
    sign: async ({ amountAtomic }) => {
      signed.push(amountAtomic);
      const name = `s${signed.length}`;
      return {
        transaction: name,
        messageHash: name,
        signature: name,
        blockhash: 'b',
        lastValidBlockHeight: 1,
        baseline: { sourceAccount: 'a', signature: null, slot: 1 },
        payer: PAYER,
      } satisfies SolanaPayment;
    },
    send: async ({ signature }) => {
      sent.push(signature);
    },
  });
  const refused = (): never => {
    throw new ScripError('INTERNAL', t`not used here`);
  };
  const deps: Omit<PayDeps, 'failPoint'> = {
    others: async () => [],
    fetch: async (_url, init) => {
      if (init?.method === 'POST') {
        keys.push(init.headers?.['Idempotency-Key']);
        const answer = journey.creations?.[keys.length - 1] ?? jsonReply(200, made);
        if (answer instanceof Error) throw answer;
        return answer;
      }
      return jsonReply(200, { ...made, ...journey.read?.(landed) });
    },
    apiUrl: 'https://api.example',
    applicationId: 'shop',
    version: '1.2.3',
    countryCode: 'us',
    clock,
    hostName: 'https://api.example',
    rail,
    signer: { address: PAYER, sign: refused },
    journal,
    spending: spendingOf(spendLogAt(join(dir, String(journals)), PAYER)),
    vault: () => createVault(signerFromSeed(new Uint8Array(32).fill(9))),
    waitMs: 600_000,
  };
  const ordering = {
    ...deps,
    payer: PAYER,
    walletNetwork: SOLANA_MAINNET,
    random: (length: number) => new Uint8Array(length).fill(journals),
    honoursIdempotencyKey: journey.honoursIdempotencyKey ?? true,
  };
  const request: PartnerOrderRequest = {
    body: {
      user: { email: 'you@example.com' },
      payment: { type: 'via', payment_via: 'user_wallet', coin: 'USDC', network: 'Solana' },
      deliveries: [
        {
          brand_name: 'Acme',
          country_code: 'US',
          denomination: '25 USD',
          beneficiary_account: 'friend@example.com',
        },
      ],
      refund_wallet_address: PAYER,
      ...journey.body,
    },
    quotedAtomic: atomic(25_250_000n),
    capAtomic: atomic(25_250_000n),
    decimals: 6,
    summary: {
      productId: 'p1',
      productName: 'Acme 25 USD',
      brandName: 'Acme',
      countryCode: 'us',
      faceValue: '25 USD',
      currency: 'USD',
      beneficiary: 'friend@example.com',
    },
  };
  return {
    deps,
    clock,
    signed,
    sent,
    keys,
    make: (key?: string) => makeOrder(ordering, { ...request, key }),
    pay: (more: Partial<PayRequest> = {}) =>
      payOrder(deps, { orderId: ORDER_ID, agree: async () => undefined, ...more }),
  };
}

/** The same, with the order made. */
async function placed(journey: Journey = {}) {
  const made = world(journey);
  await made.make();
  return made;
}

const refusedFor = (reason: string) => ({ kind: 'refused', refusal: { reason } });
const received = (landed: bigint): Partial<WirePartnerOrder> =>
  landed >= 25_250_000n ? { order_state: 'Done', payment_state: 'PaymentReceived' } : {};
const partly = (landed: bigint): Partial<WirePartnerOrder> => {
  if (landed === 0n || landed >= 25_250_000n) return received(landed);
  const missing = Number(25_250_000n - landed) / 1_000_000;
  return { payment_state: 'PartialPaymentStarted', missing_amount: String(missing) };
};

describe('the signature for an order', () => {
  it.each([
    [undefined, false],
    ['0.002 SOL', true],
  ])(
    'with an account to open for %s is recorded and told of',
    async (openingCost, mayOpenAccount) => {
      const { deps } = await placed({ read: received, ...(openingCost && { openingCost }) });
      const opening: unknown[] = [];
      const said: string[] = [];
      const rail: PayerRail = {
        ...deps.rail,
        sign: (order) => {
          opening.push('mayOpenAccount' in order && order.mayOpenAccount);
          return deps.rail.sign(order);
        },
      };
      const progress = {
        step: (text: unknown) => void said.push(`${text} …`),
        done: (text?: unknown) => void said.push(`${text}`),
      };
      await payOrder(
        { ...deps, rail, progress },
        { orderId: ORDER_ID, agree: async () => undefined },
      );
      expect(opening).toEqual([mayOpenAccount]);
      expect(said).toEqual(
        expect.arrayContaining(['Signing for 25.25 USDC …', 'Signed and recorded']),
      );
      const [entry] = await deps.journal.all();
      const accepted = { fact: 'accepted', attempt: 1, orderId: ORDER_ID, transaction: 's1' };
      expect(entry?.facts).toContainEqual(expect.objectContaining(accepted));
      const { held } = await deps.spending.log.read();
      expect(held.map(({ amountAtomic }) => amountAtomic)).toEqual(['25250000']);
    },
  );
});

describe('one signature for an order', () => {
  const quote = {
    ...{ order: made, amountAtomic: atomic(25_250_000n), decimals: 6, coin: 'USDC' },
    ...{ network: 'Solana', payTo: made.wallet_address ?? '', openingCost: null },
    refundsTo: PAYER,
  };
  const watch = { look: async () => [], wasOvertaken: async () => undefined };
  const asset = { asset: 'mint', decimals: 6 };

  async function signing(check: () => void, over: Partial<typeof quote> = {}) {
    const { deps } = await placed();
    const orderJournal = await readOrderJournal(deps.journal, deps.hostName, ORDER_ID);
    const turn = { kind: 'mine', check } as const;
    const signed = signTransfer(deps, orderJournal, {
      ...{ quote: { ...quote, ...over }, asset, turn, watch },
    });
    return { deps, signed };
  }

  it('that came after its turn is not recorded', async () => {
    const late = new ScripError('CHALLENGE_EXPIRED', t`too late`);
    const { deps, signed } = await signing(() => {
      throw late;
    });
    await expect(signed).rejects.toBe(late);
    expect((await deps.journal.all())[0]?.attempts).toEqual([]);
  });

  it.each([
    ['USDC', '25250000'],
    ['SOL', '0'],
  ])('in %s reserves %s of the limits', async (coin, amount) => {
    const { deps, signed } = await signing(() => undefined, { coin });
    expect(await signed).toBe(true);
    const { held } = await deps.spending.log.read();
    expect(held.map(({ amountAtomic }) => amountAtomic)).toEqual([amount]);
  });

  it('of another process is not told of as ours', async () => {
    const { deps } = await placed({ read: received });
    const said: string[] = [];
    const journal: PayDeps['journal'] = {
      ...deps.journal,
      addAttempt: (intent, attempt) =>
        deps.journal.addAttempt(intent, { ...attempt, messageHash: 'theirs' }),
    };
    const done = (text?: unknown) => void said.push(`${text}`);
    const progress = { step: () => undefined, done };
    const agree = async () => undefined;
    const paid = await payOrder({ ...deps, journal, progress }, { orderId: ORDER_ID, agree });
    expect(paid.signatures).toBe(0);
    expect(said).not.toContain('Signed and recorded');
  });

  it('that the policy refuses is not put to a person by an agent', async () => {
    const { deps } = await placed();
    const policy = { ...deps.spending.policy, perOrder: atomic(1n) };
    const spending = { ...deps.spending, policy, isPlayMoney: false, channel: 'agent' } as const;
    const agree = () => Promise.reject(new Error('asked'));
    const paying = payOrder({ ...deps, spending }, { orderId: ORDER_ID, agree });
    await expect(paying).rejects.toMatchObject({ fundsAtRisk: 'none' });
  });
});

describe('making an order', () => {
  it('asks once, and gives the same order to the same request', async () => {
    const { make, keys } = world();
    const first = await make();
    const second = await make();
    expect([first.isNew, second.isNew]).toEqual([true, false]);
    expect(second.order.order_id).toBe(ORDER_ID);
    expect(keys).toHaveLength(1);
  });

  it('repeats a lost request under the same key where the service knows it', async () => {
    const { make, keys } = world({ creations: [networkError('ECONNRESET'), jsonReply(502, {})] });
    await expect(make()).resolves.toMatchObject({ isNew: true });
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
  });

  it('never repeats it blindly elsewhere; the same command asks for the same order', async () => {
    const { make, keys } = world({
      creations: [networkError('ECONNRESET')],
      honoursIdempotencyKey: false,
    });
    await expect(make()).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN', fundsAtRisk: 'none' });
    expect(keys).toHaveLength(1);
    await make();
    expect(new Set(keys).size).toBe(1);
  });

  it('a full shop is told as such, with when to try again, and the same order is made then', async () => {
    const full = { status: 503, detail: 'SHOP_FULL', moreDetails: { message: 'Full.' } };
    const { make, keys } = world({ creations: [jsonReply(503, full, { 'retry-after': '90' })] });
    await expect(make()).rejects.toMatchObject({
      code: 'SHOP_FULL',
      fundsAtRisk: 'none',
      retryable: true,
      message: expect.stringContaining('is full'),
      hint: expect.toSatisfy((hint) => String(hint).includes('90 seconds')),
    });
    expect(keys).toHaveLength(1);
    await expect(make()).resolves.toMatchObject({ isNew: true });
    expect(new Set(keys).size).toBe(1);
  });

  it('problems of a refused creation are told, and nothing is left open', async () => {
    const refusal = {
      status: 400,
      detail: 'ORDER_HAS_PROBLEMS',
      moreDetails: { message: 'No order was made', problems: [{ problem: 'OUT_OF_STOCK' }] },
    };
    const { make, deps } = world({ creations: [jsonReply(400, refusal)] });
    await expect(make()).rejects.toMatchObject({
      code: 'ORDER_PROBLEMS',
      details: { problems: [{ problem: 'OUT_OF_STOCK' }] },
    });
    const [entry] = await deps.journal.all();
    expect(entry?.facts).toMatchObject([{ fact: 'closed' }]);
  });
});

describe('paying an order', () => {
  it('signs once for the whole amount, and nothing when it is told again', async () => {
    const { pay, signed } = await placed({ read: received });
    await expect(pay()).resolves.toMatchObject({ kind: 'paid', transactions: ['s1'] });
    await expect(pay()).resolves.toMatchObject({ kind: 'paid' });
    expect(signed).toEqual([25_250_000n]);
  });

  it('is not signed for when the buyer declines', async () => {
    const { pay, signed } = await placed();
    const agree = () => Promise.reject(new ScripError('DECLINED', t`no`));
    await expect(pay({ agree })).rejects.toMatchObject({ code: 'DECLINED' });
    expect(signed).toEqual([]);
  });

  it('signs anew only after proof that the first transfer is dead', async () => {
    const { pay, signed } = await placed({ read: received, fates: ['dead'] });
    await expect(pay()).resolves.toMatchObject({ kind: 'paid', transactions: ['s2'] });
    expect(signed).toHaveLength(2);
  });

  it('leaves an undecided transfer alone and sends the same bytes when it is resumed', async () => {
    const { pay, signed, sent } = await placed({ fates: ['pending'] });
    await expect(pay()).resolves.toMatchObject({ kind: 'unknown' });
    await expect(pay()).resolves.toMatchObject({ kind: 'unknown' });
    expect(signed).toHaveLength(1);
    expect(new Set(sent)).toEqual(new Set(['s1']));
  });

  it('waits for a merchant that does not see the payment, never pays again, and calls for a person after half an hour', async () => {
    const { pay, signed, clock } = await placed();
    await expect(pay()).resolves.toMatchObject({ kind: 'unseen', isOverdue: false });
    clock.advance(30 * 60_000);
    await expect(pay()).resolves.toMatchObject({ kind: 'unseen', isOverdue: true });
    expect(signed).toHaveLength(1);
  });

  it('pays a part, and later the rest of it alone, about which it asks once more', async () => {
    const { pay, signed } = await placed({ read: partly });
    const asked: Atomic[] = [];
    const agree: PayRequest['agree'] = async ({ amountAtomic }) => void asked.push(amountAtomic);
    const part = pay({ partAtomic: atomic(10_000_000n), agree });
    await expect(part).resolves.toMatchObject({ kind: 'paid' });
    const rest = pay({ agree });
    await expect(rest).resolves.toMatchObject({ kind: 'paid', transactions: ['s1', 's2'] });
    expect([asked, signed]).toEqual(Array(2).fill([10_000_000n, 15_250_000n]));
  });

  const LATE = 'ExpiredAfterPaymentDetection';
  const elsewhere = (): Partial<WirePartnerOrder> => ({
    payment_state: 'PartialPaymentStarted',
    missing_amount: '5.25',
  });

  it('does not pay a rest of which a part came from elsewhere', async () => {
    const { pay, signed } = await placed({ read: elsewhere });
    await expect(pay()).resolves.toMatchObject(refusedFor('part-paid'));
    expect(signed).toEqual([]);
  });

  it('pays what is missing when the buyer says so, and never more than the price', async () => {
    const read = (landed: bigint) =>
      landed === 0n
        ? elsewhere()
        : ({ order_state: 'Done', payment_state: 'PaymentReceived' } as const);
    const { pay, signed } = await placed({ read });
    await expect(pay({ trustsMissing: true })).resolves.toMatchObject({ kind: 'paid' });
    expect(signed).toEqual([5_250_000n]);
  });

  it.each<readonly [string, string, Partial<WirePartnerOrder>]>([
    ['not-payable', 'has expired', { order_state: 'Expired', payment_state: 'Expired' }],
    ['late-payment', 'expires, with a payment seen', { payment_state: LATE }],
    ['on-hold', 'is on hold for a compliance check', { payment_state: 'PaymentQuarantined' }],
    ['changed', 'has another address', { wallet_address: PAYER }],
    ['changed', 'has another amount', { coin_amount: '26' }],
    ['mismatch', 'is in another coin', { coin: 'USDT' }],
  ])('%s: signs nothing for an order that %s', async (reason, _what, change) => {
    const { pay, signed } = await placed({ read: () => change });
    await expect(pay()).resolves.toMatchObject(refusedFor(reason));
    expect(signed).toEqual([]);
  });

  it('signs nothing when the window is about to close', async () => {
    const { pay, signed, clock } = await placed();
    clock.advance(13 * 60_000);
    await expect(pay()).resolves.toMatchObject(refusedFor('not-payable'));
    expect(signed).toEqual([]);
  });

  it('shows what opening the recipient costs before it is agreed on', async () => {
    const { pay } = await placed({ read: received, openingCost: '0.00203928 SOL' });
    const costs: (string | null)[] = [];
    await pay({ agree: async ({ openingCost }) => void costs.push(openingCost) });
    expect(costs).toEqual(['0.00203928 SOL']);
  });

  it('signs nothing for an order that was made elsewhere', async () => {
    const { pay, signed } = world();
    await expect(pay()).resolves.toMatchObject(refusedFor('unrecorded'));
    expect(signed).toEqual([]);
  });
});
