/**
 * Payments by Solana Pay's transaction request: the shop builds the order's payment and signs it as fee payer,
 * the buyer's wallet signs and sends it. At most one is undecided for an order, so that it is not paid twice.
 */
import { type Atomic, atomic, formatDecimal, parseAtomic } from '../../domain/money/money.ts';
import type { SponsoredPayment, SponsorRefusal } from '../../rails/merchant-rail.ts';
import type { Tables } from '../../store/store.ts';
import type { PartnerOrderRow } from '../../store/tables/partner-orders.ts';
import type { PaymentRequestRow } from '../../store/tables/payment-requests.ts';
import { isRefusal, jsonReply, PRIVATE_HEADERS, type Refusal, refuse } from '../http/replies.ts';
import type { Answer } from '../http/route.ts';
import { leaseDue } from '../lease-due.ts';
import type { Sponsorship } from '../options.ts';
import type { PartnerOrderDeps } from '../partner/order-deps.ts';
import { referenceOf } from '../partner/orders/order-view.ts';
import { lookAt } from '../partner/orders/reconcile.ts';
import { isPayable, situationOf } from './situation.ts';

type Deps = PartnerOrderDeps;
type Parts = Deps & { readonly sponsorship: Sponsorship };

/** By then a payment that was not sent can land no more, and its absence is final. */
const LIFE_MS = 75_000;
const LOOK_MS = 10_000;
const DAY_MS = 86_400_000;

/** Whether the fee payer can pay the fee of this order's payment. */
export function isSponsored({ sponsorship }: Pick<Deps, 'sponsorship'>, row: PartnerOrderRow) {
  return sponsorship?.sponsor.covers(row) ?? false;
}

/** Returns the payment of an order for one wallet; the same wallet gets the same payment while it is live. */
export async function requestPayment(
  parts: Parts,
  before: PartnerOrderRow,
  account: string,
): Promise<Answer> {
  const { orderId } = before;
  const live = await liveRequest(parts, orderId);
  await lookAt(parts, before);
  const due = dueOf(await parts.store.tables.partnerOrders.byId(orderId));
  if (due === undefined) return notDue('This order takes no payment now. Its page says why.');
  if (live) return reply(parts, live, { account, due });
  const { sponsor } = parts.sponsorship;
  const { payTo, amountAtomic } = due;
  const order = { payTo, amountAtomic, reference: referenceOf(orderId) };
  const payment = await sponsor.prepare(account, order);
  if (typeof payment === 'string') return refuse('invalid_request', REFUSALS[payment]);
  const row = await keep(parts, { orderId, account, due, payment });
  return isRefusal(row) ? row : reply(parts, row, { account, due });
}

const REFUSALS: Readonly<Record<SponsorRefusal, string>> = {
  not_an_account: 'account: must be the address of a wallet',
  blocked: 'Payments of this wallet failed too often. Pay by a transfer instead.',
  would_fail: 'This wallet cannot pay: it has no USDC account, or too little USDC.',
};

/** Asks the chain about payments that must be decided by now. */
export async function concludeRequests(deps: Deps, limit: number): Promise<void> {
  const { sponsorship, store, clock, report } = deps;
  if (sponsorship === undefined) return;
  const atMs = clock.now();
  const term = { atMs, untilMs: atMs + LOOK_MS, limit };
  const due = await leaseDue(store, ({ paymentRequests }) => paymentRequests, term);
  const results = await Promise.allSettled(
    due.map((row) => conclude({ ...deps, sponsorship }, row)),
  );
  for (const result of results) if (result.status === 'rejected') report?.(result.reason);
}

/** Reads what became of a payment, and records it; true while it may still land. */
async function conclude({ sponsorship, store, clock }: Parts, row: PaymentRequestRow) {
  const fate = await sponsorship.sponsor.fate(row);
  const isLive = fate === 'live';
  const nextLookAtMs = isLive ? clock.now() + LOOK_MS : null;
  await store.tables.paymentRequests.update(row.messageHash, { state: fate, nextLookAtMs });
  return isLive;
}

