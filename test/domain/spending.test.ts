import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SOLANA_MAINNET, USDC_MINT } from '../../src/contract/usdc.ts';
import { type Atomic, atomic } from '../../src/domain/money.ts';
import { DEFAULT_RULE, isRecipient, type Policy, REAL_MONEY } from '../../src/domain/policy.ts';
import { refusalError } from '../../src/domain/refusal.ts';
import type { SpendRequest } from '../../src/domain/spend-rules.ts';
import { checkSpending, DAY_MS, type SpendHistory, type Spent } from '../../src/domain/spending.ts';

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
    ['after a day, all again', { history: { spent: [spent(100, DAY_MS)] } }, 90],
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
    ['another coin', { request: { amountAtomic: undefined } }, 'POLICY_REFUSED', 'perOrder'],
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
