/** JSON about this machine: settings, wallet, spending policy (in decimal USDC), checks and bug reports. */

import { z } from 'zod';
import { type Infer, lazy } from '../../contract/endpoint.ts';
import { strictObject } from '../../contract/object.ts';

export const setting = strictObject(() => ({
  key: z.string().describe('as in a profile, such as rpc_url'),
  value: z.string().nullable().describe('null if it has no value'),
  source: z
    .enum(['flag', 'environment', 'profile', 'file', 'default'])
    .describe('where the value comes from; `file` is the top level of the settings file'),
  flag: z.string().nullable(),
  variable: z.string().nullable(),
  profile: z.string(),
}));
export type SettingRecord = Infer<typeof setting>;

export const configPath = strictObject(() => ({ path: z.string() }));

const money = lazy(() => z.enum(['play', 'real']));

export const chosenProfile = strictObject(() => ({
  profile: z.string(),
  checkout_url: z.string(),
  money: money(),
}));
export type ChosenProfile = Infer<typeof chosenProfile>;

export const profile = strictObject(() => ({
  name: z.string(),
  is_current: z.boolean().describe('used by a command that names no profile'),
  money: money(),
  is_embedded: z.boolean(),
  checkout_url: z.string(),
  api_url: z.string(),
  rpc_url: z.string(),
  keypair: z.string().nullable(),
  signer: z.string().nullable().describe('a program that signs instead of a key file'),
  partner_id: z.string(),
  country: z.string().nullable(),
}));
export type ProfileRecord = Infer<typeof profile>;

export const removedProfile = strictObject(() => ({
  name: z.string(),
  removed: z.literal(true),
  wallet_kept: z.string(),
  was_in_use: z.boolean(),
}));

export const keyFile = strictObject(() => ({
  address: z.string(),
  base_address: z.string().optional().describe('of the key for Base, if it is another one'),
  keypair: z.string().describe('the key file; where that is missing, what --keypair takes'),
  base_keypair: z.string().optional().describe('the key file for Base'),
  from: z.string().optional(),
  encrypted: z.boolean().optional(),
}));
export type KeyFileRecord = Infer<typeof keyFile>;

/** A key file, or a signer program that is used instead. */
export const walletAddress = lazy(() =>
  z.union([keyFile(), z.strictObject({ address: z.string(), signer: z.string() })]),
);

const otherBalance = strictObject(() => ({
  network: z.string(),
  address: z.string(),
  usdc: z.string().nullable().describe('null if the network could not be reached'),
  coin: z.string().describe('ticker of the network’s own coin'),
  coin_atomic: z.string().nullable(),
}));

export const balance = strictObject(() => ({
  address: z.string(),
  network: z.string(),
  money: z.enum(['play', 'real']),
  others: z
    .array(otherBalance())
    .optional()
    .describe('what the wallet holds on other networks that it has a key for'),
  usdc: z.string(),
  usdc_atomic: z.string(),
  has_usdc_account: z.boolean().optional(),
  sol: z.string().optional(),
  lamports: z.string().optional(),
}));
export type BalanceRecord = Infer<typeof balance>;

export const mark = strictObject(() => ({ address: z.string(), money: z.enum(['play', 'real']) }));
export type MarkRecord = Infer<typeof mark>;

/** With --output, where the key was written; on a terminal the secret itself, in the chosen format. */
export const exportedKey = lazy(() =>
  z.union([
    z.strictObject({
      address: z.string(),
      keypair: z.string(),
      output: z.string(),
      format: z.enum(['json', 'base58', 'hex']),
    }),
    z.array(z.number().int().min(0).max(255)).length(64),
    z.string(),
  ]),
);

const counted = lazy(() =>
  z
    .enum(['journal', 'chain'])
    .describe('this machine’s payments, or also all USDC that left the wallet on the chain'),
);

export const policyPath = strictObject(() => ({ path: z.string() }));

export const shownPolicy = strictObject(() => ({
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
}));
export type ShownPolicy = Infer<typeof shownPolicy>;

export const changedRule = strictObject(() => ({
  key: z.string(),
  value: z.string(),
  allows_more: z.boolean(),
  path: z.string(),
}));

export const allowedPayment = strictObject(() => ({
  allowed: z.literal(true),
  amount: z.string(),
  merchant: z.string(),
  left_after: z.string(),
}));

export const spent = strictObject(() => ({
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
  open_payments: z.number().int().nonnegative().describe('neither final nor proven unable to land'),
}));

const checkState = lazy(() => z.enum(['ok', 'warn', 'fail']));

export const examination = strictObject(() => ({
  ok: z.boolean(),
  checks: z.array(
    z.strictObject({
      check: z.string(),
      state: checkState(),
      detail: z.string(),
      fix: z.string().nullable(),
    }),
  ),
  repair: z
    .strictObject({
      kept: z.number().int().nonnegative(),
      aside: z
        .string()
        .nullable()
        .describe('where the old records are; null if nothing was damaged'),
      is_history_whole: z.boolean(),
      entries: z.array(
        z.strictObject({
          intent_id: z.string(),
          outcome: z.enum(['restored', 'found on the chain', 'nothing to restore']),
          detail: z.string(),
        }),
      ),
    })
    .optional(),
}));

const count = lazy(() => z.number().int().nonnegative());

export const debugBundle = strictObject(() => ({
  bundle: z.literal(1),
  made_at: z.iso.datetime(),
  version: z.string(),
  node: z.string(),
  platform: z.string().describe('system and processor, such as linux x64'),
  settings: z.array(
    z.strictObject({ key: z.string(), value: z.string().nullable(), source: z.string() }),
  ),
  environment: z.array(z.string()).describe('names of variables that are set'),
  doctor: z.strictObject({
    ok: z.boolean(),
    checks: z.array(
      z.strictObject({
        check: z.string(),
        state: checkState(),
        code: z.string().nullable().describe('error code of a command that meets it'),
      }),
    ),
  }),
  journal: z.strictObject({
    error: z.string().nullable().describe('error code if it cannot be read'),
    purchases: count(),
    by_status: z.record(z.string(), count()),
    checkout: count(),
    partner: count(),
    first_at: z.iso.datetime().nullable(),
    last_at: z.iso.datetime().nullable(),
  }),
  recent_errors: z.array(
    z.strictObject({ at: z.iso.datetime(), code: z.string(), verb: z.string().nullable() }),
  ),
}));
export type DebugBundle = Infer<typeof debugBundle>;

export const writtenBundle = strictObject(() => ({ output: z.string(), bytes: count() }));

/** `scrip approvals`, and its file. */
export const approval = strictObject(() => ({
  order_id: z.string(),
  question: z.string().describe('what is approved, word by word'),
  asked_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
  state: z.enum(['waiting', 'approved', 'refused']),
}));
export type Approval = Infer<typeof approval>;

export const approvals = lazy(() => z.array(approval()));
