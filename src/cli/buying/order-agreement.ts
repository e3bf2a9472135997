/** What is shown and asked before a purchase: the goods, the price, what the policy leaves. */

import type { PurchaseDeps, PurchaseRequest } from '../../api/checkout/purchase-deps.ts';
import { duplicateError, lookUp } from '../../api/payment/intent.ts';
import { canonicalJson } from '../../domain/canonical-json.ts';
import { ScripError } from '../../domain/errors.ts';
import { currentAttempt, type Entry, factOf, type Intent } from '../../domain/journal.ts';
import { adapted, t } from '../../domain/message.ts';
import { goodsName } from '../../domain/product.ts';
import { formatUsdc } from '../amount.ts';
import type { Context } from '../context.ts';
import { escapeText } from '../output/escape.ts';
import type { Line } from '../output/view.ts';
import { agreeOn, isSummaryTold } from './agreement.ts';
import { hostName } from './purchasing.ts';
import type { Preview } from './quoting.ts';
import {
  checkIntention,
  checkMerchant,
  type Headroom,
  headroomText,
  openSpending,
} from './spending.ts';
import { linesText } from './summary.ts';

/** Refuses a host that may not be paid, before it is asked for anything. @throws what `checkMerchant` does */
export function checkCheckoutHost(context: Context, hasKey: boolean): Promise<void> {
  const { settings } = context;
  return checkMerchant(context, {
    merchant: hostName(settings),
    merchantUrl: settings.checkoutUrl,
    hasKey,
  });
}

interface Proposal {
  readonly offer: Preview;
  readonly request: PurchaseRequest;
  /** Do not ask. */
  readonly isAgreed: boolean;
  /** What is bought was shown already: it is not told again. */
  readonly isShown: boolean;
  /** Whoever answered a wizard's questions is there to be asked these as well. */
  readonly isAnswered: boolean;
  /** Told when a purchase that was begun before is gone on with. */
  readonly resuming: (begun: Intent) => void;
}

/**
 * Comes to an agreement before phase 1: between the phases there is no time to.
 * @throws {ScripError} DECLINED, DUPLICATE_PURCHASE, the policy's refusals, JOURNAL_UNUSABLE
 */
export async function agree(
  context: Context,
  deps: PurchaseDeps,
  proposal: Proposal,
): Promise<PurchaseRequest> {
  const { request, isAgreed, isAnswered, resuming } = proposal;
  const { key } = request;
  const [body, host] = [canonicalJson(request.body), deps.host];
  const nowMs = context.parts.clock.now();
  const { known, twin } = await lookUp(deps.journal, {
    ...{ key, body, host, nowMs },
    summary: request.summary,
  });
  if (known !== undefined && key === undefined) resuming(known.intent);
  const isRepeated = twin !== undefined && request.allowsDuplicate !== true;
  const isSilent = isAgreed && !isAnswered;
  if (isRepeated) await confirmRepetition(context, duplicateError(twin), isSilent);
  const intention = intentionOf(request, host);
  const room = isPaidFor(known) ? undefined : await checkIntention(deps, intention);
  // What is here already is shown again, and nobody is asked to pay for it.
  if (known === undefined || factOf(known, 'goods') === undefined) {
    await confirmPurchase(context, { ...proposal, capAtomic: request.capAtomic, room });
  }
  return isRepeated ? { ...request, allowsDuplicate: true } : request;
}

function intentionOf({ kinds, summary, body, quotedAtomic }: PurchaseRequest, host: string) {
  const usdcAtomic = quotedAtomic;
  const goods = { host, body: canonicalJson(body), summary, usdcAtomic };
  return kinds === undefined ? goods : { ...goods, kinds };
}

/**
 * What the policy leaves for a purchase that is rehearsed: as if somebody were there to be asked.
 * @throws {ScripError} the policy's refusals, WALLET_MISSING, JOURNAL_UNUSABLE
 */
