/** `scrip orders refund`: names where refunds of an order go, proven by the key that only the journal has. */

import { sellerOf } from '../../api/merchants.ts';
import { isPlayMoney } from '../../api/payment/play-money.ts';
import { readPolicyFile } from '../../api/payment/spending.ts';
import { proveAll } from '../../api/proven-refunds.ts';
import type { ScripDeps } from '../../api/scrip.ts';
import { commandText } from '../../domain/command-text.ts';
import { ScripError } from '../../domain/errors.ts';
import { type Entry, type Intent, merchantOrderId, orderName } from '../../domain/journal.ts';
import { t } from '../../domain/message.ts';
import { isOwnNetwork } from '../../domain/payment-means.ts';
import { policyOf } from '../../domain/policy-file.ts';
import { refusalError } from '../../domain/refusal.ts';
import { isSolanaAddress } from '../../domain/solana-address.ts';
import { checkRefundAddress } from '../../domain/spend-rules.ts';
import type { With } from '../context.ts';
import type { RecordView } from '../output/view.ts';
import { scripDeps } from '../scrip-deps.ts';
import { findEntry, ownAddress } from './ledger.ts';
import { settingsAt } from './recorded-place.ts';
import { refundLines } from './shown-refunds.ts';

type Context = With<'version' | 'settings' | 'io' | 'parts' | 'keys'>;

/**
 * Sends the address to the shop that has the order. It can be named once.
 * @throws {ScripError} ORDER_UNKNOWN; INPUT_INVALID for an order that needs no address; USAGE, DECLINED;
 * RECIPIENT_NOT_ALLOWED; the codes of a call
 */
export async function nameRefundAddress(
  context: Context,
  { id, to }: { readonly id: string; readonly to: string | undefined },
): Promise<RecordView> {
  const found = await findEntry(context, id);
  // A further payment has the order of another entry, which has its key.
  const { topUpOf } = found.intent.partner ?? {};
  const entry = topUpOf === undefined ? found : await findEntry(context, topUpOf);
  const { intent } = entry;
  const merchantId = orderOf(entry);
  const settings = settingsAt(context.settings, intent.host);
  if (settings === undefined) throw notHere(intent);
  const deps = scripDeps({ ...context, settings });
  const merchant = await sellerOf(deps, intent);
  if (merchant?.nameRefundAddress === undefined) throw notHere(intent);
  const own = await ownAddress(context);
  const address = to ?? (await ownOffered(context, intent, own));
  if (isOwnNetwork(intent.partner?.network) && !isSolanaAddress(address)) {
    throw new ScripError('INPUT_INVALID', t`"${address}" is not an address of Solana`);
  }
  if (address !== own) await checkPolicy(deps, { intent, address, own, url: merchant.url });
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

/** The key goes only to the host that the order was made at. */
function notHere({ host }: Intent): ScripError {
  return new ScripError(
    'INPUT_INVALID',
    t`The order is at ${host}, which this profile does not reach`,
  );
}

/** @throws {ScripError} USAGE in non-interactive use, or without a wallet of the order's network; DECLINED */
async function ownOffered(
  { settings, io }: Context,
  { partner }: Intent,
  own: string | undefined,
): Promise<string> {
  const isOffered = own !== undefined && isOwnNetwork(partner?.network) && settings.mayPrompt;
  if (!isOffered) {
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
    readonly own: string | undefined;
    readonly url: string;
  },
): Promise<void> {
  const isPlay = await isPlayMoney(deps, { address: named.own, merchantUrl: named.url });
  const refusal = checkRefundAddress(policyOf(await readPolicyFile(deps), isPlay), named.address);
  if (refusal === undefined) return;
  throw refusalError(refusal, { merchant: named.intent.host, isPlayMoney: isPlay });
}
