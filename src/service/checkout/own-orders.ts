/** The orders that a wallet paid, for whoever signs in with it (x402 extension `sign-in-with-x`). */

import type { Hono } from 'hono';
import {
  getOwnOrders,
  SIGN_IN,
  SIGN_IN_HEADER,
  type SignInOffer,
  signInProof,
  signInText,
} from '../../contract/sign-in.ts';
import {
  decodeHeader,
  encodeHeader,
  PAYMENT_REQUIRED_HEADER,
  X402_VERSION,
} from '../../contract/x402.ts';
import { createRecent } from '../../domain/recent.ts';
import type { SettlementRow } from '../../store/tables/settlements.ts';
import { hmac, isSameSecret } from '../digest.ts';
import { jsonReply, PRIVATE_HEADERS } from '../http/replies.ts';
import { serve } from '../http/route.ts';
import { type Checkout, railOn } from './challenge.ts';
import { decodeLine } from './line.ts';

/** The extension's default. */
const VALID_MS = 5 * 60_000;
const MOST_ORDERS = 100;
const TIME_DIGITS = 12;
const RANDOM_BYTES = 4;
const NONCE_DIGITS = 32;
/** Kept short, as headers are limited. */
const SCHEMA = { type: 'object', required: ['address', 'signature'] };

export function ownOrdersRoutes(app: Hono, checkout: Checkout, secret: Uint8Array): void {
  const signIn = createSignIn(checkout, secret);
  serve(app, getOwnOrders, checkout.limits, async (_input, { headers }) => {
    const header = headers.get(SIGN_IN_HEADER);
    if (header === null) return signIn.challenge('sign_in_required', 'Sign in with the wallet.');
    const payer = await signIn.payerOf(header);
    if (payer === undefined) {
      const why = 'The sign-in is not valid, too old, or was used before.';
      return signIn.challenge('sign_in_invalid', why);
    }
    const { settlements } = checkout.store.tables;
    const paid = await settlements.ofPayer(payer, MOST_ORDERS);
    const orders = await Promise.all(paid.map((row) => describeOrder(checkout, row)));
    return jsonReply({ orders }, 200, PRIVATE_HEADERS);
  });
}

async function describeOrder({ store }: Checkout, row: SettlementRow) {
  const { orderId: order_id, sessionId, network, transaction } = row;
  const { orders, deliveries, sessions } = store.tables;
  const [order, lines, session] = await Promise.all([
    orders.byId(order_id),
    deliveries.ofOrder(order_id),
    sessions.byId(sessionId),
  ]);
  return {
    order_id,
    status: order?.status ?? 'failed',
    created_at: new Date(row.createdAtMs).toISOString(),
    ...{ network, transaction },
    ...(session && { amount_atomic: session.amountAtomic }),
    products: lines.map(({ goods }) => decodeLine(goods).product.name),
  };
}

function createSignIn({ baseUrl, rails, clock, random }: Checkout, secret: Uint8Array) {
  const { host: domain, origin } = new URL(baseUrl);
  const key = hmac(secret, 'nonces of sign-ins');
  /** Of this server: within its five minutes a nonce may be used once on each. */
  const used = createRecent<true>();
  const uri = baseUrl + getOwnOrders.path;
  /** Time and randomness, and a proof that this shop gave it out; so none has to be stored. */
  const sealed = (start: string) =>
    (start + hmac(key, start).toString('hex')).slice(0, NONCE_DIGITS);
  const isFresh = (nonce: string, issuedAt: string) => {
    const start = nonce.slice(0, TIME_DIGITS + 2 * RANDOM_BYTES);
    const issuedMs = Number.parseInt(nonce.slice(0, TIME_DIGITS), 16);
    const ageMs = clock.now() - issuedMs;
    const isOurs = isSameSecret(nonce, sealed(start)) && Date.parse(issuedAt) === issuedMs;
    return isOurs && ageMs >= 0 && ageMs < VALID_MS && used.get(nonce) === undefined;
  };
  return {
    challenge(error: 'sign_in_required' | 'sign_in_invalid', message: string): Response {
      const now = clock.now();
      const nonce = sealed(
        now.toString(16).padStart(TIME_DIGITS, '0') +
          Buffer.from(random(RANDOM_BYTES)).toString('hex'),
      );
      const offer: SignInOffer & { readonly schema: object } = {
        info: {
          ...{ domain, uri, version: '1', nonce },
          statement: 'Show the orders that this wallet paid.',
          issuedAt: new Date(now).toISOString(),
          expirationTime: new Date(now + VALID_MS).toISOString(),
        },
        supportedChains: rails.map(({ network, signIn: { type } }) => ({ chainId: network, type })),
        schema: SCHEMA,
      };
      const resource = {
        url: uri,
        description: getOwnOrders.summary,
        mimeType: 'application/json',
      };
      const envelope = {
        ...{ x402Version: X402_VERSION, error, message, resource },
        accepts: [],
        extensions: { [SIGN_IN]: offer },
      };
      return jsonReply(envelope, 402, {
        ...PRIVATE_HEADERS,
        [PAYMENT_REQUIRED_HEADER]: encodeHeader(envelope),
      });
    },
    /** The wallet that signed, as its payments name it; undefined for any other header. */
    async payerOf(header: string): Promise<string | undefined> {
      const read = signInProof().safeParse(decodeHeader(header));
      if (!read.success) return undefined;
      const proof = read.data;
      const rail = railOn({ rails }, proof.chainId);
      const isHere = proof.domain === domain && originOf(proof.uri) === origin;
      const endsMs =
        proof.expirationTime === undefined ? undefined : Date.parse(proof.expirationTime);
      if (rail?.signIn.type !== proof.type || !isHere || !isFresh(proof.nonce, proof.issuedAt)) {
        return undefined;
      }
      if (endsMs !== undefined && !(endsMs > clock.now())) return undefined;
      const { signIn } = rail;
      const payer = await signIn.signedBy(
        proof.address,
        signInText(proof, signIn.account),
        proof.signature,
      );
      if (payer !== undefined) used.set(proof.nonce, true);
      return payer;
    },
  };
}

function originOf(uri: string): string | undefined {
  return URL.canParse(uri) ? new URL(uri).origin : undefined;
}
