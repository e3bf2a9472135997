import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BASE, SOLANA_MAINNET, USDC_ADDRESSES, USDC_MINT } from '../../src/contract/usdc.ts';
import { type Atomic, atomic } from '../../src/domain/money/money.ts';
import {
  DEFAULT_RULE,
  type HostRule,
  isRecipient,
  type Policy,
  REAL_MONEY,
} from '../../src/domain/policy/policy.ts';
import { refusalError } from '../../src/domain/policy/refusal.ts';
import type { SpendRequest } from '../../src/domain/policy/spend-rules.ts';
import {
  checkSpending,
  DAY_MS,
  headroom,
  type SpendHistory,
  type Spent,
} from '../../src/domain/policy/spending.ts';

const NOW = 1_800_000_000_000;
const SHOP = 'https://x402.example';
const usdc = (units: number): Atomic => atomic(BigInt(units) * 1_000_000n);
const spent = (units: number, agoMs = 1_000, merchant = SHOP): Spent => ({
  merchant,
  amountAtomic: usdc(units),
  atMs: NOW - agoMs,
});
const terms = (over = {}) => ({
  network: SOLANA_MAINNET,
  asset: USDC_MINT,
  payTo: 'merchant',
  feePayer: 'facilitator',
  ...over,
});

const POLICY: Policy = {
  ...REAL_MONEY,
  hosts: new Map([['x402.example', DEFAULT_RULE]]),
};
const REQUEST: SpendRequest = {
  amountAtomic: usdc(10),
  merchant: SHOP,
  isPlayMoney: false,
  channel: 'terminal',
  kinds: ['giftcard'],
  recipients: ['ada@example.org'],
  nowMs: NOW,
  terms: terms(),
};
const NOTHING: SpendHistory = { spent: [], openIntents: 0, pendingAtomic: atomic(0n) };

interface Row {
  readonly policy?: Partial<Policy>;
  readonly history?: Partial<SpendHistory>;
  readonly request?: Partial<SpendRequest>;
}

const decide = ({ policy, history, request }: Row) =>
  checkSpending({ ...POLICY, ...policy }, { ...NOTHING, ...history }, { ...REQUEST, ...request });
const ruled = (rule: Partial<typeof DEFAULT_RULE>): Partial<Policy> => ({
  hosts: new Map([['x402.example', { ...DEFAULT_RULE, ...rule }]]),
});

