/** The x402 v2 envelope: interface, X402PaymentRequired and PaymentRequirement; x402 v2, `scheme_exact_svm`. */
import { z } from 'zod';
import { type Infer, lazy } from './endpoint.ts';

export const X402_VERSION = 2;
export { SOLANA_MAINNET, USDC_DECIMALS, USDC_MINT } from './usdc.ts';

export const PAYMENT_REQUIRED_HEADER = 'PAYMENT-REQUIRED';
export const PAYMENT_SIGNATURE_HEADER = 'PAYMENT-SIGNATURE';
export const PAYMENT_RESPONSE_HEADER = 'PAYMENT-RESPONSE';
export const SESSION_HEADER = 'X-Session-Id';
/** The headers of version 1, whose requirements are in the body (x402 v1, `transports-v1/http.md`). */
export const V1_PAYMENT_HEADER = 'X-PAYMENT';
export const V1_RESPONSE_HEADER = 'X-PAYMENT-RESPONSE';

const address = lazy(() => z.string().regex(/^[0-9A-Za-z]{32,64}$/, 'an address'));
const atomicAmount = lazy(() =>
  z.string().regex(/^[1-9][0-9]{0,19}$/, 'a positive whole number of atomic units'),
);

/** A field that no payment depends on: kept if it has the usual form, never a reason to refuse. */
const unneeded = <T>(schema: z.ZodType<T>) => schema.optional().catch(undefined);

/**
 * A payment requirement. The interface names the amount `maxAmountRequired`, the public standard
 * `amount`: at least one is present, and if both are, they are equal (checked in
 * domain/payment/payment.ts). Keep unknown fields: reference servers compare the whole echoed requirement.
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
        /** If it is text, it becomes part of the signed message; domain/payment/payment.ts checks its form. */
        memo: unneeded(z.string()),
        /** Ours: the value of `X-Session-Id`, for clients that echo the requirement but not the header. */
        sessionId: unneeded(z.string()),
      })
      .nullish(),
    description: unneeded(z.string()),
    outputSchema: z.unknown().optional(),
  }),
);
export type PaymentRequirement = Infer<typeof paymentRequirement>;

const requiredFields = lazy(() => ({
  accepts: z
    .array(z.looseObject({ scheme: z.string(), network: z.string() }))
    .min(1)
    .max(32),
  /** An object in the standard; some real hosts send a string. */
  resource: z.unknown().optional(),
  error: z.unknown().optional(),
  /** Unix seconds; not in the standard, but some hosts send it. `challengeExpiry` reads it. */
  expiresAt: z.unknown().optional(),
  extensions: z.unknown().optional(),
}));

/** The decoded `PAYMENT-REQUIRED` header. It may also list other schemes and networks. */
export const paymentRequired = lazy(() =>
  z.looseObject({ x402Version: z.literal(X402_VERSION), ...requiredFields() }),
);

/** The body of a 402 in version 1; its networks have names of their own. */
export const v1PaymentRequired = lazy(() =>
  z.looseObject({ x402Version: z.literal(1), ...requiredFields() }),
);
/** Of either version; the networks are CAIP-2 ids in both. */
export type PaymentRequired = Infer<typeof paymentRequired> | Infer<typeof v1PaymentRequired>;

/**
 * The decoded `PAYMENT-SIGNATURE` header, in both dialects: `accepted` (standard), or flat scheme
 * and network.
 */
export const paymentPayload = lazy(() =>
  z.looseObject({
    x402Version: z.literal(X402_VERSION),
    scheme: z.string().optional(),
    network: z.string().optional(),
    accepted: z.looseObject({ scheme: z.string(), network: z.string() }).optional(),
    /** Of the rail's own form; on Solana, standard base64 of the transaction, signed only by the payer. */
    payload: z.looseObject({ transaction: z.string().min(1).max(4096).optional() }),
    resource: z.unknown().optional(),
    extensions: z.unknown().optional(),
  }),
);
export type PaymentPayload = Infer<typeof paymentPayload>;

/** A public extension: the buyer gives a payment an id, so that a repeated request is recognized. */
export const PAYMENT_IDENTIFIER = 'payment-identifier';

/** The extension's entry in a 402 (x402 `specs/extensions/payment_identifier.md`). */
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

/** The extension as a 402 offers it, or as the client returns it, with an id or without. */
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

/** Returns an extension's entry in an envelope; undefined if it has none. */
export function extensionIn(extensions: unknown, name: string): unknown {
  if (typeof extensions !== 'object' || extensions === null) return undefined;
  return Object.hasOwn(extensions, name)
    ? (extensions as Readonly<Record<string, unknown>>)[name]
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
 * base64; they differ only where a sextet is 62 or 63, or the length is not a multiple of three. In
 * ASCII only `>`, `?`, `~` and DEL produce such sextets: these and all non-ASCII become JSON
 * escapes, and spaces pad the text, so one value is valid in both.
 */
export function encodeHeader(value: unknown): string {
  const json = JSON.stringify(value).replace(
    /[>?~\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return btoa(json.padEnd(Math.ceil(json.length / 3) * 3, ' '));
}

/** Decodes a header value in either alphabet, padded or not; `undefined` if it is not JSON in base64. */
export function decodeHeader(header: string): unknown {
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(header)) return undefined;
  const standard = header.replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, '');
  try {
    const text = atob(standard);
    // Most headers are ASCII, where bytes and characters are the same.
    if (!/[\x80-\xff]/.test(text)) return JSON.parse(text);
    const bytes = new Uint8Array(text.length);
    for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at);
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}
