import { receiptFrom } from '../../api/receipt.ts';
import {
  currentAttempt,
  type Entry,
  eventOf,
  isFinished,
  nextStep,
  sealingWallet,
} from '../../domain/journal/journal.ts';
import { answerIn, type KeptAnswer, requestIn } from '../../domain/journal/paid-request.ts';
import { commandText } from '../../domain/message/command-text.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import { goodsName } from '../../domain/product/product.ts';
import type { BuyerContext } from '../context.ts';
import { toJson } from '../output/json.ts';
import { PRINTED_ALREADY, type RecordView } from '../output/view.ts';
import { writeAnswer } from './answer.ts';
import { goodsGroups, goodsOf, handedScreen, onlyName, partnerGoodsOf } from './deliveries.ts';
import { findEntry, findWhole, signerAt } from './ledger.ts';
import { atHostOf } from './order-meant.ts';

export const NOT_HERE = t`no longer on this machine`;

/**
 * Prints the codes of a purchase, or writes them to a new file that only the user can read.
 * @throws {ScripError} ORDER_UNKNOWN, DELIVERY_PENDING, CODES_FORGOTTEN, OUTPUT_UNWRITABLE
 */
export async function revealPurchase(
  context: BuyerContext,
  { id, output }: { readonly id: string; readonly output: string | undefined },
): Promise<RecordView> {
  const entry = await findEntry(context, id);
  return atHostOf(context, entry, () => revealed(context, entry, output));
}

async function revealed(
  context: BuyerContext,
  entry: Entry,
  output: string | undefined,
): Promise<RecordView> {
  const opened = await openGoods(context, entry, sealedGoods(entry));
  const { deliveries } = opened;
  const answer = answerOf(entry, opened);
  if (answer !== undefined && context.settings.output.format === 'text') {
    if (output === undefined) await writeAnswer(context, answer);
    else await context.io.writeSecret(output, answer.bytes);
    return PRINTED_ALREADY;
  }
  const record = { order_id: receiptFrom(entry).orderId, deliveries };
  if (output === undefined) return { ...(await goodsView(opened, record.order_id)), record };
  await context.io.writeSecret(output, toJson(record, 2));
  return {
    kind: 'record',
    record: { order_id: record.order_id, output, deliveries: deliveries.length },
    lines: [
      [t`Order`, record.order_id ?? idOf(entry)],
      [t`Codes in`, output],
    ],
  };
}

/** What was bought by a request, which is printed as it came. */
function answerOf({ intent }: Entry, { order, deliveries }: Opened): KeptAnswer | undefined {
  if (order !== undefined || requestIn(intent) === undefined) return undefined;
  return answerIn(deliveries[0]?.voucher_code);
}

type Opened = Awaited<ReturnType<typeof openGoods>>;

/**
 * Returns the redemption URL of each item; empty for items without one.
 * @throws {ScripError} ORDER_UNKNOWN, DELIVERY_PENDING, CODES_FORGOTTEN
 */
export async function redemptionUrls(
  context: BuyerContext,
  id: string,
): Promise<readonly string[]> {
  const entry = await findEntry(context, id);
  const { deliveries } = await openGoods(context, entry, sealedGoods(entry));
  return deliveries.map((delivery) => ('url' in delivery ? (delivery.url ?? '') : ''));
}

/**
 * Deletes the codes of a purchase from this machine; the journal keeps that it was made and paid. A terminal is
 * asked with the order's product, so there the beginning of an id is enough.
 * @throws {ScripError} ORDER_UNKNOWN, DELIVERY_PENDING, JOURNAL_UNUSABLE, DECLINED
 */
