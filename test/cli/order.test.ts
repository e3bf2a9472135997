/** What `scrip order` does before and after the purchase itself, which api/ has tests of. */

import { describe, expect, it } from 'vitest';
import type { PurchaseOutcome } from '../../src/api/payment/outcome.ts';
import { purchaseError } from '../../src/api/payment/outcome-error.ts';
import { receiptOf } from '../../src/api/receipt.ts';
import { receiptView } from '../../src/cli/orders/receipt.ts';
import { runProgram } from '../../src/cli/program.ts';
import { SOLANA_MAINNET, USDC_MINT } from '../../src/contract/x402.ts';
import { ScripError } from '../../src/domain/message/errors.ts';
import { t } from '../../src/domain/message/message.ts';
import { atomic } from '../../src/domain/money/money.ts';
import { anIntent } from '../support/journal-records.ts';
import { START_MS } from '../support/manual-clock.ts';
import { stubRail } from '../support/rails.ts';
import {
  type ContextParts,
  cannedFetch,
  capture,
  merged,
  smallHost,
  smallSettings,
} from '../support/small-context.ts';

const PAYER = '7JZic8gYkssMLbrqaiFgxWSU7QAicTvyBMmofQihg68x';
const ITEMS = ['giftcard', 'mobile_topup'].map((type) => ({
  ...{ product_id: type === 'giftcard' ? 'card' : 'top-up', brand_name: 'Amazon.com', type },
  ...{ is_range: false, price_usdc: '25.25', country_code: 'us' },
}));
const QUOTE = {
  product_id: 'card',
  product_name: 'Amazon.com 25 USD\u001b[2K',
  brand_name: 'Amazon.com',
  is_range: false,
  face_value: '25',
  currency: 'USD',
  price_usdc: '25.25',
  quote_expires_at: '2026-01-01T00:01:00.000Z',
};
const SHOP = { '/v1/price': QUOTE, '/v1/catalog': ITEMS };
const PEOPLE = ['--to', 'friend@example.com', '--email', 'you@example.com'];
const WORDS = ['order', 'card', '--country', 'us', '--brand', 'Amazon.com', ...PEOPLE];
const AGREED = ['--yes', '--max-amount', '30'];

const holding = (usdc: bigint | null): ContextParts => ({
  parts: {
    journal: async () => ({
      open: () => Promise.reject(new Error('the journal was opened')),
      byKey: async () => undefined,
      all: async () => [],
      recent: async () => [],
      addAttempt: (_intent, attempt) => Promise.resolve(attempt),
      addFact: async () => undefined,
    }),
    signer: async () => ({ address: PAYER, sign: async () => new Uint8Array(64) }),
    playMarks: { has: async () => true, add: async () => undefined, remove: async () => undefined },
    rail: async () =>
      stubRail({
        balances: async (address) => ({
          address,
          coinAtomic: atomic(0n),
          usdcAtomic: usdc === null ? null : atomic(usdc),
        }),
      }),
  },
});

const noWallet = (): Promise<never> =>
  Promise.reject(new ScripError('WALLET_MISSING', t`there is no wallet`));

async function run(
  words: readonly string[],
  parts: ContextParts = {},
  answers: Readonly<Record<string, unknown>> = SHOP,
) {
  const { fetch, asked } = cannedFetch(answers);
  const host = smallHost(merged({ parts: { fetch, signer: noWallet } }, parts));
  const exit = await runProgram(words, host);
  const paths = asked.map(({ url, init }) => `${init?.method ?? 'GET'} ${new URL(url).pathname}`);
  return { exit, stdout: host.stdout.text(), stderr: host.stderr.text(), paths };
}

async function errorOf(words: readonly string[], parts?: ContextParts) {
  const { exit, stdout, stderr, paths } = await run([...words, '--json'], parts);
  expect(stdout).toBe('');
  return { ...JSON.parse(stderr).error, exit, paths };
}

