/** The partner API as a merchant: it creates the order first, which this wallet or another then pays. */

import { getOrderStatus, type WirePartnerOrder } from '../../contract/partner-orders.ts';
import { SOLANA_MAINNET } from '../../contract/usdc.ts';
import { type OwnText, wordList } from '../../domain/command-text.ts';
import { ScripError } from '../../domain/errors.ts';
import { type Entry, eventOf, type Journal, NO_WALLET } from '../../domain/journal.ts';
import { isEmbeddedUrl } from '../../domain/loopback.ts';
import { t, verbatim } from '../../domain/message.ts';
import { formatDecimal } from '../../domain/money.ts';
import {
  awaitsPayment,
  clientShouldStop,
  endedWithoutGoods,
  isPaid,
  isSettingUp,
  isTerminal,
} from '../../domain/order-states.ts';
import { isMomentAgo } from '../../domain/ordered-products.ts';
import type { Signer } from '../../rails/rail.ts';
import { PARTNER } from '../abilities.ts';
import { asProgress } from '../following.ts';
import type {
  Bought,
  Finished,
  FollowOptions,
  Merchant,
  OrderDocument,
  OrderSnapshot,
  OrderTerms,
  PaymentTerms,
  Placed,
  Quote,
} from '../merchant.ts';
import { once } from '../once.ts';
import { openPaying, type Paying } from '../paying.ts';
import { partnerOrderError, paymentError } from '../payment/outcome-error.ts';
import { receiptFrom } from '../receipt.ts';
import type { ScripDeps } from '../scrip.ts';
import type { Timeouts } from '../timeouts.ts';
import { walletIfThere } from '../wallet-if-there.ts';
import { callPartner } from './partner.ts';
import { partnerCatalog } from './partner-catalog.ts';
import type { SealedCodes } from './partner-journal.ts';
import type { PartnerOrderDeps, PartnerOrderRequest } from './partner-order.ts';
import type { PartnerOrderBody } from './partner-quote.ts';
import { checkLimit, checkOpening } from './pay-limits.ts';
import type { PayDeps, PayOutcome, PayRequest } from './pay-terms.ts';
import { isNear, partnerHost, partnerHostName, pollPace } from './place.ts';

/** Minimum wait for the merchant to see the payment, even when not waiting for the goods. */
const LEAST_SEEN_MS = 30_000;

/** The merchant that creates orders first, with its additional methods. */
export interface PartnerMerchant extends Merchant<PartnerOrderBody> {
  payPlaced(orderId: string, terms: PaymentTerms): Promise<Bought>;
  /**
   * Reads an order's current state, and journals its end.
   * @throws {ScripError} ORDER_UNKNOWN and the codes of a call
   */
  read(orderId: string): Promise<WirePartnerOrder>;
}

export function partnerMerchant(deps: ScripDeps): PartnerMerchant {
  const host = partnerHostName(deps.place);
  const url = deps.place.apiUrl;
  const paying = once(() => openPaying(deps, url));
  const payDeps = async (waitMs: number) => transferDeps(deps, await paying(), waitMs);
  return {
    ...PARTNER,
    host,
    url,
    catalog: partnerCatalog(deps),
    paying,
    sells: (intent) => intent.host === host && intent.partner !== undefined,
    // An unpaid order costs nothing: later, the same request means a new order.
    isStillMeant: (begun) => isMomentAgo(begun, deps.clock.now()),
    quote: async (orderInput) =>
      (await import('./partner-quote.ts')).quotePartner(deps, orderInput),
    place: (quote, terms) => place(deps, quote, terms),
    pay: (placed, quote, terms) => payNow(deps, payDeps, { placed, quote, terms }),
    payPlaced: (orderId, terms) => payPlaced(deps, payDeps, { orderId, terms }),
    follow: (orderId, options) => follow(deps, orderId, options),
    read: (orderId) => read(deps, orderId),
    finish: (entry, timeouts) => finish(deps, payDeps, { entry, timeouts }),
  };
}