async function liveRequest(parts: Parts, orderId: string): Promise<PaymentRequestRow | undefined> {
  const row = await parts.store.tables.paymentRequests.liveOf(orderId);
  return row && (await conclude(parts, row)) ? row : undefined;
}

interface Due {
  readonly payTo: string;
  readonly amountAtomic: Atomic;
  readonly what: string;
}

/** What the order still takes; undefined where it takes nothing, or a payment is on its way. */
function dueOf(row: PartnerOrderRow | undefined): Due | undefined {
  if (!row || row.walletAddress === null || !isPayable(situationOf(row))) return undefined;
  const missing = parseAtomic(row.coinAmountAtomic) - parseAtomic(row.receivedAtomic);
  if (missing <= 0n || row.seenAtomic !== row.receivedAtomic) return undefined;
  const amountAtomic = atomic(missing);
  const what = `${formatDecimal(amountAtomic, row.decimals)} ${row.coin} for order ${row.pageId}`;
  return { payTo: row.walletAddress, amountAtomic, what };
}

interface Prepared {
  readonly orderId: string;
  readonly account: string;
  readonly due: Due;
  readonly payment: SponsoredPayment;
}

/** Nothing is handed out that is not on record; the fee is reserved by the record. */
async function keep(
  { store, clock, sponsorship }: Parts,
  { orderId, account, due, payment }: Prepared,
): Promise<PaymentRequestRow | Refusal> {
  const nowMs = clock.now();
  const { messageHash, transaction, wire, fee, validUntil } = payment;
  return store.write(async (tables) => {
    await tables.holds.take(`order ${orderId}`, 'fact payment requests');
    const now = dueOf(await tables.partnerOrders.byId(orderId));
    if (now?.amountAtomic !== due.amountAtomic || now.payTo !== due.payTo) {
      return notDue('The amount of this order changed. Ask again.');
    }
    const other = await tables.paymentRequests.liveOf(orderId);
    if (other) return other;
    if (!(await hasBudget(tables, { nowMs, amount: fee, limit: sponsorship.feesPerDay }))) {
      return refuse('facilitator_unavailable', 'Pay by a transfer: no more fees are paid today.', {
        headers: { 'Retry-After': seconds(DAY_MS - (nowMs % DAY_MS)) },
      });
    }
    const row: PaymentRequestRow = {
      ...{ messageHash, orderId, account, transaction, wire, validUntil },
      amountAtomic: due.amountAtomic.toString(),
      state: 'live',
      createdAtMs: nowMs,
      nextLookAtMs: nowMs + LIFE_MS,
    };
    await tables.paymentRequests.insert(row, fee);
    await tables.paymentRequests.forget(nowMs - KEPT_MS);
    return row;
  });
}

/** Longer than the day whose fees are summed. */
const KEPT_MS = 2 * DAY_MS;

async function hasBudget(
  { paymentRequests }: Tables,
  fee: { readonly nowMs: number; readonly amount: bigint; readonly limit: bigint },
): Promise<boolean> {
  const spent = await paymentRequests.feesSince(fee.nowMs - (fee.nowMs % DAY_MS));
  return spent + fee.amount <= fee.limit;
}

/** The live payment, if it is the one that was asked for. */
function reply(
  { clock }: Parts,
  row: PaymentRequestRow,
  { account, due }: { readonly account: string; readonly due: Due },
): Answer {
  if (row.account === account && row.amountAtomic === due.amountAtomic.toString()) {
    return jsonReply({ transaction: row.wire, message: due.what }, 200, PRIVATE_HEADERS);
  }
  const waitMs = Math.max(1_000, row.createdAtMs + LIFE_MS - clock.now());
  return notDue(
    'Another payment of this order was prepared a moment ago. Wait until it runs out.',
    {
      'Retry-After': seconds(waitMs),
    },
  );
}

function notDue(message: string, headers: Readonly<Record<string, string>> = {}): Refusal {
  return refuse('payment_not_due', message, { headers });
}

function seconds(ms: number): string {
  return String(Math.ceil(ms / 1_000));
}
