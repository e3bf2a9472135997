/**
 * A request of the user's own: if its host answers 402 (x402), it is paid once, and the answer is kept in the
 * journal. For the rest it is a purchase like any other: same policy, cap, journal and recovery.
 */

import { expected } from '../domain/attempt.ts';
import { canonicalJson } from '../domain/canonical-json.ts';
import { type Entry, eventOf, type Intent } from '../domain/journal/journal.ts';
import {
  answerIn,
  type KeptAnswer,
  type PaidRequest,
  REQUEST_KIND,
  requestIn,
  requestName,
} from '../domain/journal/paid-request.ts';
import { ScripError } from '../domain/message/errors.ts';
import { t, verbatim } from '../domain/message/message.ts';
import { checkCap } from '../domain/money/cap.ts';
import type { Atomic } from '../domain/money/money.ts';
import { isMpp } from '../domain/payment/mpp.ts';
import { chooseRequirement, requiredAmount } from '../domain/payment/payment.ts';
import { usdcText } from '../domain/policy/policy.ts';
import { policyRecord } from '../domain/policy/policy-file.ts';
import { DAY_MS } from '../domain/policy/spending.ts';
import { challengeIn, keptAnswer, sendRequest } from './checkout/checkout.ts';
import { finishPurchase, purchaseDeps } from './checkout/merchant.ts';
import { payFor } from './checkout/pay.ts';
import type { PurchaseDeps } from './checkout/purchase-deps.ts';
import { hostOf } from './http/exchange.ts';
import type { Finished } from './merchant.ts';
import { openPaying } from './paying.ts';
import { checkMeant, findKnown, openIntent, reopen } from './payment/intent.ts';
import type { PaymentSummary } from './payment/outcome.ts';
import { purchaseError } from './payment/outcome-error.ts';
import { checkIntention, checkMerchant, type Headroom } from './payment/spending.ts';
import { isAlreadyBought } from './receipt.ts';
import { type ScripDeps, walletIfThere } from './scrip.ts';
import type { Timeouts } from './timeouts.ts';

/** What came of a request. */
export interface Fetched {
  readonly answer: KeptAnswer;
  /** Undefined if the host asked for no payment. */
  readonly bought?: {
    readonly intent: Intent;
    readonly payment: PaymentSummary | null;
    /** By an earlier run; this one paid nothing. */
    readonly isPaidBefore: boolean;
    /** Set where the answer could not be recorded. */
    readonly error: ScripError | undefined;
    /** Called once the user has the answer: the same request without a key is then a new purchase. */
    handOver(): Promise<void>;
  };
}

/** What is asked for, before it is paid. */
export interface RequestOffer {
  readonly amountAtomic: Atomic;
  readonly payTo: string;
  readonly purchase: Pick<PurchaseDeps, 'rail' | 'signer' | 'spending' | 'host'>;
  readonly room: Headroom;
}

export interface RequestTerms {
  /** The same key never pays twice. */
  readonly key: string | undefined;
  /** The most to pay; undefined: what `agree` accepts. */
  readonly capAtomic: Atomic | undefined;
  /** Asks the user. @throws {ScripError} DECLINED */
  agree(offer: RequestOffer): Promise<void>;
  readonly timeouts: Timeouts;
}

/** What a purchase is for, and whose it is. */
interface Wanted {
  readonly request: PaidRequest;
  readonly body: string;
  readonly host: string;
  readonly terms: RequestTerms;
}

/**
 * Sends the request, and pays for it if its host asks for that. The purchase of the same key or, without one, an
 * unfinished purchase of the same request is continued: an answer that is kept is returned without any request.
 * @throws {ScripError} the reason not to pay, and the outcomes of a payment without an answer
 */
export async function fetchPaid(
  deps: ScripDeps,
  request: PaidRequest,
  terms: RequestTerms,
): Promise<Fetched> {
  const { origin } = new URL(request.url);
  const wanted = { request, body: canonicalJson(request), host: origin, terms };
  const begun = await begunBefore(deps, wanted);
  if (begun !== undefined) {
    const purchase = await purchaseAt(deps, begun.intent, terms.timeouts);
    const found = await outcomeOf(purchase, await reopen(purchase.journal, begun), undefined);
    if (found !== undefined) return found;
  }
  deps.progress.step(t`Asking ${hostOf(request.url)}`);
  const answer = await sendRequest(request, deps);
  deps.failPoint('challenge-answered');
  if (answer.status !== 402) return { answer: keptAnswer(answer) };
  return pay(deps, wanted, challengeIn(answer, request.url, deps.clock));
}

/** Set by the connection, or by the payment. */
const OURS = /^(connection|content-length|transfer-encoding|payment-signature|x-payment)$/;

/** Returns a header that the user may set, its name in small letters. @throws {ScripError} INPUT_INVALID */
export function checkedHeader(
  name: string,
  value: string | undefined,
): readonly [name: string, value: string] {
  const key = name.toLowerCase();
  const isSent = /^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(key) && !OURS.test(key);
  if (isSent && value !== undefined && !/[\r\n\0]/.test(value)) return [key, value.trim()];
  throw new ScripError('INPUT_INVALID', t`The header "${name}" cannot be sent`, {
    hint: t`Write it as "Name: value". Headers of the connection and of payments are set by scrip.`,
  });
}