/** The wallet's journal; without a wallet, the journal for orders paid elsewhere. */
export interface JournalAccess {
  readonly journal: Journal;
  readonly signer: Signer | undefined;
}

/**
 * Opens the journal. Orders paid elsewhere need no wallet here, but are journaled too.
 * @throws {ScripError} the codes of an existing wallet that cannot be used
 */
export async function openJournalAccess(deps: ScripDeps): Promise<JournalAccess> {
  const signer = await walletIfThere(deps);
  return { journal: await deps.journal({ address: payerOf(signer) }), signer };
}

/** Returns the payer whose journal holds the order. */
function payerOf(signer: Signer | undefined): string {
  return signer?.address ?? NO_WALLET;
}

/** Collects what creating an order needs. @param countryCode country of the goods */
export function makingDeps(
  deps: ScripDeps,
  { journal, signer }: JournalAccess,
  countryCode?: string,
): PartnerOrderDeps {
  return {
    ...partnerHost(deps, countryCode),
    hostName: partnerHostName(deps.place),
    journal,
    vault: signer && (() => deps.vault(signer)),
    payer: payerOf(signer),
    walletNetwork: SOLANA_MAINNET,
    random: (length) => deps.random(length),
    honoursIdempotencyKey: isNear(deps.place),
    failPoint: (name) => deps.failPoint(name),
  };
}

/** Collects what paying an order needs. @throws {ScripError} ORDER_NOT_PAYABLE */
function transferDeps(deps: ScripDeps, { rail, ...paying }: Paying, waitMs: number): PayDeps {
  const { direct } = rail;
  if (direct === undefined) {
    throw new ScripError('ORDER_NOT_PAYABLE', t`Cannot pay on ${rail.network}`);
  }
  return {
    ...partnerHost(deps),
    ...paying,
    hostName: partnerHostName(deps.place),
    rail: { ...rail, direct },
    keySince: deps.place.keySince?.since,
    waitMs,
    progress: deps.progress,
    failPoint: (name) => deps.failPoint(name),
    ...pollPace(deps),
  };
}

type OpenPayDeps = (waitMs: number) => Promise<PayDeps>;

/** Creates the order; replaces an earlier one of the same request if that has ended. */
async function place(
  deps: ScripDeps,
  quote: Quote<PartnerOrderBody>,
  terms: OrderTerms,
): Promise<Placed> {
  const { giveUpOrder, makeOrder } = await import('./partner-order.ts');
  const { countryCode } = quote.summary;
  const making = makingDeps(deps, await openJournalAccess(deps), countryCode);
  const request = requestFor(quote, terms);
  deps.progress.step(t`Making the order`);
  const made = await makeOrder(making, request);
  if (made.isNew) return made;
  const { order_id } = made.order;
  const fresh = await callPartner(making, getOrderStatus, { order_id });
  if (!endedWithoutGoods({ orderState: fresh.order_state }) || terms.key !== undefined) {
    deps.notify({ kind: 'made-before', order: fresh, key: terms.key });
    return { entry: made.entry, order: fresh };
  }
  await giveUpOrder(making.journal, made.entry, fresh.order_state);
  return makeOrder(making, request);
}

function requestFor(
  { body, summary, kinds, price }: Quote<PartnerOrderBody>,
  { key, note, allowsDuplicate }: OrderTerms,
): PartnerOrderRequest {
  if (price === undefined) throw new ScripError('INTERNAL', verbatim('nothing was priced'));
  return {
    key,
    note,
    allowsDuplicate,
    body,
    summary,
    ...(kinds === undefined ? {} : { kinds }),
    quotedAtomic: price.atomic,
    capAtomic: price.capAtomic,
    decimals: price.decimals,
  };
}

interface Paid {
  readonly placed: Placed;
  readonly quote: Quote<PartnerOrderBody>;
  readonly terms: OrderTerms;
}

