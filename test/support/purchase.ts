/** A purchase from a checkout host in one call: put on disk, then paid, as the merchant behind the port does it. */
import { openPurchase, payFor } from '../../src/api/checkout/pay.ts';
import type { PurchaseDeps, PurchaseRequest } from '../../src/api/checkout/purchase-deps.ts';
import type { PurchaseOutcome } from '../../src/api/payment/outcome.ts';

export async function purchase(
  deps: PurchaseDeps,
  request: PurchaseRequest,
): Promise<PurchaseOutcome> {
  return payFor(deps, await openPurchase(deps, request), request.capAtomic);
}
