/** Shows what is owed back for an order, and whether the chain proves that it came. */

import type { Merchant, OrderSnapshot } from '../../api/merchant.ts';
import { isPlayMoney, readPolicyFile } from '../../api/payment/spending.ts';
import {
  keepReturned,
  mayHaveRefunds,
  proveAll,
  provenRefunds,
  type Refund,
} from '../../api/proven-refunds.ts';
import type { ScripDeps } from '../../api/scrip.ts';
import { unlessInterrupted } from '../../domain/attempt.ts';
import {
  type Entry,
  type Intent,
  merchantOrderId,
  orderName,
} from '../../domain/journal/journal.ts';
import { commandText } from '../../domain/message/command-text.ts';
import { remade, ScripError } from '../../domain/message/errors.ts';
import { type Message, t } from '../../domain/message/message.ts';
import { caip2Of } from '../../domain/money/coins.ts';
import { padCents } from '../../domain/money/shown-amount.ts';
import { policyOf } from '../../domain/policy/policy-file.ts';
import { refusalError } from '../../domain/policy/refusal.ts';
import { checkRefundAddress } from '../../domain/policy/spend-rules.ts';
import type { BuyerContext } from '../context.ts';
import { given, type Line, type RecordView } from '../output/view.ts';
import { type ScripContext, scripDeps } from '../scrip-deps.ts';
import { findEntry, ownAddress, recordedEntry } from './ledger.ts';
import { atSeller } from './order-meant.ts';

/** Refunds of an order that was just read; journals those that came back. */
export async function refundsOf(
  context: BuyerContext,
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
  const seller = await atSeller(context, entry);
  if (seller === undefined) return [];
  const { deps, merchant, orderId } = seller;
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
    ? remade(error, { hint: refundHint(refunds, orderId) })
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
  if (isAny(({ waits_for: need }) => need === 'address')) {
    return commandText`Name the address for the refund: scrip orders refund ${orderId}`;
  }
  const isRefused = isAny(({ state, proof }) => state === 'refused' || UNPAID.has(proof));
  if (isRefused) return t`Contact the merchant with the order id.`;
  if (isAny(({ proof }) => proof !== 'proved')) {
    return commandText`To check whether it has arrived: scrip orders show ${orderId}`;
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

function refundLines(refunds: readonly Refund[], orderId: string): readonly Line[] {
  return refunds.flatMap((refund): readonly Line[] => {
    const { recipient, to_own_wallet: isOwn, transaction } = refund;
    return [
      [t`Refund`, standingOf(refund, orderId)],
      ...given(
        t`Refunded to`,
        recipient !== null && isOwn === true ? t`${recipient} (this wallet)` : recipient,
      ),
      ...given(t`Refund transaction`, transaction),
    ];
  });
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

// `scrip orders refund`: names where refunds of an order go, proven by the key that only the journal has.

/**
 * Sends the address to the shop that has the order. It can be named once.
 * @throws {ScripError} ORDER_UNKNOWN; INPUT_INVALID for an order that needs no address; USAGE, DECLINED;
 * RECIPIENT_NOT_ALLOWED; the codes of a call
 */
export async function nameRefundAddress(
  context: BuyerContext,
  { id, to }: { readonly id: string; readonly to: string | undefined },
): Promise<RecordView> {
  const found = await findEntry(context, id);
  // A further payment has the order of another entry, which has its key.
  const { topUpOf } = found.intent.partner ?? {};
  const entry = topUpOf === undefined ? found : await findEntry(context, topUpOf);
  const { intent } = entry;
  const merchantId = orderOf(entry);
  const { deps, merchant } = (await atSeller(context, entry)) ?? {};
  // The key goes only to the host that the order was made at.
  if (deps === undefined || merchant?.nameRefundAddress === undefined) {
    const message = t`The order is at ${intent.host}, which this profile does not reach`;
    throw new ScripError('INPUT_INVALID', message);
  }
  const { rail, own } = (await paidOn(deps, intent)) ?? {};
  const address = to ?? (await ownOffered(context, own));
  if (rail !== undefined && rail.recipientAccount(address) === undefined) {
    throw new ScripError('INPUT_INVALID', t`"${address}" is not an address on ${rail.name}`);
  }
  if (address !== own) {
    const wallet = await ownAddress(context);
    await checkPolicy(deps, { intent, address, wallet, url: merchant.url });
  }
  // Records of older versions have no name of their own.
  const key = intent.partner?.name ?? intent.intentId;
  const named = await merchant.nameRefundAddress(merchantId, { key, address });
  const refunds = await proveAll(deps, named);
  const orderId = orderName(intent, merchantId);
  return {
    kind: 'record',
    record: { order_id: orderId, recipient: address, refunds },
    lines: [[t`Order`, orderId], [t`Refunds to`, address], ...refundLines(refunds, orderId)],
    note: commandText`To see what was sent: scrip orders show ${orderId}`,
  };
}

/** Returns the merchant's id of an order of the partner API. */
function orderOf(entry: Entry): string {
  const { partner, intentId } = entry.intent;
  const orderId = merchantOrderId(entry);
  if (partner === undefined) {
    throw new ScripError('INPUT_INVALID', t`Refunds of this order go to the wallet that paid it`, {
      hint: commandText`To see them: scrip orders show ${orderId ?? intentId}`,
    });
  }
  if (orderId !== undefined) return orderId;
  throw new ScripError('ORDER_UNKNOWN', t`The purchase ${intentId} has no order at the merchant`);
}

/** The network that an order is paid on, and the wallet's address there; undefined for one without a rail. */
async function paidOn({ place, rail, payer }: ScripDeps, { partner }: Intent) {
  const network = caip2Of(partner?.network ?? null);
  if (network === undefined || !Object.hasOwn(place.rpcs, network)) return undefined;
  const signer = await payer(network).catch(unlessInterrupted(() => undefined));
  return { rail: await rail(network), own: signer?.address };
}

/** @throws {ScripError} USAGE in non-interactive use, or without a wallet of the order's network; DECLINED */
async function ownOffered(
  { settings, io }: BuyerContext,
  own: string | undefined,
): Promise<string> {
  if (own === undefined || !settings.mayPrompt) {
    throw new ScripError('USAGE', t`Name the address for the refund with --to`, {
      hint: t`Such as: scrip orders refund <order_id> --to <address>`,
    });
  }
  if (await io.prompter.confirm(t`Send refunds of this order to your wallet ${own}?`)) return own;
  throw new ScripError('DECLINED', t`You declined; no address was named`);
}

/** As for the refund address of a new order: with a list of recipients, one of them. */
async function checkPolicy(
  deps: ScripDeps,
  named: {
    readonly intent: Intent;
    readonly address: string;
    readonly wallet: string | undefined;
    readonly url: string;
  },
): Promise<void> {
  const isPlay = await isPlayMoney(deps, { address: named.wallet, merchantUrl: named.url });
  const refusal = checkRefundAddress(policyOf(await readPolicyFile(deps), isPlay), named.address);
  if (refusal === undefined) return;
  throw refusalError(refusal, { merchant: named.intent.host, isPlayMoney: isPlay });
}