describe('a payment that the policy allows', () => {
  const rows: readonly [string, Row, number][] = [
    ['the first of the day', {}, 90],
    ['exactly the limit of an order', { request: { amountAtomic: usdc(50) } }, 50],
    ['exactly what is left of the day', { history: { spent: [spent(90)] } }, 0],
    ['after a day, all again', { history: { spent: [spent(100, 86_400_000)] } }, 90],
    ['a day after half of it', { history: { spent: [spent(50, 86_399_999)] } }, 40],
    ['to a recipient by pattern', { policy: { recipients: ['*@example.org'] } }, 90],
    ['of a kind that is listed', { policy: { kinds: ['esim', 'giftcard'] } }, 90],
    ['to an address that is listed', { policy: ruled({ payTo: ['merchant'] }) }, 90],
    [
      'to an address of the manifest',
      {
        policy: ruled({ payTo: 'manifest' }),
        request: { terms: terms({ listed: ['merchant'] }) },
      },
      90,
    ],
    [
      'to a recipient of a kind that the policy names, with refunds to one of them',
      {
        policy: { kinds: ['esim', 'giftcard'], recipients: ['*@example.org', 'mine'] },
        request: { kinds: ['giftcard', 'esim'], refundsTo: 'mine' },
      },
      90,
    ],
    ['by a fee payer that is listed', { policy: ruled({ feePayers: ['facilitator'] }) }, 90],
    [
      'by no fee payer, where some are listed',
      {
        policy: ruled({ feePayers: ['else'] }),
        request: { terms: terms({ feePayer: undefined }) },
      },
      90,
    ],
    ['without a memo, where none may be', { policy: ruled({ memo: 'off' }) }, 90],
    ['before its terms are known', { request: { terms: undefined } }, 90],
    [
      'at a terminal, above what a script may',
      { policy: { nonInteractive: { enabled: true, perOrder: usdc(9) } } },
      90,
    ],
    ['of the rest of an order that is paid in part', { request: { ofOrderAtomic: usdc(40) } }, 90],
    ['at a merchant with a limit of its own', { policy: { perMerchantPerDay: usdc(30) } }, 20],
    [
      'while another merchant has had much',
      {
        policy: { perMerchantPerDay: usdc(30) },
        history: { spent: [spent(25, 1_000, 'https://other.example')] },
      },
      20,
    ],
    [
      'while other merchants have had half of the day',
      { history: { spent: [spent(50, 1_000, 'https://other.example')] } },
      40,
    ],
    [
      'while this merchant has had some of its limit',
      { policy: { perMerchantPerDay: usdc(30) }, history: { spent: [spent(5)] } },
      15,
    ],
    [
      'from a wallet that holds far more than the reserve',
      { policy: { minReserve: usdc(5) }, request: { balanceAtomic: usdc(1_000) } },
      90,
    ],
    ['as the last of those at once', { history: { openIntents: 2 } }, 90],
    ['from a wallet with no reserve to keep', { request: { balanceAtomic: usdc(12) } }, 90],
    [
      'that leaves the reserve and what is under way, and nothing above them',
      {
        policy: { minReserve: usdc(5) },
        history: { pendingAtomic: usdc(2) },
        request: { balanceAtomic: usdc(17) },
      },
      0,
    ],
    [
      'in another coin, with play money',
      { request: { amountAtomic: undefined, isPlayMoney: true } },
      100,
    ],
    ['with a memo', { request: { terms: terms({ memo: 'order 1' }) } }, 90],
    [
      'from a script that is allowed',
      {
        policy: { nonInteractive: { enabled: true, perOrder: usdc(10) } },
        request: { channel: 'unattended' },
      },
      90,
    ],
    [
      'with play money, of anybody and from a script',
      {
        policy: { hosts: undefined, nonInteractive: { enabled: true, perOrder: usdc(100) } },
        request: { merchant: 'http://127.0.0.1:4020', isPlayMoney: true, channel: 'unattended' },
      },
      90,
    ],
    [
      'with play money by the embedded service, whatever hosts are named',
      { request: { merchant: 'embedded:sandbox', isPlayMoney: true } },
      90,
    ],
    [
      'that leaves the reserve, and nothing above it',
      { policy: { minReserve: usdc(5) }, request: { balanceAtomic: usdc(15) } },
      0,
    ],
    [
      'that leaves more than the reserve, but for what is under way',
      {
        policy: { minReserve: usdc(5) },
        history: { ...NOTHING, pendingAtomic: usdc(2) },
        request: { balanceAtomic: usdc(25) },
      },
      8,
    ],
  ];
  it.each(rows)('%s', (_what, row, left) => {
    const decision = decide(row);
    expect(decision).toEqual({ kind: 'allowed', remainingAtomic: usdc(left) });
  });
});

it('what is left of the limits is known without the balance of the wallet', () => {
  const policy = { ...POLICY, minReserve: usdc(5) };
  const asked = { merchant: SHOP, nowMs: NOW };
  expect(headroom(policy, NOTHING, asked)).toBe(usdc(100));
  expect(headroom(policy, NOTHING, { ...asked, balanceAtomic: usdc(8) })).toBe(usdc(3));
  expect(headroom(policy, NOTHING, { ...asked, balanceAtomic: usdc(4) })).toBe(0n);
});

describe('a rule of a host without a network', () => {
  const base = { network: BASE, asset: USDC_ADDRESSES[BASE], payTo: `0x${'aB'.repeat(20)}` };
  const onBase = (rule: Partial<HostRule>, over = {}) =>
    decide({ policy: ruled(rule), request: { terms: terms({ ...base, ...over }) } });

  it.each([
    ['any', {}, {}],
    ['any, its asset in small letters', {}, { asset: base.asset.toLowerCase() }],
    ['a list, in other letters', { payTo: [base.payTo.toLowerCase()] }, {}],
    ['that network', { network: BASE }, {}],
  ])('lets %s pay on Base', (_what, rule, over) => {
    expect(onBase(rule, over)).toMatchObject({ kind: 'allowed' });
  });

  it.each([
    ['USDC of another network', {}, { asset: USDC_MINT }, 'mint'],
    ['a network that no wallet pays on', {}, { network: 'eip155:1' }, 'network'],
    ['Base, where the rule says Solana', { network: SOLANA_MAINNET }, {}, 'network'],
    ['an address that is not listed', { payTo: [`0x${'ac'.repeat(20)}`] }, {}, 'payTo'],
  ])('does not let it be %s', (_what, rule, over, key) => {
    expect(onBase(rule, over)).toMatchObject({ rule: `hosts.x402.example.${key}` });
  });
});

