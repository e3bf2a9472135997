/**
 * Payments that the page prepared or took, on record until the chain has decided them. At most one of an order is
 * undecided, so that it is not paid twice.
 */
import { caip2Of } from '../../domain/money/coins.ts';
import { type Atomic, atomic, formatDecimal, parseAtomic } from '../../domain/money/money.ts';
import type { CheckoutRail, SponsoredFate, SponsoredPayment } from '../../rails/merchant-rail.ts';
import type { Tables } from '../../store/store.ts';
import type { PartnerOrderRow } from '../../store/tables/partner-orders.ts';
import type { PaymentRequestRow } from '../../store/tables/payment-requests.ts';
import { type Refusal, refuse } from '../http/replies.ts';
import { leaseDue } from '../lease-due.ts';
import type { PartnerOrderDeps } from '../partner/order-deps.ts';
import { isPayable, situationOf } from './situation.ts';

type Deps = PartnerOrderDeps;

/** By then a payment that was not sent can land no more, and its absence is final. */
const LIFE_MS = 75_000;
const LOOK_MS = 10_000;
const DAY_MS = 86_400_000;

/** Whether the fee payer can pay the fee of this order's payment. */
export function isSponsored({ sponsorship }: Pick<Deps, 'sponsorship'>, row: PartnerOrderRow) {
  return sponsorship?.sponsor.covers(row) ?? false;
}

/** The rail that settles what a wallet signs for this order; undefined where there is none. */
export function walletRailOf(
  { rails, market }: Pick<Deps, 'rails' | 'market'>,
  { coin: name, network }: Pick<PartnerOrderRow, 'coin' | 'network'>,
): CheckoutRail | undefined {
  const coin = market.coin(name);
  const asset = coin && market.network(coin, network ?? '')?.contract?.address;
  const rail = rails.find((one) => one.network === caip2Of(network) && one.asset === asset);
  return rail?.walletRequest && rail;
}

/** Sends an authorization on record until it is decided. */
export function settle(
  { facilitator }: CheckoutRail,
  { wire }: PaymentRequestRow,
  signal?: AbortSignal,
) {
  const { payload, requirement } = JSON.parse(wire);
  return facilitator.settle(payload, requirement, { signal });
}

/** The reason of a settlement that is not decided yet. */
export const PENDING = 'settlement_pending';

/** Asks the chain about payments that must be decided by now. */
export async function concludeRequests(deps: Deps, limit: number): Promise<void> {
  const { store, clock, report } = deps;
  const atMs = clock.now();
  const term = { atMs, untilMs: atMs + LOOK_MS, limit };
  const due = await leaseDue(store, ({ paymentRequests }) => paymentRequests, term);
  const results = await Promise.allSettled(due.map((row) => conclude(deps, row)));
  for (const result of results) if (result.status === 'rejected') report?.(result.reason);
}

/** Reads what became of a payment, and records it; true while it may still land. */
async function conclude(deps: Deps, row: PaymentRequestRow) {
  const { store, clock } = deps;
  const fate = await fateOf(deps, row);
  const isLive = fate === 'live';
  const nextLookAtMs = isLive ? clock.now() + LOOK_MS : null;
  await store.tables.paymentRequests.update(row.messageHash, { state: fate, nextLookAtMs });
  return isLive;
}

/** Live too is one whose network the configuration does not name any more. */
async function fateOf(deps: Deps, row: PaymentRequestRow): Promise<SponsoredFate> {
  const order = await deps.store.tables.partnerOrders.byId(row.orderId);
  const rail = order && walletRailOf(deps, order);
  if (rail) {
    // Looked at once: other orders are not kept waiting.
    const { success, errorReason } = await settle(rail, row, AbortSignal.abort());
    if (success) return 'landed';
    return errorReason === PENDING ? 'live' : 'failed';
  }
  const isOurs = order !== undefined && isSponsored(deps, order);
  return isOurs ? (deps.sponsorship?.sponsor.fate(row) ?? 'live') : 'live';
}

/** The order's undecided payment, after the chain was asked about it. */
export async function liveRequest(
  deps: Deps,
  orderId: string,
): Promise<PaymentRequestRow | undefined> {
  const row = await deps.store.tables.paymentRequests.liveOf(orderId);
  return row && (await conclude(deps, row)) ? row : undefined;
}

export interface Due {
  readonly payTo: string;
  readonly amountAtomic: Atomic;
  readonly what: string;
}

/** What the order still takes; undefined where it takes nothing, or a payment is on its way. */
export function dueOf(row: PartnerOrderRow | undefined): Due | undefined {
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
export async function keep(
  { store, clock, sponsorship }: Deps,
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
    if (await tables.paymentRequests.byMessage(messageHash)) {
      return notDue('This payment failed before. Pay by a transfer instead.');
    }
    const limit = sponsorship?.feesPerDay ?? 0n;
    if (fee > 0n && !(await hasBudget(tables, { nowMs, amount: fee, limit }))) {
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

export function otherIsLive({ clock }: Pick<Deps, 'clock'>, row: PaymentRequestRow): Refusal {
  const waitMs = Math.max(1_000, row.createdAtMs + LIFE_MS - clock.now());
  return notDue(
    'Another payment of this order was prepared a moment ago. Wait until it runs out.',
    {
      'Retry-After': seconds(waitMs),
    },
  );
}

export function notDue(message: string, headers: Readonly<Record<string, string>> = {}): Refusal {
  return refuse('payment_not_due', message, { headers });
}

function seconds(ms: number): string {
  return String(Math.ceil(ms / 1_000));
}
