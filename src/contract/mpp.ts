/** The Machine Payments Protocol (draft-httpauth-payment-00): a 402 by `WWW-Authenticate: Payment`. */

import { z } from 'zod';
import { lazy } from './endpoint.ts';

export const MPP_SCHEME = 'Payment';
export const MPP_CHALLENGE_HEADER = 'WWW-Authenticate';
export const MPP_CREDENTIAL_HEADER = 'Authorization';
export const MPP_RECEIPT_HEADER = 'Payment-Receipt';

const word = () => z.string().regex(/^[a-z][a-z0-9:_-]{0,40}$/);

/** A challenge's parameters, as received; `request` is JSON in base64url. */
export const mppChallenge = lazy(() =>
  z
    .object({ id: z.string(), realm: z.string(), method: word(), intent: word() })
    .catchall(z.string()),
);

/**
 * The request of a one-time payment on Solana (draft-solana-charge-00) that is plain: one transfer of a token,
 * in a transaction that the host sends and pays the fee of.
 */
export const solanaCharge = lazy(() =>
  z.object({
    amount: z.string(),
    currency: z.string(),
    recipient: z.string(),
    externalId: z.string().optional(),
    methodDetails: z.object({
      network: z.enum(['mainnet', 'mainnet-beta']).optional(),
      decimals: z.literal(6).optional(),
      tokenProgram: z.literal('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA').optional(),
      feePayer: z.literal(true),
      feePayerKey: z.string(),
      splits: z.array(z.never()).optional(),
      confidential: z.literal(false).optional(),
    }),
  }),
);

/** The decoded `Payment-Receipt`. */
export const mppReceipt = lazy(() =>
  z.object({ status: z.literal('success'), reference: z.string() }),
);

/** The decoded `Authorization: Payment`. */
export const mppCredential = lazy(() =>
  z.object({ payload: z.object({ type: z.literal('transaction'), transaction: z.string() }) }),
);
