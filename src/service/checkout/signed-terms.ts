/** Signs offers and receipts with a key of the shop's own (x402 extension `offer-receipt`; EdDSA, RFC 8037). */

import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import type { Hono } from 'hono';
import { postOrder } from '../../contract/checkout.ts';
import {
  type DidDocument,
  didOf,
  getDidDocument,
  OFFER_RECEIPT,
  type OfferPayload,
  type ReceiptPayload,
} from '../../contract/offer-receipt.ts';
import type { PaymentRequirement } from '../../contract/x402.ts';
import type { SettlementRow } from '../../store/tables/settlements.ts';
import { hmac } from '../digest.ts';
import { jsonReply } from '../http/replies.ts';

export type SignedTerms = ReturnType<typeof createSignedTerms>;

/** Kept short: proxies limit the headers of an answer, and a 402 has its offers in one. */
const OFFERS_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: { offers: { type: 'array' } },
  required: ['offers'],
};
const RECEIPT_SCHEMA = { type: 'object', required: ['receipt'] };

/** @param secret 32 bytes, the same on every server of the shop; the key is derived from them */
export function createSignedTerms(secret: Uint8Array, baseUrl: string) {
  const seed = hmac(secret, 'key of offers and receipts');
  const d = seed.toString('base64url');
  // node:crypto computes the public key from `d` and ignores `x`.
  const key = createPrivateKey({
    key: { kty: 'OKP', crv: 'Ed25519', d, x: '' },
    format: 'jwk',
  });
  const { x = '' } = createPublicKey(key).export({ format: 'jwk' });
  const did = didOf(baseUrl);
  const kid = `${did}#terms`;
  const header = base64url({ alg: 'EdDSA', kid });
  const resourceUrl = baseUrl + postOrder.path;
  const signed = (payload: OfferPayload | ReceiptPayload) => {
    const text = `${header}.${base64url(payload)}`;
    const signature = `${text}.${sign(null, Buffer.from(text), key).toString('base64url')}`;
    return { format: 'jws', signature };
  };
  const document: DidDocument = {
    '@context': ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/suites/jws-2020/v1'],
    id: did,
    verificationMethod: [
      {
        id: kid,
        type: 'JsonWebKey2020',
        controller: did,
        publicKeyJwk: { kty: 'OKP', crv: 'Ed25519', x },
      },
    ],
    assertionMethod: [kid],
  };
  return {
    document,
    /** The extension of a 402: an offer for each requirement. */
    offers: (requirements: readonly PaymentRequirement[], expiresAtMs: number) => ({
      [OFFER_RECEIPT]: {
        info: {
          offers: requirements.map(
            ({ scheme, network, asset, payTo, amount = '' }, acceptIndex) => {
              const validUntil = Math.floor(expiresAtMs / 1000);
              const terms = { resourceUrl, scheme, network, asset, payTo, amount, validUntil };
              return { ...signed({ version: 1, ...terms }), acceptIndex };
            },
          ),
        },
        schema: OFFERS_SCHEMA,
      },
    }),
    /** The extension of a settlement that has landed; the same for every repeated request. */
    receipt: ({ network, payer, transaction, settledAtMs, createdAtMs }: SettlementRow) => ({
      [OFFER_RECEIPT]: {
        info: {
          receipt: signed({
            version: 1,
            network,
            resourceUrl,
            payer,
            issuedAt: Math.floor((settledAtMs ?? createdAtMs) / 1000),
            ...(transaction === null ? {} : { transaction }),
          }),
        },
        schema: RECEIPT_SCHEMA,
      },
    }),
  };
}

/** A shop that is reached under a path has its document there (did:web, section 3.2). */
export function signedTermsRoutes(app: Hono, { document }: SignedTerms): void {
  for (const path of [getDidDocument.path, '/did.json']) app.get(path, () => jsonReply(document));
}

function base64url(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