export async function roomFor(context: Context, request: PurchaseRequest): Promise<Headroom> {
  const signer = await context.parts.signer();
  const merchantUrl = context.settings.checkoutUrl;
  const channel = 'terminal';
  const spending = await openSpending(context, { signer, merchantUrl, channel });
  const [rail, journal] = await Promise.all([context.parts.rail(), context.parts.journal(signer)]);
  const intention = intentionOf(request, hostName(context.settings));
  return checkIntention({ ...context.parts, spending, journal, rail, signer }, intention);
}

/** Nothing more would be signed for it, as far as is known: its limits were looked at before. */
function isPaidFor(known: Entry | undefined): boolean {
  return (
    known !== undefined &&
    (currentAttempt(known) !== undefined || factOf(known, 'goods') !== undefined)
  );
}

/** @throws {ScripError} DUPLICATE_PURCHASE where nobody can be asked, DECLINED */
export async function confirmRepetition(
  { settings, io: { prompter } }: Context,
  refusal: ScripError,
  isAgreed: boolean,
): Promise<void> {
  if (!settings.mayPrompt || isAgreed) throw refusal;
  // Without its end, that nothing was sent.
  const [what = ''] = refusal.sentence.values;
  const question = t`${what}. Order it again?`;
  if (await prompter.confirm(adapted(question, escapeText))) return;
  throw new ScripError('DECLINED', t`you declined; nothing was charged`);
}

interface Agreement extends Pick<Proposal, 'offer' | 'isAgreed' | 'isShown' | 'isAnswered'> {
  readonly capAtomic: Preview['capAtomic'];
  /** Undefined for a purchase that is paid already. */
  readonly room: Headroom | undefined;
}

async function confirmPurchase(
  context: Context,
  { offer, capAtomic, isAgreed, isShown, isAnswered, room }: Agreement,
): Promise<void> {
  const isTold = isSummaryTold(context, isAgreed) && !isShown;
  if (isTold) context.io.stderr.write(summaryText(context, offer, room));
  const isLarge = room?.isLarge ?? false;
  const amountText = formatUsdc(capAtomic);
  await agreeOn(context, {
    isAgreed,
    isAnswered,
    question: t`Pay up to ${amountText} USDC?`,
    amountText,
    isLarge,
    declined: { message: t`you declined; nothing was charged` },
  });
}

function summaryText(context: Context, offer: Preview, room: Headroom | undefined): string {
  const left: readonly Line[] = room === undefined ? [] : [[t`Left`, headroomText(room)]];
  const lines = summaryLines(context, offer);
  const product = productText(offer);
  // What the name of the product ends with is not told again.
  const told = lines.filter(
    ([label, value]) => String(label) !== 'Face value' || !product.endsWith(String(value)),
  );
  return linesText([...told, ...left], context.io.localize);
}

export function summaryLines({ settings }: Context, offer: Preview): readonly Line[] {
  const { priceAtomic, capAtomic, recipient, email } = offer;
  return [
    [t`Product`, productText(offer)],
    [t`Face value`, faceValueText(offer)],
    [t`For`, recipient.text],
    [t`E-mail`, email],
    [t`Merchant`, settings.isEmbedded ? t`the embedded sandbox` : hostName(settings)],
    [t`Price`, `${formatUsdc(priceAtomic)} USDC`],
    [t`At most`, t`${formatUsdc(capAtomic)} USDC on Solana`],
  ];
}

/** What is bought, such as `Amazon.com, 25 USD`. */
export function productText({ quote }: Pick<Preview, 'quote'>): string {
  const { product_name, brand_name, product_id, face_value = '', currency } = quote;
  const name = product_name ?? `${brand_name} ${product_id}`;
  return goodsName({ name, faceValue: String(face_value), currency });
}

function faceValueText({ quote }: Preview): string {
  return `${quote.face_value ?? ''} ${quote.currency}`.trim();
}