describe('an order off a terminal', () => {
  it.each([
    [[], ['--yes', '--max-amount']],
    [
      ['--via', 'partner', '--pay'],
      ['--yes', '--max-amount'],
    ],
    [['--yes'], ['--max-amount']],
    [['--max-amount', '30'], ['--yes']],
  ])('with %j names the flags it needs and asks nobody', async (words, missing) => {
    expect(await errorOf([...WORDS, ...words])).toMatchObject({
      code: 'TERMINAL_REQUIRED',
      exit: 2,
      details: { missing },
      paths: [],
    });
  });

  it('at a terminal after --no-input says that it is that flag', async () => {
    const stderr = capture({ isTerminal: true });
    const typing = { io: { isInputTerminal: true } };
    const error = await errorOf([...WORDS, '--no-input'], { io: { ...typing.io, stderr } });
    expect(error.message).toBe('An order with --no-input needs --yes and --max-amount');
    // A question goes to standard error: where nobody reads that, no flag is to blame.
    expect((await errorOf(WORDS, typing)).message).toContain(
      'An order in non-interactive use needs',
    );
  });

  it.each([
    ['a malformed limit', ['--max-amount', '1e9'], 'AMOUNT_INVALID'],
    ['a malformed time', ['--timeout', 'x'], 'INPUT_INVALID'],
    ['a key with a space', ['--idempotency-key', 'a b'], 'INPUT_INVALID'],
    ['a bad e-mail', ['--email', 'you'], 'EMAIL_INVALID'],
    ['a note of nothing', ['--note', ' '], 'INPUT_INVALID'],
    ['a note too long', ['--note', 'x'.repeat(501)], 'INPUT_INVALID'],
    ['a malformed value', ['--value', '2,5'], 'AMOUNT_INVALID'],
    ['a value that may mean thousands', ['--value', '1.000'], 'AMOUNT_INVALID'],
  ])('refuses %s before anything is asked', async (_what, words, code) => {
    expect(await errorOf([...WORDS, ...AGREED, ...words])).toMatchObject({
      code,
      exit: 2,
      paths: [],
    });
  });

  it.each([
    ['a phone number for a gift card', [...WORDS, '--to', '+14155550123'], 'EMAIL_INVALID'],
    ['an e-mail for a top-up', WORDS.with(1, 'top-up'), 'PHONE_INVALID'],
  ])('refuses %s', async (_what, words, code) => {
    const { paths, ...error } = await errorOf([...words, ...AGREED]);
    expect(error).toMatchObject({ code, exit: 2 });
    expect(paths.every((path: string) => path.startsWith('GET'))).toBe(true);
  });

  // Scripts pass prices on: three decimals of a limit are decimals, which at worst refuse the purchase.
  it.each(['25.24', '25.249'])(
    'refuses a price over the limit %s before it looks for a wallet',
    async (limit) => {
      expect(await errorOf([...WORDS, '--yes', '--max-amount', limit])).toMatchObject({
        code: 'AMOUNT_OVER_CAP',
        exit: 6,
        funds_at_risk: 'none',
      });
    },
  );
});

describe('an order at a terminal', () => {
  /** Somebody who says no. */
  function asking() {
    const questions: string[] = [];
    const stderr = capture({ isTerminal: true });
    const [seal, mark] = [(text: string) => text, () => new Uint8Array(32)];
    const parts = merged(holding(100_000_000n), {
      settings: { ...smallSettings(), mayPrompt: true },
      io: {
        stderr,
        prompter: {
          confirm: async (question) => {
            questions.push(String(question));
            return false;
          },
          text: () => Promise.reject(new Error('no line is asked for')),
        },
      },
      parts: { vault: async () => ({ seal, open: seal, mark }) },
    });
    return { questions, stderr, parts };
  }

  it('shows what is to be paid, asks for the cap, and sends nothing after a no', async () => {
    const { questions, parts } = asking();
    const { exit, stdout, paths } = await run(WORDS, parts);
    expect(exit).toBe(7);
    expect(stdout).toBe('');
    expect(paths.every((path) => path.startsWith('GET'))).toBe(true);
    expect(questions).toEqual(['Buy it?']);
  });

  it('escapes what the merchant says in the summary', async () => {
    const { stderr, parts } = asking();
    await run(WORDS, parts);
    expect(stderr.text()).toContain('Amazon.com 25 USD\\u{1b}[2K');
    expect(stderr.text()).toContain('friend@example.com');
    expect(stderr.text()).not.toContain('\u001b');
  });

  it('does not ask after --yes', async () => {
    const { questions, parts } = asking();
    await run([...WORDS, '--yes'], parts);
    expect(questions).toEqual([]);
  });

  it.each([
    ['a terminal', true, false],
    ['a script', false, true],
  ])('%s gets proposed lines that fit it', async (_, mayPrompt, isAgreed) => {
    const { stderr } = await run(
      ['order', 'Amazon.com', '--country', 'us', ...PEOPLE, ...AGREED, '--json'],
      { ...holding(100_000_000n), settings: { ...smallSettings(), mayPrompt } },
      {
        ...SHOP,
        '/v1/brands': [{ brand_name: 'Amazon.com', family: 'Gift Cards', category: 'e-commerce' }],
      },
    );
    const { code, hint } = JSON.parse(stderr).error;
    expect(code).toBe('PRODUCT_AMBIGUOUS');
    expect(hint).toMatch(/scrip order card .*--max-amount 30/);
    expect(hint.includes('--yes')).toBe(isAgreed);
  });
});