describe('a payment that one rule forbids', () => {
  const rows: readonly [string, Row, string, string][] = [
    [
      'a stranger',
      { request: { merchant: 'https://evil.example' } },
      'HOST_NOT_ALLOWED',
      'hosts.evil.example',
    ],
    [
      'the same name on another port',
      { request: { merchant: `${SHOP}:8443` } },
      'HOST_NOT_ALLOWED',
      'hosts.x402.example:8443',
    ],
    [
      'another network',
      { request: { terms: terms({ network: 'solana:dev' }) } },
      'POLICY_REFUSED',
      'hosts.x402.example.network',
    ],
    [
      'another asset',
      { request: { terms: terms({ asset: 'mint' }) } },
      'POLICY_REFUSED',
      'hosts.x402.example.mint',
    ],
    [
      'an address that is not listed',
      { policy: ruled({ payTo: ['else'] }) },
      'POLICY_REFUSED',
      'hosts.x402.example.payTo',
    ],
    [
      'an address that no manifest lists',
      { policy: ruled({ payTo: 'manifest' }) },
      'POLICY_REFUSED',
      'hosts.x402.example.payTo',
    ],
    [
      'another fee payer',
      { policy: ruled({ feePayers: ['else'] }) },
      'POLICY_REFUSED',
      'hosts.x402.example.feePayers',
    ],
    [
      'a memo',
      { policy: ruled({ memo: 'off' }), request: { terms: terms({ memo: 'x' }) } },
      'POLICY_REFUSED',
      'hosts.x402.example.memo',
    ],
    ['a kind', { policy: { kinds: ['esim'] } }, 'POLICY_REFUSED', 'kinds'],
    [
      'one of two kinds',
      { policy: { kinds: ['esim'] }, request: { kinds: ['esim', 'giftcard'] } },
      'POLICY_REFUSED',
      'kinds',
    ],
    ['every kind', { policy: { kinds: [] } }, 'POLICY_REFUSED', 'kinds'],
    [
      'an unknown recipient',
      { policy: { recipients: ['*'] }, request: { recipients: [] } },
      'RECIPIENT_NOT_ALLOWED',
      'recipients',
    ],
    [
      'refunds to a stranger',
      { policy: { recipients: ['ada@*'] }, request: { refundsTo: 'stranger' } },
      'RECIPIENT_NOT_ALLOWED',
      'recipients',
    ],
    [
      'the embedded service with real money',
      { policy: { hosts: undefined }, request: { merchant: 'embedded:sandbox' } },
      'HOST_NOT_ALLOWED',
      'hosts.embedded:sandbox',
    ],
    [
      'a stranger with play money, where hosts are named',
      { request: { merchant: 'https://evil.example', isPlayMoney: true } },
      'HOST_NOT_ALLOWED',
      'hosts.evil.example',
    ],
    [
      'an unknown kind',
      { policy: { kinds: ['esim'] }, request: { kinds: [] } },
      'POLICY_REFUSED',
      'kinds',
    ],
    [
      'one of two recipients',
      {
        policy: { recipients: ['ada@*'] },
        request: { recipients: ['ada@example.org', 'eve@example.org'] },
      },
      'RECIPIENT_NOT_ALLOWED',
      'recipients',
    ],
    [
      'a script',
      { request: { channel: 'unattended' } },
      'UNATTENDED_OFF',
      'nonInteractive.enabled',
    ],
    ['an agent', { request: { channel: 'agent' } }, 'POLICY_REFUSED', 'mcp.pay'],
    [
      'too much in one order',
      { request: { amountAtomic: atomic(50_000_001n) } },
      'SPENDING_LIMIT',
      'perOrder',
    ],
    [
      'too much from a script',
      {
        policy: { nonInteractive: { enabled: true, perOrder: usdc(9) } },
        request: { channel: 'unattended' },
      },
      'SPENDING_LIMIT',
      'nonInteractive.perOrder',
    ],
    [
      'too much from an agent',
      {
        policy: {
          mcp: { ...POLICY.mcp, pay: 'confirm' },
          nonInteractive: { enabled: true, perOrder: usdc(9) },
        },
        request: { channel: 'agent' },
      },
      'SPENDING_LIMIT',
      'nonInteractive.perOrder',
    ],
    [
      'too much for the rest of an order',
      { request: { ofOrderAtomic: atomic(40_000_001n) } },
      'SPENDING_LIMIT',
      'perOrder',
    ],
    [
      'too much at a merchant, by what another program sent',
      {
        policy: { perMerchantPerDay: usdc(30) },
        history: { spent: [{ ...spent(21), merchant: undefined }] },
      },
      'SPENDING_LIMIT',
      'perMerchantPerDay',
    ],
    [
      'too much at a merchant',
      { policy: { perMerchantPerDay: usdc(30) }, history: { spent: [spent(21)] } },
      'SPENDING_LIMIT',
      'perMerchantPerDay',
    ],
    [
      'too much in a day',
      { history: { spent: [spent(91, 1_000, 'https://other.example')] } },
      'SPENDING_LIMIT',
      'perDay',
    ],
    [
      'spending of later than now',
      { history: { spent: [spent(91, -DAY_MS)] } },
      'SPENDING_LIMIT',
      'perMerchantPerDay',
    ],
    ['too many at once', { history: { openIntents: 3 } }, 'SPENDING_LIMIT', 'maxOpenIntents'],
    [
      'the reserve',
      { policy: { minReserve: usdc(6) }, request: { balanceAtomic: usdc(15) } },
      'SPENDING_LIMIT',
      'minReserve',
    ],
    [
      'a reserve and no balance',
      { policy: { minReserve: usdc(6) } },
      'SPENDING_LIMIT',
      'minReserve',
    ],
    [
      'the reserve, with what is under way',
      {
        policy: { minReserve: usdc(5) },
        history: { pendingAtomic: usdc(2) },
        request: { balanceAtomic: atomic(16_999_999n) },
      },
      'SPENDING_LIMIT',
      'minReserve',
    ],
    ['another coin', { request: { amountAtomic: undefined } }, 'POLICY_REFUSED', 'perOrder'],
    [
      'another coin with play money, too many at once',
      {
        history: { openIntents: 3 },
        request: { amountAtomic: undefined, isPlayMoney: true },
      },
      'SPENDING_LIMIT',
      'maxOpenIntents',
    ],
  ];
  it.each(rows)('%s', (_what, row, code, rule) => {
    expect(decide(row)).toMatchObject({ kind: 'refused', code, rule });
  });

  it('is told with limit, spent, what is left and how to change it', () => {
    const decision = decide({ history: { spent: [spent(95, 1_000, 'https://other.example')] } });
    if (decision.kind !== 'refused') throw new Error('it should be refused');
    const error = refusalError(decision, REQUEST);
    expect(error.message).toBe(
      '10.00 USDC is more than the 5.00 left of the 24-hour limit of 100.00 USDC; nothing was signed',
    );
    expect(error.details).toEqual({
      rule: 'perDay',
      merchant: SHOP,
      limit: '100.00',
      spent: '95.00',
      remaining: '5.00',
      period: '24h',
    });
    expect(String(error.hint)).toContain('scrip policy set perDay');
    expect([error.exit, error.fundsAtRisk]).toEqual([6, 'none']);
  });
});

