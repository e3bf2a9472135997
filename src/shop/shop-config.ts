/** The configuration of a shop, as its operator writes it: JSON, described in docs/operate/shop.md. */

import { z } from 'zod';
import { type Infer, lazy } from '../contract/endpoint.ts';
import { plainIssues } from '../contract/plain-issues.ts';
import { USDC_DECIMALS } from '../contract/x402.ts';
import { isLoopbackHost } from '../domain/address/loopback.ts';
import { isIpRange } from '../domain/address/public-address.ts';
import { parseJson } from '../domain/attempt.ts';
import { ScripError } from '../domain/message/errors.ts';
import { t, verbatim } from '../domain/message/message.ts';
import { parseDecimal } from '../domain/money/money.ts';
import { nearest } from '../domain/product/catalog-query.ts';
import { isAddress } from '../rails/solana/address.ts';

const decimal = lazy(() =>
  z
    .string()
    .regex(/^(0|[1-9]\d{0,9})(\.\d{1,6})?$/, 'must be a decimal in quotes, such as "0.05" or "25"'),
);
const positive = lazy(() =>
  decimal().refine((text) => !/^0(\.0+)?$/.test(text), 'must be more than zero'),
);
const usdc = (text: string) => parseDecimal(text, USDC_DECIMALS);
const path = lazy(() => z.string().min(1).max(4_096));
const seconds = lazy(() => z.number().int().min(1).max(86_400));

/** An address with a key in its path belongs into a file or the environment. */
const address = lazy(() =>
  z.string().max(2_048).refine(isSafeUrl, 'must be an https address, or http on this machine'),
);

function isSafeUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname));
}

const place = lazy(() => ({
  file: path().optional().describe('file that only its owner may read'),
  env: z
    .string()
    .regex(/^[A-Z_][A-Z0-9_]*$/, 'must be the name of a variable, such as SHOP_RPC_URL')
    .optional()
    .describe('environment variable'),
}));

/** Where a secret is; never the secret. */
const secret = lazy(() => z.strictObject(place()).refine(isOnePlace, ONE_PLACE));

const key = lazy(() =>
  z
    .strictObject({
      ...place(),
      passphrase: secret().optional().describe('of a key file made by: scrip wallet new --encrypt'),
    })
    .refine(isOnePlace, ONE_PLACE),
);

const ONE_PLACE = { message: 'must have either file or env' };

function isOnePlace({ file, env }: Partial<Record<'file' | 'env', string | undefined>>): boolean {
  return (file === undefined) !== (env === undefined);
}

const listen = lazy(() =>
  z.strictObject({
    host: z.string().min(1).default('127.0.0.1').describe('address to bind'),
    port: z.number().int().min(0).max(65_535).describe('0 takes a free port'),
    public_url: address().optional().describe('where clients reach the shop, such as a proxy'),
    trusted_proxies: z
      .array(z.string().refine(isIpRange, 'must be an IP address or a network'))
      .default([])
      .describe('proxies whose X-Forwarded-For is believed'),
    drain_seconds: z
      .number()
      .min(0)
      .max(5)
      .default(0)
      .describe('how long a stopping server still answers, for a balancer to notice'),
  }),
);

const facilitator = lazy(() =>
  z.strictObject({
    url: address().describe('address below which /supported and /settle are'),
    headers: z
      .record(z.string().regex(/^[A-Za-z][A-Za-z0-9-]*$/, 'must be the name of a header'), secret())
      .optional()
      .describe('sent with every call, such as Authorization'),
  }),
);

const base = lazy(() =>
  z.strictObject({
    rpc: secret().describe('address of a Base RPC node'),
    witness_rpc: secret().optional().describe('address of a node of another operator'),
    fee_account: key().describe('key that pays gas, in hex or made by: scrip wallet new --encrypt'),
    fee_account_floor_eth: positive()
      .default('0.002')
      .describe('with less than this, no payments on Base are taken'),
    facilitator: facilitator()
      .optional()
      .describe('pays the gas of payments instead of the fee account'),
    finalized_from_usdc: decimal()
      .default('100')
      .describe('from this amount on goods wait until the payment is finalized'),
    treasury: z
      .string()
      .regex(/^0x[0-9a-fA-F]{40}$/, 'must be an address on Base')
      .describe('wallet that sales on Base are paid to'),
  }),
);

