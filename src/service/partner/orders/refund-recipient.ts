/**
 * The buyer names where refunds of an order go, proven by the key of its creation: once, and before any
 * of them has a recipient. The limits and the operator's approval hold as for every refund.
 */
import type { PartnerOrderRow } from '../../../store/tables/partner-orders.ts';
import { type Refusal, refuse } from '../../http/replies.ts';
import type { PartnerOrderDeps } from '../order-deps.ts';
import { isKeyOf } from './order-key.ts';
import { refundAddressProblem } from './refund-address.ts';

type Deps = Pick<PartnerOrderDeps, 'store' | 'clock' | 'market' | 'refundRails'>;

interface Named {
  readonly key: string;
  readonly address: string;
}

/** Undefined once all refunds of the order go to the address, also those that come later. */
export async function nameRecipient(
  deps: Deps,
  order: PartnerOrderRow,
  { key, address }: Named,
): Promise<Refusal | undefined> {
  if (!isKeyOf(order, key)) {
    return refuse('order_key_wrong', 'This is not the key with which the order was made.');
  }
  const problem = await addressProblem(deps, order, address);
  if (problem !== undefined) return refuse('invalid_request', `address: ${problem}`);
  const { orderId } = order;
  return deps.store.write(async (tables) => {
    const { partnerOrders, refunds, payouts, holds } = tables;
    await holds.take(`order ${orderId}`);
    const row = await partnerOrders.byId(orderId);
    if (row === undefined) return refuse('order_not_found', 'No order has this id.');
    const known = await refunds.ofOrder(orderId);
    const recipients = [row.refundAddress, ...known.map(({ recipient }) => recipient)];
    if (recipients.some((recipient) => recipient !== null && recipient !== address)) {
      return refuse('refund_address_known', 'The order already has another address for refunds.');
    }
    if (row.refundAddress === null) {
      const named = { ...row, refundAddress: address };
      if (!(await partnerOrders.update(row, named))) return changedMeanwhile();
    }
    await refunds.address(orderId, address);
    await payouts.wake(orderId, deps.clock.now());
    return undefined;
  });
}

function changedMeanwhile(): Refusal {
  return refuse('internal_error', 'The order changed meanwhile; send the request again.');
}

async function addressProblem(
  { market, refundRails = [] }: Deps,
  { coin, network: name, walletAddress }: PartnerOrderRow,
  address: string,
): Promise<string | undefined> {
  // A refund to the order's own address would be a late payment, which is refunded.
  if (address === walletAddress) return 'the address of the order’s payment is not yours';
  const problem = refundAddressProblem(market, { coin, network: name }, address);
  if (problem !== undefined) return problem;
  const known = market.coin(coin);
  const network = known && market.network(known, name ?? '');
  const rail = refundRails.find((one) => one.network === network?.caip2);
  if (rail === undefined) return undefined;
  if (!rail.isKeyAddress(address))
    return 'a program owns this address; name the address of a wallet';
  if (coin !== 'USDC' || (await rail.canReceive(address))) return undefined;
  return 'this address has no USDC account yet; name a wallet that has received USDC before';
}