describe('the reason of a refusal', () => {
  const reasonOf = (row: Row): string => {
    const decision = decide(row);
    return decision.kind === 'refused' ? String(decision.reason) : 'allowed';
  };
  it.each<[Row, string]>([
    [
      { request: { amountAtomic: usdc(51) } },
      '51.00 USDC is more than the per-order limit of 50.00 USDC',
    ],
    [
      { request: { amountAtomic: usdc(11), ofOrderAtomic: usdc(40) } },
      '11.00 USDC is more than the 10.00 left of the per-order limit of 50.00 USDC',
    ],
    [
      { request: { ofOrderAtomic: usdc(60) } },
      '10.00 USDC is more than the 0.00 left of the per-order limit of 50.00 USDC',
    ],
    [
      { policy: { minReserve: usdc(6) }, request: { balanceAtomic: usdc(15) } },
      'The policy keeps 6.00 USDC in the wallet, which holds 15.00',
    ],
    [
      {
        policy: { minReserve: usdc(6) },
        history: { pendingAtomic: usdc(1) },
        request: { balanceAtomic: usdc(15) },
      },
      'The policy keeps 6.00 USDC in the wallet, which holds 15.00, 1.00 of it for payments in progress',
    ],
    [{ policy: { kinds: ['esim'] } }, 'The policy allows esim, not giftcard'],
    [{ policy: { kinds: [] } }, 'The policy allows nothing, not giftcard'],
    [
      { policy: { kinds: ['esim'] }, request: { kinds: [] } },
      'The policy allows esim, not a product of an unknown kind',
    ],
    [
      { policy: { recipients: ['eve'] }, request: { recipients: [] } },
      'The policy does not allow purchases for an unknown recipient',
    ],
    [
      { policy: { hosts: undefined }, request: { merchant: 'embedded:sandbox' } },
      'The built-in sandbox accepts only test money, and this wallet is not marked as test money',
    ],
  ])('%#', (row, reason) => {
    expect(reasonOf(row)).toBe(reason);
  });

  it('has what is left above the reserve', () => {
    const decision = decide({
      policy: { minReserve: usdc(6) },
      history: { pendingAtomic: usdc(1) },
      request: { balanceAtomic: usdc(15) },
    });
    expect(decision).toMatchObject({ limitAtomic: usdc(6), remainingAtomic: usdc(8) });
  });
});

