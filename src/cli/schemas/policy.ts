/** JSON of `scrip policy` and `scrip policy spend`. Amounts are decimal USDC. */
import { z } from 'zod';
import { type Infer, lazy } from '../../contract/endpoint.ts';

const counted = lazy(() =>
  z
    .enum(['journal', 'chain'])
    .describe('this machine’s payments, or also all USDC that left the wallet on the chain'),
);

export const policyPath = lazy(() => z.strictObject({ path: z.string() }));

export const shownPolicy = lazy(() =>
  z.strictObject({
    path: z.string(),
    money: z.enum(['play', 'real']),
    policy: z.looseObject({}).describe('the rules, as the policy file has them'),
    stated: z.array(z.string()).describe('keys that the file states; the others are defaults'),
    wallet: z.string().nullable(),
    today: z.strictObject({
      spent: z.string(),
      left: z.string(),
      open_payments: z.number().int().nonnegative(),
      counted: counted(),
    }),
  }),
);
export type ShownPolicy = Infer<typeof shownPolicy>;

export const changedRule = lazy(() =>
  z.strictObject({
    key: z.string(),
    value: z.string(),
    allows_more: z.boolean(),
    path: z.string(),
  }),
);

export const allowedPayment = lazy(() =>
  z.strictObject({
    allowed: z.literal(true),
    amount: z.string(),
    merchant: z.string(),
    left_after: z.string(),
  }),
);

export const spent = lazy(() =>
  z.strictObject({
    wallet: z.string().nullable(),
    today: z.strictObject({
      from: z.iso.datetime(),
      spent: z.string(),
      limit: z.string(),
      left: z.string(),
      elsewhere: z.string().describe('the part of `spent` that is no payment of this machine'),
      counted: counted(),
    }),
    month: z.strictObject({ from: z.iso.datetime(), spent: z.string() }),
    merchants: z.array(
      z.strictObject({
        merchant: z.string(),
        today: z.string(),
        left: z.string(),
        month: z.string(),
      }),
    ),
    under_way: z.number().int().nonnegative().describe('orders with status processing or unknown'),
    open_payments: z
      .number()
      .int()
      .nonnegative()
      .describe('neither final nor proven unable to land'),
  }),
);
