/** Every code of the partner API is triggered by the sandbox's own data, as its document tells. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { PROBLEM_CODES, SUSPENSION_CODES } from '../../src/contract/codes.ts';
import type { WireValidationRequest } from '../../src/contract/partner-orders.ts';
import { atomic } from '../../src/domain/money/money.ts';
import { checkBeneficiary } from '../../src/domain/product/beneficiary.ts';
import { parsePhone } from '../../src/domain/product/phone.ts';
import { createGeneratedCatalog } from '../../src/sandbox/catalog/generated.ts';
import { createSandboxMarket } from '../../src/sandbox/market.ts';
import { COUPONS, SANDBOX_POLICY, TAGS, TIERS } from '../../src/sandbox/partner/policy.ts';
import { sandboxRates } from '../../src/sandbox/rates.ts';
import { assess } from '../../src/service/partner/rules/assessment.ts';
import { orderLines } from '../../src/service/partner/rules/lines.ts';
import { chosenPayment } from '../../src/service/partner/rules/order-context.ts';
import { START_MS } from '../support/manual-clock.ts';
import { PROBLEM_EXAMPLES, type ProblemExample } from '../support/partner-examples.ts';

const catalog = createGeneratedCatalog({ seed: 'scrip' });
const policy = SANDBOX_POLICY;
const market = createSandboxMarket();
const nothing = atomic(0n);

async function assessRequest(request: WireValidationRequest) {
  const deps = {
    catalog,
    policy,
    rates: sandboxRates,
    checkBeneficiary: (kind: Parameters<typeof checkBeneficiary>[0], account: string) =>
      checkBeneficiary(kind, account, parsePhone),
  };
  const order = {
    lines: await orderLines(deps, request.deliveries),
    payment: chosenPayment(request.payment),
    email: request.user?.email,
    couponCode: request.coupon_code ?? undefined,
    nftCards: 0,
    store: 'scrip-cli',
  };
  return assess(order, {
    policy,
    market,
    nowMs: START_MS,
    spentUsd: { today: nothing, thisMonth: nothing },
    couponUse: { total: 0, byCustomer: 0 },
  });
}

describe('the examples', () => {
  it('name every code of the interface once, in the order of its tables', () => {
    const codes = [...Object.keys(PROBLEM_CODES), ...Object.keys(SUSPENSION_CODES)];
    expect(PROBLEM_EXAMPLES.map(({ code }) => code)).toEqual(codes);
    expect(codes).toHaveLength(31);
  });

  it('explain every problem in words that JSON can carry', async () => {
    const explained = await Promise.all(
      PROBLEM_EXAMPLES.map(async ({ code, request }) => {
        const { problems, suspension } = await assessRequest(request);
        const more = problems.find(({ problem }) => problem === code) ?? suspension;
        return [code, more?.moreDetails] as const;
      }),
    );
    const pairs = explained.find(([code]) => code === 'UNSUPPORTED_PROTOCOL_COIN_COMBINATION');
    expect(pairs?.[1]).toContainEqual({ coin: 'BTC', network: 'Mainnet' });
    expect(pairs?.[1]).not.toContainEqual({ coin: 'USDC', network: 'Optimism' });
    expect(print(explained.filter((entry) => entry !== pairs))).toMatchSnapshot();
  });
});

describe('the document', () => {
  const page = readFileSync(new URL('../../docs/inside/partner-rules.md', import.meta.url), 'utf8');

  it.each(PROBLEM_EXAMPLES)('tells how to trigger $code', (entry) => {
    expect(page).toContain(rowOf(entry));
  });

  it.each(COUPONS)('names the coupon $code', ({ code }) => {
    expect(page).toContain(`\`${code}\``);
  });

  it.each(Object.keys(TAGS))('names the tag +%s', (tag) => {
    expect(page).toContain(`\`+${tag}\``);
  });

  it.each(Object.entries(TIERS))('tells the limits of %s', (name, tier) => {
    expect(page).toContain(`| ${name} | ${tier.daily} | ${tier.monthly} |`);
  });
});

function print(explained: readonly (readonly [code: string, details: unknown])[]): string {
  return explained.map(([code, details]) => `${code} ${JSON.stringify(details)}`).join('\n');
}

/** One line of the document's table. */
/** What an empty cell of the page stands for. */
const USUAL = [
  'buyer@example.com',
  'user_wallet USDC Solana',
  'Amazon.com 25 USD to friend@example.com',
];
const isUsual = (cell: string | null | undefined) => USUAL.includes(cell ?? '');

function rowOf({ code, request }: ProblemExample): string {
  const { payment, user, deliveries, coupon_code: coupon } = request;
  const paid =
    payment.type === 'via'
      ? `${payment.payment_via} ${payment.coin} ${payment.network}`
      : `${payment.type} ${payment.coin}`;
  const bought = deliveries.map((delivery) => {
    if ('deliverable' in delivery) return '';
    const { brand_name, denomination, product_value, beneficiary_account } = delivery;
    const what = denomination === 'range' ? `range of ${product_value}` : denomination;
    return `${brand_name} ${what} to ${beneficiary_account}`;
  });
  const products = `${deliveries.length === 1 ? '' : `${deliveries.length} x `}${bought[0]}`;
  const cells = [user?.email, paid, products, coupon].map((cell) => (isUsual(cell) ? '' : cell));
  return `| ${[code, ...cells].map((cell) => cell ?? '').join(' | ')} |`;
}