const chain = lazy(() =>
  z.strictObject({
    rpc: secret().describe('address of a Solana RPC node'),
    witness_rpc: secret().optional().describe('address of a node of another operator'),
    websocket: secret().optional().describe('ws:// or wss:// address; derived from rpc without it'),
    subscriptions: z
      .number()
      .int()
      .min(0)
      .max(1_000)
      .default(50)
      .describe('accounts that the websocket reports, at most; 0 opens none'),
    fee_payer: key().describe('key that pays network fees and rent'),
    fee_payer_floor_sol: positive()
      .default('0.05')
      .describe('with less than this, no orders are taken'),
    facilitator: facilitator()
      .optional()
      .describe('pays the network fees of payments by x402 instead of the fee payer'),
    finalized_from_usdc: decimal()
      .default('100')
      .describe('from this amount on goods wait until the payment is finalized'),
    sponsored_fees_per_day_sol: decimal()
      .default('0.01')
      .describe('network fees of buyers without SOL, in a day (UTC)'),
    treasury: z
      .string()
      .refine(isAddress, 'must be a Solana address')
      .describe('wallet that payments are moved to; it needs a USDC account'),
    base: base().optional().describe('takes payments by x402 on Base too'),
  }),
);

const accounts = lazy(() =>
  z.strictObject({
    most: z.number().int().min(1).max(5_000).default(100).describe('accounts open at a time'),
    spare: z.number().int().min(0).max(100).default(2).describe('free accounts kept ready'),
    rent_per_day_sol: decimal()
      .default('0.1')
      .describe('rent of accounts opened in a day (UTC) and open still, in SOL'),
    late_payment_hours: z
      .number()
      .int()
      .min(1)
      .max(8_760)
      .default(72)
      .describe('how long closed accounts are looked at for late money'),
  }),
);

const refunds = lazy(() =>
  z
    .strictObject({
      wallet: key().describe('key of the wallet that refunds are sent from'),
      base_wallet: key().optional().describe('the same on Base'),
      most_usdc: positive().default('100').describe('a larger refund is only paid by hand'),
      per_day_usdc: positive().default('500').describe('of all refunds begun in a day (UTC)'),
      approve_above_usdc: decimal()
        .default('25')
        .describe('a larger refund waits for the operator’s approval'),
    })
    .refine(({ most_usdc, per_day_usdc }) => usdc(most_usdc) <= usdc(per_day_usdc), {
      message: 'most_usdc must not be more than per_day_usdc',
    }),
);

const catalog = lazy(() =>
  z
    .strictObject({
      file: path().optional(),
      url: address().optional(),
      token: secret().optional().describe('bearer token of the feed'),
      refresh_seconds: seconds().default(60),
    })
    .refine(({ file, url }) => (file === undefined) !== (url === undefined), {
      message: 'must have either file or url',
    }),
);

const rates = lazy(() =>
  z.strictObject({
    url: address(),
    token: secret().optional().describe('bearer token of the feed'),
    refresh_seconds: seconds().default(60),
    max_age_seconds: seconds().default(600).describe('older rates are not used'),
  }),
);

const httpSupplier = lazy(() =>
  z.strictObject({
    kind: z.literal('http'),
    url: address(),
    token: secret().describe('bearer token that the shop sends'),
    callback_token: secret().optional().describe('bearer token that the supplier calls back with'),
    timeout_seconds: seconds().default(20),
  }),
);
const codesSupplier = lazy(() =>
  z.strictObject({ kind: z.literal('codes'), file: path().describe('one code per line') }),
);

