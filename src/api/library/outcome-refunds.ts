/** Adds refunds to what the library returns. */

import type { Merchant } from '../merchant.ts';
import { type Refund as ProvenRefund, provenRefunds } from '../proven-refunds.ts';
import type { ScripDeps } from '../scrip.ts';
import type { Outcome, Refund } from './public-results.ts';

type Deps = Pick<ScripDeps, 'rail' | 'signer'>;

/** Reads and proves an order's refunds; empty if there are none, or they could not be read. */
export async function refundsFor(
  deps: Deps,
  merchant: Pick<Merchant, 'refunds'>,
  orderId: string,
): Promise<readonly Refund[]> {
  return (await provenRefunds(deps, merchant, orderId)).map(asRefund);
}

/** What failed after a payment has its refunds. */
export async function withRefunds(
  deps: Deps,
  merchant: Pick<Merchant, 'refunds'>,
  outcome: Outcome,
): Promise<Outcome> {
  if (outcome.status !== 'failed' || outcome.orderId === null) return outcome;
  return { ...outcome, refunds: await refundsFor(deps, merchant, outcome.orderId) };
}

function asRefund({
  waits_for: waitsFor,
  to_own_wallet: toOwnWallet,
  ...refund
}: ProvenRefund): Refund {
  const { amount, coin, state, recipient, transaction, proof } = refund;
  return { amount, coin, state, waitsFor, recipient, transaction, proof, toOwnWallet };
}
