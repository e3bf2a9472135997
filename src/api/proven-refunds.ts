/**
 * Refunds of an order, as its merchant says, and what this machine's own chain shows of them. A merchant's
 * word is no proof: a refund counts as received when the chain shows a final transfer of its amount.
 */
import type { ProvenRefund, WireRefund, WireRefunds } from '../contract/order-refunds.ts';
import type { WirePartnerOrder } from '../contract/partner-orders.ts';
import { USDC_DECIMALS } from '../contract/usdc.ts';
import { expected, unlessInterrupted } from '../domain/attempt.ts';
import { currentAttempt, type Entry } from '../domain/journal/journal.ts';
import { parseAtomic, parseDecimal } from '../domain/money/money.ts';
import type { PayerRail } from '../rails/rail.ts';
import type { Merchant, OrderSnapshot } from './merchant.ts';
import { type ScripDeps, walletIfThere } from './scrip.ts';

export type Refund = ProvenRefund;

/** An order is shown without its refunds rather than late. */
export const REFUNDS_MS = 5_000;

/** Undefined if the host does not know the path. */
export async function refundsIn(
  asked: Promise<WireRefunds>,
): Promise<readonly WireRefund[] | undefined> {
  const told = await asked.catch(
    expected((error) => {
      if (!UNKNOWN_PATH.has(Number(error.details.status))) throw error;
      return undefined;
    }),
  );
  return told?.refunds;
}

const UNKNOWN_PATH: ReadonlySet<number> = new Set([404, 405, 501]);

type Deps = Pick<ScripDeps, 'rail' | 'signer' | 'place'>;

/** Reads and proves an order's refunds; empty if there are none, or they could not be read. */
export async function provenRefunds(
  deps: Deps,
  merchant: Pick<Merchant, 'refunds'>,
  orderId: string,
): Promise<readonly Refund[]> {
  const proving = merchant.refunds(orderId).then((told) => proveAll(deps, told ?? []));
  return proving.catch(unlessInterrupted(() => []));
}

/** Compares refunds with the chain. */
export async function proveAll(
  deps: Deps,
  refunds: readonly WireRefund[],
): Promise<readonly Refund[]> {
  if (refunds.length === 0) return [];
  const own = (await walletIfThere(deps).catch(() => undefined))?.address;
  const used = new Set<string>();
  const proved: Refund[] = [];
  for (const refund of refunds) {
    const { recipient, transaction } = refund;
    // One transfer pays one refund.
    const isUsed = transaction !== null && used.has(transaction);
    if (transaction !== null) used.add(transaction);
    const proof = isUsed ? 'not_found' : await proofOf(deps, refund);
    const toOwn = recipient === null || own === undefined ? null : recipient === own;
    proved.push({ ...refund, proof, to_own_wallet: toOwn });
  }
  return proved;
}

async function proofOf(
  deps: Deps,
  { state, coin, amount, recipient, transaction }: WireRefund,
): Promise<Refund['proof']> {
  if (state !== 'sent') return null;
  if (transaction === null) return 'not_found';
  const rail = coin === 'USDC' && recipient !== null ? await railOf(deps, recipient) : undefined;
  if (rail === undefined || recipient === null) return 'unchecked';
  return rail
    .received(transaction, recipient)
    .then((seen): Refund['proof'] => {
      if (seen === undefined) return 'not_found';
      if (seen.amountAtomic === 0n) return 'other_recipient';
      if (seen.amountAtomic !== parseDecimal(amount, USDC_DECIMALS)) return 'other_amount';
      return seen.isFinal ? 'proved' : 'not_final';
    })
    .catch(unlessInterrupted(() => 'unchecked'));
}

/** The rail on which an address can be paid; undefined if none can be opened. */
async function railOf({ rail, place }: Deps, recipient: string): Promise<PayerRail | undefined> {
  for (const network of Object.keys(place.rpcs)) {
    const opened = await rail(network).catch(expected(() => undefined));
    if (opened?.recipientAccount(recipient) !== undefined) return opened;
  }
  return undefined;
}

/**
 * Journals what came back, once all refunds are proved and went to the wallet that paid: it was not spent.
 * Ignores disk errors, because the chain can be read again.
 */
export async function keepReturned(
  { journal }: Pick<ScripDeps, 'journal'>,
  entry: Entry,
  refunds: readonly Refund[],
): Promise<void> {
  const { intent } = entry;
  const attempt = currentAttempt(entry);
  const paid = refunds.filter(({ state }) => state !== 'refused');
  const isBack = ({ proof, recipient }: Refund) =>
    proof === 'proved' && recipient === attempt?.payer;
  if (attempt === undefined || paid.length === 0 || !paid.every(isBack)) return;
  const returned = paid.reduce((sum, { amount }) => sum + parseDecimal(amount, USDC_DECIMALS), 0n);
  // What is more than this payment belongs to another one, which is counted by itself.
  const most = parseAtomic(attempt.amountAtomic);
  const amountAtomic = String(returned < most ? returned : most);
  const transactions = paid.map(({ transaction }) => transaction ?? '').join(' ');
  const { number } = attempt;
  const event = { fact: 'returned', attempt: number, amountAtomic, transactions } as const;
  await journal({ address: intent.payer })
    .then((own) => own.addFact(intent, event))
    .catch(unlessInterrupted(() => undefined));
}

/** Whether an order that has ended may have refunds: it was paid, and not all of it was delivered as asked. */
export function mayHaveRefunds({ document, isOver }: OrderSnapshot): boolean {
  if (!isOver) return false;
  if (document.form === 'checkout') {
    const { status, deliveries = [] } = document.order;
    return (
      status !== 'completed' || deliveries.some(({ delivery_state: state }) => state === 'failed')
    );
  }
  const { order_state: state, received_amount: received } = document.order;
  if (received === null || received === undefined) return false;
  return state !== 'Done' || isPaidUnevenly(document.order);
}

/** Whether another amount than the price was received, as far as the order says. */
export function isPaidUnevenly({
  received_amount: received,
  coin_amount: price,
}: Pick<WirePartnerOrder, 'received_amount' | 'coin_amount'>): boolean {
  return received !== null && received !== undefined && received !== price;
}