describe('limits', () => {
  const payment = fc.record({
    amount: fc.bigInt({ min: 0n, max: 60_000_000n }),
    merchant: fc.constantFrom(SHOP, 'https://b.example'),
    afterMs: fc.nat({ max: DAY_MS }),
  });

  it('hold in every window of a day, whatever is asked for and when', () => {
    const policy = {
      ...REAL_MONEY,
      perMerchantPerDay: usdc(70),
      hosts: new Map([
        ['x402.example', DEFAULT_RULE],
        ['b.example', DEFAULT_RULE],
      ]),
    };
    const property = fc.property(fc.array(payment, { maxLength: 40 }), (payments) => {
      const paid: Spent[] = [];
      let nowMs = NOW;
      for (const { amount, merchant, afterMs } of payments) {
        nowMs += afterMs;
        const request = { ...REQUEST, amountAtomic: atomic(amount), merchant, nowMs };
        const decision = checkSpending(
          policy,
          { spent: paid, openIntents: 0, pendingAtomic: atomic(0n) },
          request,
        );
        if (decision.kind === 'allowed')
          paid.push({ merchant, amountAtomic: atomic(amount), atMs: nowMs });
      }
      for (const { atMs } of paid) {
        const window = paid.filter((one) => one.atMs <= atMs && one.atMs > atMs - DAY_MS);
        const sum = (of: readonly Spent[]) => of.reduce((all, one) => all + one.amountAtomic, 0n);
        expect(sum(window)).toBeLessThanOrEqual(policy.perDay);
        for (const shop of [SHOP, 'https://b.example']) {
          const there = window.filter(({ merchant }) => merchant === shop);
          expect(sum(there)).toBeLessThanOrEqual(policy.perMerchantPerDay);
        }
      }
    });
    fc.assert(property);
  });
});

describe('a pattern', () => {
  it.each([
    ['*@example.org', 'Ada@Example.org', true],
    ['*@example.org', 'ada@example.org.evil', false],
    ['+39*', '+393331234567', true],
    ['+39*', '+1393331234567', false],
    ['*', '', true],
    ['a*b*c', 'aXbXbc', true],
    ['a*a', 'a', false],
    ['ada@example.org', 'ada@example.org', true],
    ['a.a', 'aba', false],
    ['+39*', '+39a@evil.example', false],
    ['+39*', '+39 a', false],
    ['+39*', '+39333@evil.example', false],
    ['+39*', '+39 333 123', true],
    ['+39*@example.org', '+39a@example.org', true],
    ['+39*@example.org', '+393331234567', false],
    ['*', '+39a@evil.example', true],
    ['*39*', '+39a@evil.example', true],
  ])('%s and %s: %s', (pattern, text, expected) => {
    expect(isRecipient(pattern, text)).toBe(expected);
  });
});