/**
 * Pays up to the price confirmed before the order was created. If the order was already paid, on any machine,
 * only waits for its delivery.
 */
async function payNow(
  deps: ScripDeps,
  open: OpenPayDeps,
  { placed, quote, terms }: Paid,
): Promise<Bought> {
  const { order } = placed;
  if (order === undefined) throw new ScripError('INTERNAL', verbatim('no order was made'));
  const { order_id: orderId, payment_state: paymentState } = order;
  const orderState = order.order_state;
  const isOpen = awaitsPayment({ orderState }) || isSettingUp({ orderState, paymentState });
  const paid = isOpen ? await payWaiting(deps, open, { orderId, quote, terms }) : undefined;
  const isBoughtBefore = paid === undefined ? isPaid({ paymentState }) : paid.signatures === 0;
  if (isBoughtBefore) deps.notify({ kind: 'paid-before' });
  const snapshot = terms.isWaiting
    ? await followToEnd(deps, orderId, terms.timeouts.waitMs)
    : { document: documentOf(paid?.order ?? order), error: undefined };
  return { document: snapshot.document, error: snapshot.error, isBoughtBefore };
}

type PaidOutcome = Extract<PayOutcome, { readonly kind: 'paid' }>;

async function payWaiting(
  deps: ScripDeps,
  open: OpenPayDeps,
  { orderId, quote: { price }, terms }: Omit<Paid, 'placed'> & { readonly orderId: string },
): Promise<PaidOutcome> {
  const { opensAccount, isWaiting, timeouts } = terms;
  const maxAmount = price && formatDecimal(price.capAtomic, price.decimals);
  const waitMs = Math.max(timeouts.waitMs, LEAST_SEEN_MS);
  const paying = { ...(await open(waitMs)), setupMs: isWaiting ? timeouts.waitMs : waitMs };
  const agree: PayRequest['agree'] = async (quote) => {
    checkLimit(quote, maxAmount);
    deps.progress.done();
    deps.notify({ kind: 'paying', offer: quote });
    checkOpening(quote, opensAccount);
  };
  const isAlone = deps.channel !== 'terminal' && maxAmount !== undefined;
  const goOn = payCommand(orderId, { maxAmount: isAlone ? maxAmount : undefined, opensAccount });
  return payOrThrow(paying, { orderId, agree }, goOn);
}

/** Returns the command that continues the payment. @param maxAmount for a command without questions */
export function payCommand(
  orderId: string,
  {
    maxAmount,
    opensAccount,
  }: { readonly maxAmount: string | undefined; readonly opensAccount: boolean },
): OwnText {
  const words = [
    ...['scrip', 'pay', orderId],
    ...(maxAmount === undefined ? [] : ['--yes', '--max-amount', maxAmount]),
    ...(opensAccount ? ['--open-account'] : []),
  ];
  return wordList(words, ' ');
}

/**
 * Pays an order.
 * @param goOn command that pays the same order later
 * @throws {ScripError} for every outcome except a payment; see `paymentError`
 */
async function payOrThrow(
  paying: PayDeps,
  request: PayRequest,
  goOn: OwnText,
): Promise<PaidOutcome> {
  const { payOrder } = await import('./pay.ts');
  const outcome = await payOrder(paying, request);
  if (outcome.kind === 'paid') return outcome;
  throw paymentError(request.orderId, outcome, goOn);
}

/** Pays an order created earlier. After a partial payment, returns while the order waits for the rest. */
async function payPlaced(
  deps: ScripDeps,
  open: OpenPayDeps,
  asked: { readonly orderId: string; readonly terms: PaymentTerms },
): Promise<Bought> {
  const { orderId } = asked;
  const { waitMs, isWaiting, goOn, ...request } = asked.terms;
  const paying = await open(waitMs);
  const { order, signatures, transactions } = await payOrThrow(
    paying,
    { ...request, orderId },
    goOn,
  );
  const isBoughtBefore = signatures === 0;
  if (isBoughtBefore) deps.notify({ kind: 'paid-before' });
  const isLeft = awaitsPayment({ orderState: order.order_state });
  const { document, error } =
    isWaiting && !isLeft
      ? await followToEnd(deps, orderId, waitMs)
      : { document: documentOf(order), error: undefined };
  return { document, error, isBoughtBefore, transactions };
}