export async function forgetPurchase(
  context: BuyerContext,
  { id, isAgreed }: { readonly id: string; readonly isAgreed: boolean },
): Promise<RecordView> {
  const isAsked = context.settings.mayPrompt && !isAgreed;
  const entry = await (isAsked ? findEntry : findWhole)(context, id);
  if (eventOf(entry, 'goods')?.sealed !== '') {
    sealedGoods(entry);
    if (isAsked) {
      const { productName: name, faceValue, currency } = entry.intent.summary;
      const what = goodsName({ name, faceValue, currency });
      const question = t`Remove the codes of ${what} (${idOf(entry)}) from this machine? This cannot be undone.`;
      if (!(await context.io.prompter.confirm(question)))
        throw new ScripError('DECLINED', t`You declined; nothing was removed`);
    }
    await (await context.parts.journalCare(entry.intent.payer)).forgetGoods(entry.intent.key);
  }
  return {
    kind: 'record',
    record: { order_id: receiptFrom(entry).orderId, intent_id: entry.intent.intentId, codes: null },
    lines: [
      [t`Order`, idOf(entry)],
      [t`Codes`, NOT_HERE],
    ],
  };
}

/** Returns the encrypted goods. @throws {ScripError} DELIVERY_PENDING, ORDER_UNKNOWN, CODES_FORGOTTEN */
function sealedGoods(entry: Entry): string {
  const goods = eventOf(entry, 'goods');
  if (goods === undefined) throw undelivered(entry);
  if (goods.sealed !== '') return goods.sealed;
  const id = idOf(entry);
  throw new ScripError('CODES_FORGOTTEN', t`The codes of ${id} are not stored on this machine`, {
    hint: commandText`The merchant may still have them. Run: scrip track ${id}`,
  });
}

function undelivered(entry: Entry): ScripError {
  const id = idOf(entry);
  if (isPaidElsewhere(entry)) {
    return new ScripError('DELIVERY_PENDING', t`This machine has no codes of the order ${id}`, {
      hint: commandText`Ask the merchant for them: scrip track ${id}`,
      fundsAtRisk: 'possible',
    });
  }
  if (currentAttempt(entry) === undefined) {
    return new ScripError('ORDER_UNKNOWN', t`The purchase ${id} was not paid and has no codes`);
  }
  const hint =
    nextStep(entry) === 'attention'
      ? commandText`Send the merchant the output of: scrip orders show ${id}`
      : commandText`Run: scrip orders resume ${entry.intent.intentId}`;
  return new ScripError('DELIVERY_PENDING', t`The purchase ${id} has no codes yet`, {
    hint,
    fundsAtRisk: eventOf(entry, 'landed') === undefined ? 'possible' : 'spent',
  });
}

/** An order that no wallet of this journal paid, but another wallet may have. */
export function isPaidElsewhere(entry: Entry): boolean {
  return (
    entry.attempts.length === 0 && eventOf(entry, 'created') !== undefined && !isFinished(entry)
  );
}

/** On a terminal, shows codes as right after the purchase. */
async function goodsView(
  { order, deliveries }: Opened,
  orderId: string | null,
): Promise<RecordView> {
  const goods = order === undefined ? deliveries.map(goodsOf) : deliveries.map(partnerGoodsOf);
  const title = onlyName(goods);
  return {
    ...{ kind: 'record', record: null, lines: goodsGroups(goods).flat() },
    ...(title === undefined ? {} : { title }),
    ...(await handedScreen({ goods, orderId, facts: [] })),
  };
}

/** Decrypts the goods. @throws {ScripError} WALLET_OTHER if another wallet encrypted them */
export async function openGoods(context: BuyerContext, entry: Entry, sealed: string) {
  const wallet = sealingWallet(entry);
  const signer = await signerAt(context, wallet);
  if (signer === undefined) {
    const message = t`The codes of ${idOf(entry)} are encrypted for the wallet ${wallet}`;
    throw new ScripError('WALLET_OTHER', message, { details: { wallet } });
  }
  const plain = (await context.parts.vault(signer)).open(sealed);
  if (entry.intent.partner !== undefined) {
    const { readPartnerOrder } = await import('../../api/partner/partner-journal.ts');
    const order = readPartnerOrder(plain);
    return { order, deliveries: order.deliveries ?? [] };
  }
  const { readOrder } = await import('../../api/checkout/pay.ts');
  return { order: undefined, deliveries: readOrder(plain).deliveries ?? [] };
}

export function idOf(entry: Entry): string {
  return receiptFrom(entry).orderId ?? entry.intent.intentId;
}