describe('a dry run', () => {
  it('says what would be bought and by whom, and sends nothing', async () => {
    const { exit, stdout, paths } = await run(
      [...WORDS, '--dry-run', '--json'],
      holding(30_000_000n),
    );
    expect(exit).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      dry_run: true,
      price_usdc: '25.25',
      max_amount_usdc: '25.38',
      payer: PAYER,
      balance_usdc: '30.00',
    });
    expect(paths.every((path) => path.startsWith('GET'))).toBe(true);
    const limited = await run([...WORDS, '--dry-run', '--max-amount', '30', '--json'], holding(0n));
    expect(JSON.parse(limited.stdout)).toMatchObject({ max_amount_usdc: '30.00' });
  });

  it.each([
    ['an empty wallet', 0n],
    ['a wallet without a token account', null],
    ['a millionth too little', 25_249_999n],
  ])('ends with 6 for %s, after what would be bought', async (_what, usdc) => {
    const { exit, stdout, stderr } = await run([...WORDS, '--dry-run', '--json'], holding(usdc));
    expect(exit).toBe(6);
    expect(JSON.parse(stdout)).toMatchObject({ dry_run: true, price_usdc: '25.25' });
    expect(JSON.parse(stderr).error.code).toBe('FUNDS_TOO_LOW');
  });
});

describe('the end of a purchase', () => {
  const base = {
    intent: anIntent({ host: 'embedded:sandbox', payer: PAYER }),
    signatures: 1,
    orderId: 'cr_1',
    merchantOrderId: null,
    payment: {
      amountAtomic: atomic(25_250_000n),
      asset: USDC_MINT,
      network: SOLANA_MAINNET,
      payer: PAYER,
      payTo: 'x',
      transaction: 'tx1',
      isFinalized: true,
    },
  } as const;
  const goods = [{ delivery_state: 'completed', voucher_code: 'TEST-1' }] as const;
  const bundle = {
    host: 'h',
    session_id: null,
    order_id: null,
    transaction: 'tx1',
    slot: 1,
    amount_atomic: '1',
    asset: 'a',
    pay_to: 'p',
    body_sha256: 'b',
  };

  it('is one document with all that a script needs', () => {
    const outcome: PurchaseOutcome = {
      ...base,
      kind: 'delivered',
      deliveries: [...goods],
      code: null,
    };
    expect(purchaseError(outcome)).toBeUndefined();
    expect(receiptView(receiptOf(outcome)).record).toEqual({
      ...{ order_id: 'cr_1', intent_id: 'intent-1', idempotency_key: 'key-1', note: null },
      ...{ status: 'completed', created_at: new Date(START_MS).toISOString(), deliveries: goods },
      ...{ amount: '25.25', coin: 'USDC', amount_atomic: '25250000', asset: USDC_MINT },
      ...{ network: SOLANA_MAINNET, transaction: 'tx1', payer: PAYER, host: 'embedded:sandbox' },
      ...{ product_id: 'p-1', product_name: 'Amazon.com 25 USD', brand_name: 'Amazon.com' },
      ...{ country_code: 'us', face_value: '25', currency: 'USD', beneficiary: 'a@example.com' },
    });
  });

  const [reason, none, RESUME] = ['r', { deliveries: [] }, 'scrip orders resume intent-1'];
  const endings: readonly (readonly [outcome: PurchaseOutcome, exit: number, hint: string])[] = [
    [
      { ...base, ...none, kind: 'pending', reason, code: 'DELIVERY_PENDING' },
      8,
      'scrip track cr_1',
    ],
    [{ ...base, ...none, kind: 'failed', reason, code: 'ORDER_FAILED' }, 10, 'order id'],
    [{ ...base, kind: 'unknown', reason, code: 'OUTCOME_UNKNOWN' }, 9, RESUME],
    [
      { ...base, kind: 'attention', reason, bundle, code: 'ATTENTION_NEEDED' },
      11,
      'scrip orders show intent-1',
    ],
    [{ ...base, kind: 'unpaid', reason, code: 'PAYMENT_REFUSED' }, 5, 'run the command again'],
    [{ ...base, ...none, kind: 'delivered', code: 'OUTCOME_UNKNOWN' }, 9, RESUME],
  ];
  it('of a failed order says the merchant’s reason once', () => {
    const failed: PurchaseOutcome = {
      ...base,
      kind: 'failed',
      deliveries: [],
      reason: 'no stock',
      code: 'ORDER_FAILED',
    };
    expect(purchaseError(failed)).toMatchObject({
      message: 'The order was paid and failed: no stock',
      hint: 'Contact the merchant with the order id cr_1.',
    });
  });

  it.each(endings)('$kind says its exit status and the next command', (outcome, exit, hint) => {
    const error = purchaseError(outcome);
    expect(error?.exit).toBe(exit);
    expect(String(error?.hint)).toContain(hint);
    expect(error?.details).toMatchObject({ intent_id: 'intent-1', transaction: 'tx1' });
  });
});