async function read(deps: ScripDeps, orderId: string): Promise<WirePartnerOrder> {
  const order = await callPartner(partnerHost(deps), getOrderStatus, { order_id: orderId });
  // Record the end for `scrip orders` too, even if the order was paid or canceled elsewhere.
  if (isTerminal({ orderState: order.order_state })) await keepEnd(deps, order);
  return order;
}

function documentOf(order: WirePartnerOrder): OrderDocument {
  return { form: 'partner', order };
}

function followToEnd(deps: ScripDeps, orderId: string, timeoutMs: number): Promise<OrderSnapshot> {
  return follow(deps, orderId, { mode: 'auto', timeoutMs, ...asProgress(deps, orderId) });
}

async function follow(
  deps: ScripDeps,
  orderId: string,
  { mode, timeoutMs, leastPollMs = 0, seen, reconnecting }: FollowOptions,
): Promise<OrderSnapshot> {
  const { followPartnerOrder, PARTNER_POLL_MS } = await import('./follow-stream.ts');
  const { order } = await followPartnerOrder({
    host: partnerHost(deps),
    orderId,
    // Polling inside this process costs nothing, and a stream would not be faster.
    mode: mode === 'auto' && isEmbeddedUrl(deps.place.apiUrl) ? 'poll' : mode,
    timeoutMs,
    pollMs: Math.max(PARTNER_POLL_MS, leastPollMs),
    ...pollPace(deps),
    seen: (read) => seen?.(snapshotOf(read)),
    ...(reconnecting === undefined ? {} : { reconnecting }),
  });
  await keepEnd(deps, order);
  return snapshotOf(order);
}

function snapshotOf(order: WirePartnerOrder): OrderSnapshot {
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
      const orderJournal = await readOrderJournal(
        journal,
        partnerHostName(deps.place),
        order.order_id,
      );
      await recordEnd(journal, sealer(deps, signer, address), { orderJournal, order });
    }
  } catch (error) {
    if (!(error instanceof ScripError)) throw error;
  }
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

/** Settles the order's transfers and stores its goods; signs nothing. */
async function finish(
  deps: ScripDeps,
  open: OpenPayDeps,
  asked: { readonly entry: Entry; readonly timeouts: Timeouts },
): Promise<Finished> {
  const { intent } = asked.entry;
  const { waitMs } = asked.timeouts;
  const paying = intent.payer === NO_WALLET ? undefined : await open(waitMs);
  const journal = paying?.journal ?? (await deps.journal({ address: intent.payer }));
  const opened = await journal.open(intent);
  const orderId = intent.partner?.topUpOf ?? eventOf(opened, 'created')?.orderId;
  if (orderId === undefined) return finished(opened, []);
  if (paying !== undefined) await settleLive(paying, orderId);
  const { document } = await follow(deps, orderId, { mode: 'poll', timeoutMs: waitMs });
  const entry = (await journal.byKey(intent.key)) ?? opened;
  return finished(entry, document.form === 'partner' ? document.order.deliveries : []);
}

function finished(entry: Entry, deliveries: readonly unknown[] = []): Finished {
  return { receipt: { ...receiptFrom(entry), deliveries }, error: undefined };
}

async function settleLive(deps: PayDeps, orderId: string): Promise<void> {
  const { liveTransfer, readOrderJournal } = await import('./partner-journal.ts');
  const { settleTransfer } = await import('../payment/transfer-transport.ts');
  const live = liveTransfer(await readOrderJournal(deps.journal, deps.hostName, orderId));
  if (live !== undefined) await settleTransfer(deps, live);
}
