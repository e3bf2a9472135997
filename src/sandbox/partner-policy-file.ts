/** Format of the operator's file of partner API rules: JSON, amounts as decimal text. */

import { z } from 'zod';
import { CATEGORIES } from '../domain/categories.ts';
import { t } from '../domain/message.ts';
import { PRODUCT_KINDS } from '../domain/product.ts';
import { readOperatorFile } from '../service/operator-file.ts';
import type { ProductFlag } from '../service/partner/merchant-rules.ts';

const FLAGS = [
  'withdrawn',
  'out_of_stock',
  'inactive',
  'limited',
  'login',
  'kyc',
  'verification',
] as const satisfies readonly ProductFlag[];

const text = () => z.string().min(1).max(100);
const count = () => z.number().int().nonnegative().max(1_000_000_000);
const usd = () =>
  z.string().regex(/^(0|[1-9]\d{0,8})(\.\d{1,6})?$/, 'a plain decimal, such as "25" or "25.50"');
const percent = () =>
  z
    .string()
    .regex(/^(100(\.0{1,2})?|[1-9]?\d(\.\d{1,2})?)$/, 'a percentage up to "100", such as "2.5"');
const instant = () => z.iso.datetime({ offset: true });
const country = () => z.string().regex(/^[a-z]{2}$/, 'two lowercase letters, such as "us"');

const tier = () => z.strictObject({ daily_usd: usd(), monthly_usd: usd() });

/** What a tag in an email address sets for the account. */
const traits = () =>
  z.strictObject({
    is_signed_in: z.boolean().optional(),
    verification: z.enum(['none', 'pending', 'verified']).optional(),
    must_verify: z.boolean().optional(),
    needs_review: z.boolean().optional(),
    tier: text().optional(),
  });

/** Flags products of a brand: all of them, those of one country, or of one face value. */
const flag = () =>
  z.strictObject({
    flag: z.enum(FLAGS),
    brand: text(),
    country: country().optional(),
    value: usd().optional(),
  });

const coupon = () =>
  z
    .strictObject({
      code: z.string().regex(/^[A-Z0-9]{3,40}$/, '3 to 40 capital letters and digits'),
      percent: percent().optional(),
      usd: usd().optional(),
      starts_at: instant().optional(),
      ends_at: instant().optional(),
      maximum_uses: count().optional(),
      /** Default: 1. */
      uses_per_customer: count().optional(),
      minimum_usd: usd().optional(),
      categories: z.array(z.enum(CATEGORIES)).optional(),
      kinds: z.array(z.enum(PRODUCT_KINDS)).optional(),
      brands: z.array(text()).optional(),
      countries: z.array(country()).optional(),
      stores: z.array(text()).optional(),
      customers: z.array(z.email()).optional(),
      requires_login: z.boolean().optional(),
      used_elsewhere: z
        .strictObject({ total: count(), by_customer: count().optional() })
        .optional(),
    })
    .refine((value) => (value.percent === undefined) !== (value.usd === undefined), {
      message: 'a coupon has either percent or usd',
    });

const policyFile = () =>
  z
    .strictObject({
      limits: z.strictObject({
        maximum_usd: usd(),
        maximum_products: count(),
        unverified_monthly_usd: usd(),
        /** By payment via; a via without an entry has no fee. */
        fee_percent: z.record(text(), percent()).optional(),
      }),
      tiers: z.record(text(), tier()),
      default_tier: text(),
      tags: z.record(z.string().regex(/^[a-z][a-z-]*$/, 'lowercase letters and hyphens'), traits()),
      flags: z.array(flag()),
      coupons: z.array(coupon()),
    })
    .superRefine((policy, context) => {
      for (const [path, name] of namedTiers(policy)) {
        if (!Object.hasOwn(policy.tiers, name)) {
          context.addIssue({
            code: 'custom',
            path: [...path],
            message: `there is no tier ${name}`,
          });
        }
      }
    });

export type PolicyFile = z.infer<ReturnType<typeof policyFile>>;
export type CouponEntry = z.infer<ReturnType<typeof coupon>>;
export type TierEntry = z.infer<ReturnType<typeof tier>>;
export type Traits = z.infer<ReturnType<typeof traits>>;

/**
 * Reads an operator's policy, already parsed as JSON.
 * @throws {ScripError} INPUT_INVALID naming the path of the first fault
 */
export function readPolicy(json: unknown): PolicyFile {
  return readOperatorFile(policyFile(), json, {
    invalid: (path, problem) => t`The policy is not valid at ${path}: ${problem}`,
    hint: t`Correct the policy file at the path named and start again.`,
  });
}

/** Lists every reference to a tier, with its path. */
function namedTiers(policy: {
  readonly default_tier: string;
  readonly tags: Readonly<Record<string, Traits>>;
}): readonly (readonly [path: readonly string[], name: string])[] {
  const byTag = Object.entries(policy.tags).flatMap(([tag, { tier: name }]) =>
    name === undefined ? [] : [[['tags', tag, 'tier'], name] as const],
  );
  return [[['default_tier'], policy.default_tier], ...byTag];
}
