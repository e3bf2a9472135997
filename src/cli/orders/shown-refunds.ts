/** Shows what is owed back for an order, and whether the chain proves that it came. */

import type { Merchant, OrderSnapshot } from '../../api/merchant.ts';
import { sellerOf } from '../../api/merchants.ts';
import {
  keepReturned,
  mayHaveRefunds,
  provenRefunds,
  type Refund,
} from '../../api/proven-refunds.ts';
import { commandText } from '../../domain/command-text.ts';
import type { ScripError } from '../../domain/errors.ts';
import { type Entry, merchantOrderId } from '../../domain/journal.ts';
import { type Message, t } from '../../domain/message.ts';
import { padCents } from '../../domain/shown-amount.ts';
import type { With } from '../context.ts';
import type { Line, RecordView } from '../output/view.ts';
import { type ScripContext, scripDeps } from '../scrip-deps.ts';
import { hintedAnew, recordedEntry, settingsAt } from './recorded-place.ts';

/** Refunds of an order that was just read; journals those that came back. */
export async function refundsOf(
  context: ScripContext & With<'keys'>,
  merchant: Merchant,
  { snapshot, merchantId }: { readonly snapshot: OrderSnapshot; readonly merchantId: string },
): Promise<readonly Refund[]> {
  if (!mayHaveRefunds(snapshot)) return [];
  const deps = scripDeps(context);
  const refunds = await provenRefunds(deps, merchant, merchantId);
  const entry = refunds.length === 0 ? undefined : await recordedEntry(context, merchantId);
  if (entry !== undefined) await keepReturned(deps, entry, refunds);
  return refunds;
}

/** Asks the merchant of a journaled purchase; empty if it is elsewhere or does not answer. */
export async function refundsAtMerchant(
  context: ScripContext,
  entry: Entry,
): Promise<readonly Refund[]> {
  const settings = settingsAt(context.settings, entry.intent.host);
  const orderId = merchantOrderId(entry) ?? entry.intent.partner?.topUpOf;
  if (settings === undefined || orderId === undefined) return [];
  const deps = scripDeps({ ...context, settings });
  const merchant = await sellerOf(deps, entry.intent);
  if (merchant === undefined) return [];
  const refunds = await provenRefunds(deps, merchant, orderId);
  await keepReturned(deps, entry, refunds);
  return refunds;
}

/** Adds refunds to the view of their order. */
export function withRefunds(
  view: RecordView,
  refunds: readonly Refund[],
  orderId: string,
): RecordView {
  if (refunds.length === 0) return view;
  const lines = refundLines(refunds, orderId);
  const ids = refunds.flatMap(({ transaction }) => transaction ?? []);
  return {
    ...view,
    record: { ...Object(view.record), refunds },
    lines: [...view.lines, ...lines],
    ...(view.screen === undefined ? {} : { screen: [...view.screen, lines] }),
    longIds: [...(view.longIds ?? []), ...ids],
    ...nextStep(view, refunds, orderId),
  };
}

/** Errors of an order that ended without all of its goods, whose hints know nothing of its refunds. */
const ENDS: readonly string[] = [
  'ORDER_FAILED',
  'ORDER_EXPIRED',
  'ORDER_CANCELED',
  'ORDER_REFUNDED',
];

/** The error of an order that ended, with what became of its money. */
export function withRefundHint(
  error: ScripError,
  refunds: readonly Refund[],
  orderId: string,
): ScripError {
  return refunds.length > 0 && ENDS.includes(error.code)
    ? hintedAnew(error, refundHint(refunds, orderId))
    : error;
}

function nextStep(
  { error, note }: RecordView,
  refunds: readonly Refund[],
  orderId: string,
): Pick<RecordView, 'error' | 'note'> {
  return error === undefined
    ? { note: note ?? refundHint(refunds, orderId) }
    : { error: withRefundHint(error, refunds, orderId) };
}

/** What to do next: the refund that is furthest from the buyer decides. */
function refundHint(refunds: readonly Refund[], orderId: string): Message {
  const isAny = (isMeant: (refund: Refund) => boolean) => refunds.some(isMeant);
  const check = commandText`To check: scrip orders show ${orderId}`;
  if (isAny(({ waits_for: need }) => need === 'address')) {
    return commandText`Name the address for the refund: scrip orders refund ${orderId}`;
  }
  if (isAny(({ state }) => state === 'refused')) {
    return t`Contact the merchant with the order id.`;
  }
  if (isAny(({ state }) => state !== 'sent')) {
    return t`The refund has not arrived yet. ${check}`;
  }
  if (isAny(({ proof }) => proof !== null && UNPAID.has(proof))) {
    return t`The merchant says that it sent the refund, and the chain does not show it. Contact the merchant with the order id.`;
  }
  if (isAny(({ proof }) => proof !== 'proved')) {
    return t`The merchant says that it sent the refund. ${check}`;
  }
  return isAny(({ to_own_wallet: isOwn }) => isOwn !== true)
    ? t`The refund has arrived at its address.`
    : t`The refund is back in your wallet.`;
}

/** What no waiting changes. */
const UNPAID: ReadonlySet<Refund['proof']> = new Set([
  'not_found',
  'other_recipient',
  'other_amount',
]);

export function refundLines(refunds: readonly Refund[], orderId: string): readonly Line[] {
  return refunds.flatMap((refund): readonly Line[] => [
    [t`Refund`, standingOf(refund, orderId)],
    ...(refund.recipient === null ? [] : [[t`Refunded to`, recipientOf(refund)] as const]),
    ...(refund.transaction === null ? [] : [[t`Refund transaction`, refund.transaction] as const]),
  ]);
}

function recipientOf({ recipient, to_own_wallet: isOwn }: Refund): string | Message {
  if (recipient === null || isOwn !== true) return recipient ?? '';
  return t`${recipient} (this wallet)`;
}

function standingOf(refund: Refund, orderId: string): Message {
  const { state, proof, waits_for: need } = refund;
  const amount = `${padCents(refund.amount)} ${refund.coin}`;
  if (state === 'refused') return t`${amount}, refused by the shop`;
  if (state === 'sending') return t`${amount}, on its way`;
  if (state === 'sent') return t`${amount}, sent; ${PROOFS[proof ?? 'unchecked']}`;
  if (need === 'address') {
    return commandText`${amount}, waits for your address. Run: scrip orders refund ${orderId}`;
  }
  if (need === 'account') return t`${amount}, waits until the recipient has a USDC account`;
  return t`${amount}, the shop has not sent it yet`;
}

const PROOFS: Readonly<Record<NonNullable<Refund['proof']>, Message>> = {
  proved: t`proved on the chain`,
  not_found: t`the chain shows no such transfer`,
  not_final: t`on the chain, not final yet`,
  other_recipient: t`the transaction pays another address`,
  other_amount: t`the transaction pays another amount`,
  unchecked: t`not checked on the chain`,
};
