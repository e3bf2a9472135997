/** Follows an order of the partner API to its end and shows it. */

import type { FollowMode } from '../../api/partner/follow-stream.ts';
import type { SealedCodes } from '../../api/partner/partner-journal.ts';
import type { PayDeps } from '../../api/partner/pay-terms.ts';
import { partnerOrderError } from '../../api/payment/outcome-error.ts';
import type { WirePartnerOrder } from '../../contract/partner-orders.ts';
import { ScripError } from '../../domain/errors.ts';
import { type Entry, factOf, type Intent, NO_WALLET } from '../../domain/journal.ts';
import { t } from '../../domain/message.ts';
import type { Signer } from '../../rails/rail.ts';
import type { Context } from '../context.ts';
import { walletIfThere } from '../keys/wallet-if-there.ts';
import { recordLine } from '../output/fields.ts';
import type { RecordView } from '../output/view.ts';
import { isEmbeddedUrl } from '../settings/settings.ts';
import { partnerHost } from './api.ts';
import { partnerHostName, payerOf, payingDeps, pollPace } from './purchasing.ts';
import { partnerOrderView } from './view.ts';

export interface Following {
  readonly orderId: string;
  readonly mode: FollowMode;
  readonly timeoutMs: number;
  /** Writes a line of JSON whenever the order has changed. */
  readonly isWritten: boolean;
}

export interface FollowedOrder {
  readonly order: WirePartnerOrder;
  readonly view: RecordView;
}

/** @throws {ScripError} ORDER_UNKNOWN, STREAM_ENDED and the codes of a call */
export async function followedView(context: Context, following: Following): Promise<RecordView> {
  return (await followed(context, following)).view;
}

/** An order that is not followed. */
export async function asItStands(order: WirePartnerOrder): Promise<FollowedOrder> {
  return { order, view: await partnerOrderView(order) };
}

/** @throws {ScripError} ORDER_UNKNOWN, STREAM_ENDED and the codes of a call */
export async function followed(context: Context, following: Following): Promise<FollowedOrder> {
  const { followPartnerOrder } = await import('../../api/partner/follow-stream.ts');
  const { orderId, timeoutMs, isWritten } = following;
  const {
    io: { progress },
  } = context;
  const write = isWritten ? writeChanges(context) : () => undefined;
  const { order } = await followPartnerOrder({
    host: partnerHost(context),
    orderId,
    mode: modeFor(context, following),
    timeoutMs,
    ...pollPace(context),
    seen: (read) => {
      write(read);
      progress.step(t`Order ${orderId} is ${read.order_state} (payment: ${read.payment_state})`);
    },
    reconnecting: (reason, waitMs) =>
      progress.step(t`The stream ended (${reason}); reading again in ${waitMs / 1_000} s`),
  });
  progress.done();
  await keepEnd(context, order);
  const view = await partnerOrderView(order, partnerOrderError(order));
  return { order, view: isWritten ? { ...view, isWritten } : view };
}

/** Inside this process asking costs nothing, and a stream would tell nothing sooner. */
export function modeFor({ settings }: Context, { mode }: Pick<Following, 'mode'>): FollowMode {
  return mode === 'auto' && isEmbeddedUrl(settings.apiUrl) ? 'poll' : mode;
}

function writeChanges({ io: { stdout }, settings }: Context): (order: WirePartnerOrder) => void {
  const state = { last: '' };
  return (order) => {
    const line = recordLine(order, settings.output);
    if (line !== state.last) stdout.write(line);
    state.last = line;
  };
}

/**
 * Keeps the goods in the journal: the wallet's, or that of orders that were made without one.
 * Following an order needs neither wallet nor journal.
 */
export async function keepEnd(context: Context, order: WirePartnerOrder): Promise<void> {
  try {
    const signer = await walletIfThere(context);
    const { readBooks, recordEnd } = await import('../../api/partner/partner-journal.ts');
    for (const address of new Set([payerOf(signer), NO_WALLET])) {
      const journal = await context.parts.journal({ address });
      const books = await readBooks(journal, partnerHostName(context.settings), order.order_id);
      await recordEnd(journal, sealer(context, signer, address), { books, order });
    }
  } catch (error) {
    if (!(error instanceof ScripError)) throw error;
  }
}

/** A passphrase is asked for when there is something to seal. @param address whose journal it is */
function sealer(
  context: Context,
  signer: Signer | undefined,
  address: string,
): (plain: string) => Promise<SealedCodes> {
  return async (plain) => {
    if (signer === undefined) return { sealed: '' };
    const sealed = (await context.parts.vault(signer)).seal(plain);
    return signer.address === address ? { sealed } : { sealed, wallet: signer.address };
  };
}

/**
 * Finds out what became of the transfers of an order and keeps its goods; signs nothing.
 * @throws {ScripError} JOURNAL_UNUSABLE, WALLET_MISSING, INTERRUPTED and the codes of a call
 */
export async function finishPartnerOrder(
  context: Context,
  intent: Intent,
  waitMs: number,
): Promise<{ readonly entry: Entry; readonly deliveries: WirePartnerOrder['deliveries'] }> {
  const deps = intent.payer === NO_WALLET ? undefined : await payingDeps(context, waitMs);
  const journal = deps?.journal ?? (await context.parts.journal({ address: intent.payer }));
  const opened = await journal.open(intent);
  const orderId = intent.partner?.topUpOf ?? factOf(opened, 'created')?.orderId;
  if (orderId === undefined) return { entry: opened, deliveries: [] };
  if (deps !== undefined) await settleLive(deps, orderId);
  const { followPartnerOrder } = await import('../../api/partner/follow-stream.ts');
  const followed = await followPartnerOrder({
    host: partnerHost(context),
    orderId,
    mode: 'poll',
    timeoutMs: waitMs,
    ...pollPace(context),
  });
  await keepEnd(context, followed.order);
  const entry = (await journal.byKey(intent.key)) ?? opened;
  return { entry, deliveries: followed.order.deliveries };
}

async function settleLive(deps: PayDeps, orderId: string): Promise<void> {
  const { liveTransfer, readBooks } = await import('../../api/partner/partner-journal.ts');
  const { settleTransfer } = await import('../../api/payment/transfer-transport.ts');
  const live = liveTransfer(await readBooks(deps.journal, deps.hostName, orderId));
  if (live !== undefined) await settleTransfer(deps, live);
}