const limits = lazy(() =>
  z.strictObject({
    maximum_usd: positive().default('1000').describe('of an order'),
    daily_usd: positive().default('1000').describe('of a customer'),
    monthly_usd: positive().default('5000').describe('of a customer'),
    payment_window_minutes: z.number().int().min(5).max(1_440).default(15),
  }),
);

const partners = lazy(() =>
  z.strictObject({
    open: z
      .boolean()
      .default(true)
      .describe('whether ids without a secret may use the partner API'),
  }),
);

const days = lazy(() => z.number().int().min(1).max(36_500));

const retention = lazy(() =>
  z.strictObject({
    orders_days: days().optional().describe('after which ended orders lose the person'),
    offers_days: days().default(30).describe('the same of x402 offers that nobody paid'),
  }),
);

const mailbox = lazy(() => z.email().max(254));

const alarms = lazy(() =>
  z.strictObject({
    webhook: z
      .strictObject({
        url: secret().describe('address that alarms are posted to'),
        secret: secret().describe('whsec_ and 32 bytes in base64: signs it'),
      })
      .optional(),
    mail: z
      .strictObject({
        server: secret().describe('smtps:// or smtp:// address with user and password'),
        from: mailbox(),
        to: z.array(mailbox()).min(1).max(10),
      })
      .optional(),
  }),
);

const whole = lazy(() =>
  z.strictObject({
    name: z.string().trim().min(1).max(60).optional().describe('what buyers call the shop'),
    website: address().optional().describe('where a payment page leads when it is done'),
    data_dir: path().describe('folder of the shop’s database'),
    database: secret().optional().describe('postgres:// address; a file of data_dir without it'),
    master_seed: secret().describe('64 hex digits; every receiving key is derived from them'),
    listen: listen(),
    chain: chain(),
    accounts: accounts().prefault({}),
    refunds: refunds().optional(),
    catalog: catalog(),
    rates: rates().optional(),
    supplier: z.discriminatedUnion('kind', [httpSupplier(), codesSupplier()]),
    margin_percent: z
      .string()
      .regex(/^([0-9]|[1-9][0-9])(\.\d{1,2})?$/, 'must be a percentage in quotes, such as "1.5"')
      .default('1'),
    limits: limits().prefault({}),
    partners: partners().prefault({}),
    retention: retention().prefault({}),
    alarms: alarms().prefault({}),
  }),
);

export const shopConfig = lazy(() =>
  whole().refine(({ chain, refunds }) => chain.base || !refunds?.base_wallet, {
    path: ['refunds', 'base_wallet'],
    message: 'needs chain.base',
  }),
);
export type ShopConfig = Infer<typeof shopConfig>;
export type SecretPlace = Infer<typeof secret>;
export type KeyPlace = Infer<typeof key>;

/**
 * Reads the text of a configuration. Every fault is in the message, each at its JSON path.
 * @throws {ScripError} INPUT_INVALID
 */
export function readShopConfig(text: string): ShopConfig {
  const json = parseJson(text);
  if (json === undefined) throw invalid([{ path: '$', message: 'is not JSON' }]);
  const parsed = shopConfig().safeParse(json);
  if (parsed.success) return parsed.data;
  const issues = plainIssues(shopConfig(), json, (known, typed) => nearest(known, typed, 1)).map(
    ({ path: at, message }) => ({ path: pathText(at), message }),
  );
  throw invalid(issues);
}

/** JSON Schema of the file, for editors. */
export function shopConfigSchema(): object {
  return z.toJSONSchema(shopConfig(), { io: 'input' });
}

function pathText(path: readonly PropertyKey[]): string {
  const steps = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`));
  return `$${steps.join('')}`;
}

function invalid(issues: readonly { readonly path: string; readonly message: string }[]) {
  const list = issues.map(({ path: at, message }) => `${at} ${message}`).join('; ');
  return new ScripError(
    'INPUT_INVALID',
    t`The shop’s configuration is not valid: ${verbatim(list)}`,
    {
      hint: t`Correct the file at the paths named (docs/operate/shop.md).`,
      details: { issues },
    },
  );
}
