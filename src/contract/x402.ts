/** The x402 v2 envelope: interface, X402PaymentRequired and PaymentRequirement; x402 v2, `scheme_exact_svm`. */
import { z } from 'zod';
import { type Infer, lazy } from './endpoint.ts';

export const X402_VERSION = 2;
export { SOLANA_MAINNET, USDC_DECIMALS, USDC_MINT } from './usdc.ts';

export const PAYMENT_REQUIRED_HEADER = 'PAYMENT-REQUIRED';
export const PAYMENT_SIGNATURE_HEADER = 'PAYMENT-SIGNATURE';
export const PAYMENT_RESPONSE_HEADER = 'PAYMENT-RESPONSE';
export const SESSION_HEADER = 'X-Session-Id';

const address = lazy(() => z.string().regex(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/, 'a base58 address'));
const atomicAmount = lazy(() =>
  z.string().regex(/^[1-9][0-9]{0,19}$/, 'a positive whole number of atomic units'),
);

/** What no payment depends on: read where it has the usual form, and never a reason to refuse. */
const unneeded = <T>(schema: z.ZodType<T>) => schema.optional().catch(undefined);

/**
 * A payment requirement. The interface names the amount `maxAmountRequired`, the public standard
 * `amount`: at least one is there, and where both are they are equal (checked in domain/payment.ts).
 * Unknown fields are kept: reference servers compare the echoed requirement whole.
 */
export const paymentRequirement = lazy(() =>
  z.looseObject({
    scheme: z.literal('exact'),
    network: z.string(),
    maxAmountRequired: atomicAmount().optional(),
    amount: atomicAmount().optional(),
    asset: address(),
    payTo: address(),
    maxTimeoutSeconds: unneeded(z.number().positive()),
    extra: z
      .looseObject({
        feePayer: address().optional(),
        /** Signed over where it is a text; its form is checked in domain/payment.ts. */
        memo: unneeded(z.string()),
        /** Ours: the value of `X-Session-Id`, for clients that echo a requirement and no header. */
        sessionId: unneeded(z.string()),
      })
      .nullish(),
    description: unneeded(z.string()),
    outputSchema: z.unknown().optional(),
  }),
);
export type PaymentRequirement = Infer<typeof paymentRequirement>;

/** The decoded `PAYMENT-REQUIRED` header. Entries of other schemes or networks may stand beside ours. */
export const paymentRequired = lazy(() =>
  z.looseObject({
    x402Version: z.literal(X402_VERSION),
    accepts: z
      .array(z.looseObject({ scheme: z.string(), network: z.string() }))
      .min(1)
      .max(32),
    /** An object by the standard; hosts in the wild send a string. */
    resource: z.unknown().optional(),
    error: z.unknown().optional(),
    /** Unix seconds; not in the standard, sent by some hosts. Read by `challengeExpiry`. */
    expiresAt: z.unknown().optional(),
    extensions: z.unknown().optional(),
  }),
);
export type PaymentRequired = Infer<typeof paymentRequired>;

/** The decoded `PAYMENT-SIGNATURE` header, in both dialects: `accepted` (standard) or flat scheme and network. */
export const paymentPayload = lazy(() =>
  z.looseObject({
    x402Version: z.literal(X402_VERSION),
    scheme: z.string().optional(),
    network: z.string().optional(),
    accepted: z.looseObject({ scheme: z.string(), network: z.string() }).optional(),
    /** Standard base64 of the versioned transaction, signed by the payer alone. */
    payload: z.looseObject({ transaction: z.string().min(1).max(4096) }),
    resource: z.unknown().optional(),
    extensions: z.unknown().optional(),
  }),
);
export type PaymentPayload = Infer<typeof paymentPayload>;

/** The public extension by which a buyer names a payment, so that it can be asked for again. */
export const PAYMENT_IDENTIFIER = 'payment-identifier';

/** What a 402 says of it: the extension's own text (x402 `specs/extensions/payment_identifier.md`). */
export const PAYMENT_IDENTIFIER_OFFER = {
  info: { required: false },
  schema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: {
      required: { type: 'boolean' },
      id: { type: 'string', minLength: 16, maxLength: 128 },
    },
    required: ['required'],
  },
} as const;

/** The extension as it is offered, and as it comes back with an id or without one. */
export const paymentIdentifier = lazy(() =>
  z.looseObject({
    info: z.looseObject({
      id: z
        .string()
        .regex(/^[A-Za-z0-9_-]{16,128}$/, '16 to 128 letters, digits, hyphens and underscores')
        .optional(),
    }),
  }),
);

/** What an envelope says under the extension's name; undefined when it does not have it. */
export function identifierExtension(extensions: unknown): unknown {
  if (typeof extensions !== 'object' || extensions === null) return undefined;
  return Object.hasOwn(extensions, PAYMENT_IDENTIFIER)
    ? (extensions as Readonly<Record<string, unknown>>)[PAYMENT_IDENTIFIER]
    : undefined;
}

export const settleResponse = lazy(() =>
  z.looseObject({
    success: z.boolean(),
    /** The transaction's signature; empty when nothing was sent. */
    transaction: z.string(),
    network: z.string(),
    payer: z.string().optional(),
    errorReason: z.string().optional(),
    errorMessage: z.string().optional(),
  }),
);
/** Result of a settlement; also the decoded `PAYMENT-RESPONSE` header. */
export type SettleResponse = Infer<typeof settleResponse>;

export const verifyResponse = lazy(() =>
  z.looseObject({
    isValid: z.boolean(),
    invalidReason: z.string().optional(),
    invalidMessage: z.string().optional(),
    payer: z.string().optional(),
  }),
);
export type VerifyResponse = Infer<typeof verifyResponse>;

export const facilitatorRequest = lazy(() =>
  z.looseObject({
    x402Version: z.literal(X402_VERSION),
    paymentPayload: paymentPayload(),
    paymentRequirements: paymentRequirement(),
  }),
);
export type FacilitatorRequest = Infer<typeof facilitatorRequest>;

export const supportedResponse = lazy(() =>
  z.looseObject({
    kinds: z.array(
      z.looseObject({
        x402Version: z.number(),
        scheme: z.string(),
        network: z.string(),
        extra: z.looseObject({ feePayer: z.string().optional() }).optional(),
      }),
    ),
    extensions: z.array(z.unknown()).optional(),
    signers: z.record(z.string(), z.array(z.string())).optional(),
  }),
);
export type SupportedResponse = Infer<typeof supportedResponse>;

/**
 * Encodes a header value. The interface asks for base64url, the reference clients for standard
 * base64; the two differ only where a sextet is 62 or 63 or the length is not a multiple of three.
 * ASCII yields such sextets only for `>`, `?`, `~` and DEL: those and all non-ASCII are written as
 * JSON escapes and the text is padded with spaces, so that one value is right in both alphabets.
 */
export function encodeHeader(value: unknown): string {
  const json = JSON.stringify(value).replace(
    /[>?~\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return btoa(json.padEnd(Math.ceil(json.length / 3) * 3, ' '));
}

/** Decodes a header value in either alphabet, padded or not; `undefined` when it is not JSON in base64. */
export function decodeHeader(header: string): unknown {
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(header)) return undefined;
  const standard = header.replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, '');
  try {
    const bytes = Uint8Array.from(atob(standard), (character) => character.charCodeAt(0));
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}
