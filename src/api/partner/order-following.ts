/** Reads and follows orders of the partner API, and journals how they end. */

import { getOrderStatus, type WirePartnerOrder } from '../../contract/partner-orders.ts';
import { isEmbeddedUrl } from '../../domain/address/loopback.ts';
import {
  type Entry,
  eventOf,
  type Journal,
  NO_WALLET,
  sealingWallet,
} from '../../domain/journal/journal.ts';
import { ScripError } from '../../domain/message/errors.ts';
import {
  clientShouldStop,
  endedWithoutGoods,
  isTerminal,
} from '../../domain/order/order-states.ts';
import type { Signer } from '../../rails/rail.ts';
import { asProgress } from '../following.ts';
import type { FollowOptions, OrderDocument, OrderSnapshot } from '../merchant.ts';
import { partnerOrderError } from '../payment/outcome-error.ts';
import { type ScripDeps, walletIfThere } from '../scrip.ts';
import { callPartner } from './partner.ts';
import type { OrderJournal, SealedCodes } from './partner-journal.ts';
import { partnerHost, partnerHostName, payerOf, pollPace } from './place.ts';

/**
 * Reads an order's current state, and journals its end.
 * @throws {ScripError} ORDER_UNKNOWN and the codes of a call
 */
export async function readOrder(
  deps: ScripDeps,
  orderId: string,
  options: Parameters<typeof callPartner>[3] = {},
): Promise<WirePartnerOrder> {
  const asked = { order_id: orderId };
  const order = await callPartner(partnerHost(deps), getOrderStatus, asked, options);
  // Record the end for `scrip orders` too, even if the order was paid or canceled elsewhere.
  if (isTerminal({ orderState: order.order_state })) await keepEnd(deps, order);
  return order;
}

export function documentOf(order: WirePartnerOrder): OrderDocument {
  return { form: 'partner', order };
}

export function followToEnd(
  deps: ScripDeps,
  orderId: string,
  timeoutMs: number,
): Promise<OrderSnapshot> {
  return follow(deps, orderId, { mode: 'auto', timeoutMs, ...asProgress(deps, orderId) });
}

/** Follows the order to its end; journals the end. */
export async function follow(
  deps: ScripDeps,
  orderId: string,
  { mode, timeoutMs, leastPollMs = 0, seen, reconnecting, unanswered }: FollowOptions,
): Promise<OrderSnapshot> {
  const { followPartnerOrder, PARTNER_POLL_MS } = await import('./follow-stream.ts');
  const { order } = await followPartnerOrder({
    host: partnerHost(deps),
    orderId,
    // Polling inside this process costs nothing, and a stream would not be faster.
    mode: mode === 'auto' && isEmbeddedUrl(deps.place.apiUrl) ? 'poll' : mode,
    timeoutMs,
    pollMs: pollPace(deps) ?? Math.max(PARTNER_POLL_MS, leastPollMs),
    seen: (read) => seen?.(snapshotOf(read)),
    unanswered,
    reconnecting,
  });
  await keepEnd(deps, order);
  return snapshotOf(order);
}

export function snapshotOf(order: WirePartnerOrder): OrderSnapshot {
  const { order_state: orderState, payment_state: paymentState } = order;
  return {
    document: documentOf(order),
    status: orderState,
    paymentState,
    isOver: clientShouldStop({ orderState, paymentState }),
    error: partnerOrderError(order),
  };
}

/**
 * Stores the goods in the wallet's journal, and in the one for orders made without a wallet. Ignores errors:
 * following an order works without wallet and journal.
 */
export async function keepEnd(deps: ScripDeps, order: WirePartnerOrder): Promise<void> {
  try {
    const signer = await walletIfThere(deps);
    const { readOrderJournal, recordEnd } = await import('./partner-journal.ts');
    for (const address of new Set([payerOf(signer), NO_WALLET])) {
      const journal = await deps.journal({ address });
      const read = () => readOrderJournal(journal, partnerHostName(deps.place), order.order_id);
      const known = await read();
      const isDecided = endedWithoutGoods({ orderState: order.order_state })
        ? await askedOfChain(deps, journal, known)
        : false;
      const orderJournal = isDecided ? await read() : known;
      await recordEnd(journal, sealer(deps, signer, address), orderJournal, order);
    }
  } catch (error) {
    if (!(error instanceof ScripError)) throw error;
  }
}

/**
 * Journals what the chain has decided of a transfer that was left open when the merchant had seen it; an
 * order that ended without goods stays under way until then. Sends nothing.
 * @returns whether something was decided
 */
async function askedOfChain(
  { rail }: Pick<ScripDeps, 'rail'>,
  journal: Journal,
  orderJournal: OrderJournal,
): Promise<boolean> {
  const { liveTransfer } = await import('./partner-journal.ts');
  const live = liveTransfer(orderJournal);
  if (live === undefined) return false;
  const { askChain, recordOrThrow } = await import('../payment/settle.ts');
  const start = { ...live, isRecorded: true };
  const known = await askChain(
    { rail: await rail(live.entry.intent.network) },
    start,
    (state, event) => recordOrThrow({ journal }, state, event),
  );
  return known.entry !== live.entry;
}

/**
 * Returns a delivered order from the journal, which answers a known key even where the merchant has lost the
 * order; undefined if its goods are not here, or encrypted for another wallet.
 * @throws {ScripError} JOURNAL_UNUSABLE, and what opening the vault throws
 */
export async function keptOrder(
  deps: ScripDeps,
  entry: Entry,
): Promise<WirePartnerOrder | undefined> {
  const sealed = eventOf(entry, 'goods')?.sealed;
  if (sealed === undefined || sealed === '') return undefined;
  const signer = await walletIfThere(deps);
  if (signer === undefined || signer.address !== sealingWallet(entry)) return undefined;
  const { readPartnerOrder } = await import('./partner-journal.ts');
  return readPartnerOrder((await deps.vault(signer)).open(sealed));
}

/**
 * Encrypts goods. Opens the vault only when needed, because that may ask for a passphrase.
 * @param address wallet of the journal
 */
function sealer(
  deps: ScripDeps,
  signer: Signer | undefined,
  address: string,
): (plain: string) => Promise<SealedCodes> {
  return async (plain) => {
    if (signer === undefined) return { sealed: '' };
    const sealed = (await deps.vault(signer)).seal(plain);
    return signer.address === address ? { sealed } : { sealed, wallet: signer.address };
  };
}
