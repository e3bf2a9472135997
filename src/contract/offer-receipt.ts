/**
 * The x402 extension `offer-receipt`, in its JWS form: the host signs what it asks for and what it was paid
 * (x402 `specs/extensions/extension-offer-and-receipt.md`). Its key is in its DID document (`did:web`).
 */
import { z } from 'zod';
import { endpoint, type Infer, lazy } from './endpoint.ts';
import { object } from './object.ts';
import { decodeHeader, extensionIn, type PaymentRequired } from './x402.ts';

export const OFFER_RECEIPT = 'offer-receipt';

/** Ours: as much of a signed text as is kept. */
const MAX_JWS = 4_096;
const signedText = lazy(() =>
  z.looseObject({ format: z.literal('jws'), signature: z.string().max(MAX_JWS) }),
);
const offers = lazy(() =>
  z.looseObject({ info: z.looseObject({ offers: z.array(z.unknown()).max(32) }) }),
);
const receipt = lazy(() => z.looseObject({ info: z.looseObject({ receipt: signedText() }) }));

/** Payload of a signed offer (section 4.2). */
export const offerPayload = lazy(() =>
  z.looseObject({
    version: z.literal(1),
    resourceUrl: z.string(),
    scheme: z.string(),
    network: z.string(),
    asset: z.string(),
    payTo: z.string(),
    /** In atomic units. */
    amount: z.string(),
    /** Unix seconds. */
    validUntil: z.number().optional(),
  }),
);
export type OfferPayload = Infer<typeof offerPayload>;

/** Payload of a signed receipt (section 5.2). */
export const receiptPayload = lazy(() =>
  z.looseObject({
    version: z.literal(1),
    network: z.string(),
    resourceUrl: z.string(),
    payer: z.string(),
    /** Unix seconds. */
    issuedAt: z.number(),
    transaction: z.string().optional(),
  }),
);
export type ReceiptPayload = Infer<typeof receiptPayload>;

/** A public key of one of the algorithms that are checked (RFC 7517, RFC 8037). */
export const publicJwk = lazy(() =>
  z.looseObject({ kty: z.string(), crv: z.string(), x: z.string(), y: z.string().optional() }),
);
export type PublicJwk = Infer<typeof publicJwk>;

/** The host's DID document (W3C DID Core; did:web), of which only the keys are read. */
export const didDocument = lazy(() =>
  z.looseObject({
    id: z.string(),
    verificationMethod: z
      .array(z.looseObject({ id: z.string(), publicKeyJwk: publicJwk().optional() }))
      .max(32),
  }),
);
export type DidDocument = Infer<typeof didDocument>;

export const getDidDocument = endpoint({
  name: 'getDidDocument',
  method: 'GET',
  path: '/.well-known/did.json',
  summary: 'Key that signs offers and receipts (did:web)',
  input: object(() => ({})),
  output: didDocument,
});

/** The signed offers of a 402, as compact JWS; those of another form are left out. */
export function offersIn({ extensions }: PaymentRequired): readonly string[] {
  const read = offers().safeParse(extensionIn(extensions, OFFER_RECEIPT));
  return (read.data?.info.offers ?? []).flatMap(
    (one) => signedText().safeParse(one).data?.signature ?? [],
  );
}

/** The signed receipt of a settlement, as compact JWS. */
export function signedReceiptIn(extensions: unknown): string | undefined {
  return receipt().safeParse(extensionIn(extensions, OFFER_RECEIPT)).data?.info.receipt.signature;
}

/** Header and payload of a compact JWS (RFC 7515), unchecked. */
export function jwsParts(jws: string): { readonly header: unknown; readonly payload: unknown } {
  const [header = '', payload = ''] = jws.split('.');
  return { header: decodeHeader(header), payload: decodeHeader(payload) };
}

/** The DID of a host: `did:web` with its port, and its path if it has one. */
export function didOf(baseUrl: string): string {
  const { host, pathname } = new URL(baseUrl);
  const path = pathname.split('/').filter((part) => part !== '');
  return ['did:web', encodeURIComponent(host), ...path].join(':');
}