/** Finds the purchase that the request continues; one without a payment is begun anew. */
async function begunBefore(
  deps: ScripDeps,
  { body, host, terms: { key } }: Wanted,
): Promise<Entry | undefined> {
  const owner = await walletIfThere(deps);
  if (owner === undefined) return undefined;
  const journal = await deps.journal(owner);
  const entries = key === undefined ? await journal.recent(deps.clock.now() - DAY_MS) : [];
  const unread = entries.find(
    (entry) => entry.intent.body === body && entry.intent.host === host && isUnread(entry),
  );
  const entry = unread ?? (await findKnown(journal, entries, { body, host, key }));
  if (entry === undefined || entry.attempts.length === 0) return undefined;
  checkMeant(entry, { body, host });
  if (key === undefined) deps.notify({ kind: 'resuming', begun: entry.intent });
  return entry;
}

/** Whether its answer is here, and the user does not have it yet. */
function isUnread(entry: Entry): boolean {
  return eventOf(entry, 'goods') !== undefined && eventOf(entry, 'closed') === undefined;
}

async function pay(
  deps: ScripDeps,
  { request, body, host, terms }: Wanted,
  challenge: ReturnType<typeof challengeIn>,
): Promise<Fetched> {
  const { key } = terms;
  await checkMerchant(deps, { host, url: host }, key !== undefined);
  const network = await networkFor(deps, challenge.required.accepts);
  const purchase = await purchaseAt(deps, { host, network }, terms.timeouts);
  const { rail, wallet, spending } = purchase;
  const means = { network, asset: rail.usdc.asset };
  const { requirement } = chooseRequirement(challenge.required, means);
  if (isMpp(requirement) && request.headers.authorization !== undefined) {
    throw new ScripError(
      'REQUIREMENT_UNACCEPTABLE',
      t`${hostOf(request.url)} takes its payment in the header Authorization, which this request has already`,
    );
  }
  const amountAtomic = requiredAmount(requirement);
  const capAtomic = terms.capAtomic ?? amountAtomic;
  const [asked, allowed] = [usdcText(amountAtomic), usdcText(capAtomic)];
  checkCap(amountAtomic, capAtomic, () => ({
    message: t`${hostOf(request.url)} asks for ${asked} USDC, more than the ${allowed} allowed`,
    details: { amount: asked, max_amount: allowed },
  }));
  const summary = summaryOf(request);
  const bought = { host, body, summary, kinds: [REQUEST_KIND] };
  const room = await checkIntention(purchase, { ...bought, usdcAtomic: amountAtomic });
  await terms.agree({ amountAtomic, payTo: requirement.payTo, purchase, room });
  deps.failPoint('purchase-asked');
  const entry = await openIntent(
    { ...purchase, network, payer: wallet },
    { ...bought, key, quotedAtomic: amountAtomic, capAtomic, allowsDuplicate: true },
    {
      body,
      refusesRecovered: true,
      terms: async () => ({ policy: policyRecord(spending.policy) }),
    },
  );
  deps.failPoint('intent-written');
  const agreed = { challenge, requirement };
  const paid = await outcomeOf({ ...purchase, agreed }, entry, capAtomic);
  if (paid === undefined) throw new ScripError('INTERNAL', verbatim('a payment has no outcome'));
  return paid;
}

/** The network to pay on; another one that the wallet has a key for, if the host offers only that. */
async function networkFor(
  { place, network, payer }: ScripDeps,
  accepts: readonly { readonly scheme: string; readonly network: string }[],
): Promise<string> {
  if (place.payNetwork !== undefined) return place.payNetwork;
  const own = await network();
  const offered = accepts.filter(({ scheme }) => scheme === 'exact').map((one) => one.network);
  if (offered.includes(own)) return own;
  for (const one of offered.filter((id) => Object.hasOwn(place.rpcs, id))) {
    const signer = await payer(one).catch(expected(() => undefined, 'WALLET_MISSING'));
    if (signer !== undefined) return one;
  }
  return own;
}

async function purchaseAt(
  deps: ScripDeps,
  { host, network }: Pick<Intent, 'host' | 'network'>,
  timeouts: Timeouts,
): Promise<PurchaseDeps> {
  const place = { ...deps.place, checkoutUrl: host };
  const paying = await openPaying({ ...deps, place }, host, { network });
  return { ...(await purchaseDeps({ ...deps, place }, paying, timeouts)), host };
}

function summaryOf(request: PaidRequest): Intent['summary'] {
  const none = { productId: '', countryCode: '', faceValue: '', currency: '', beneficiary: '' };
  const { host } = new URL(request.url);
  return { ...none, productName: requestName(request), brandName: host };
}

/** Pays, or finishes what was paid; without a cap, undefined if nothing was charged. */
async function outcomeOf(
  purchase: PurchaseDeps,
  entry: Entry,
  capAtomic: Atomic | undefined,
): Promise<Fetched | undefined> {
  const outcome = await payFor(purchase, entry, capAtomic);
  if (outcome.kind === 'unpaid' && capAtomic === undefined) return undefined;
  const error = purchaseError(outcome);
  const delivered = outcome.kind === 'delivered' ? outcome.deliveries[0] : undefined;
  const answer = answerIn(delivered?.voucher_code);
  const { intent, payment } = outcome;
  if (answer === undefined) {
    throw error ?? new ScripError('JOURNAL_UNUSABLE', t`The answer that was kept is not readable`);
  }
  const closed = { fact: 'closed', reason: 'handed-over' } as const;
  const handOver = () => purchase.journal.addFact(intent, closed);
  const isPaidBefore = isAlreadyBought(outcome);
  return { answer, bought: { intent, payment, isPaidBefore, error, handOver } };
}

/** Finishes purchases of requests, wherever their host is; signs nothing. */
export const requestSeller = (deps: ScripDeps) => ({
  sells: (intent: Intent) => requestIn(intent) !== undefined,
  finish: async (entry: Entry, timeouts: Timeouts): Promise<Finished> =>
    finishPurchase(await purchaseAt(deps, entry.intent, timeouts), entry),
});
