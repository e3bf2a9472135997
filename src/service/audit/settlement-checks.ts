/** Compares the settlements of the checkout host with the chain. */
import { USDC_DECIMALS } from '../../contract/x402.ts';
import type { Finding } from '../../domain/audit.ts';
import { atomic, formatDecimal } from '../../domain/money.ts';
import type { Tables } from '../../store/store.ts';
import type { SessionRow } from '../../store/tables/sessions.ts';
import type { SettlementRow } from '../../store/tables/settlements.ts';
import type { Transfer } from './evidence.ts';

/** Result of a check: the mismatches, and how many rows are still under way. */
export interface Checked {
  readonly findings: readonly Finding[];
  readonly open: number;
  /** Whether it was not looked at. */
  readonly isSkipped?: true;
}

export const AGREES: Checked = { findings: [], open: 0 };
export const OPEN: Checked = { findings: [], open: 1 };
export const SKIPPED: Checked = { ...AGREES, isSkipped: true };

/** The service records a landed payment within seconds; after this long, something blocks it. */
export const OPEN_MS = 120_000;

interface Settled {
  readonly settlement: SettlementRow;
  readonly session: SessionRow;
  readonly transfers: readonly Transfer[];
}

/** Compares one settlement with the transfers to its session's account. */
export async function checkSettlement(
  tables: Pick<Tables, 'sessions' | 'orders'>,
  settlement: SettlementRow,
  { transfers, nowMs }: { readonly transfers: readonly Transfer[]; readonly nowMs: number },
): Promise<Checked> {
  const { orderId, sessionId } = settlement;
  const session = await tables.sessions.byId(sessionId);
  const order = await tables.orders.byId(orderId);
  if (!session || !order) {
    const found = `${session ? '' : 'no session'}${order ? '' : 'no order'}`;
    return one({ ...about(settlement), kind: 'order_missing', expected: 'both', found });
  }
  if (settlement.state === 'settled') return checkSettled({ settlement, session, transfers });
  if (settlement.state === 'failed') return checkFailed({ settlement, session, transfers });
  const isYoung = nowMs - settlement.createdAtMs < OPEN_MS;
  if (transfers.length === 0 || isYoung) return OPEN;
  const found = `${usdc(sumOf(transfers))} landed`;
  return one({ ...about(settlement), kind: 'payment_undecided', expected: 'a decision', found });
}

/** What of a transfer to a session's account pays for nothing: all that did not settle it, or what is above the price. */
export async function spareOf(
  { sessions }: Pick<Tables, 'sessions'>,
  settlement: SettlementRow | undefined,
  transfer: Transfer,
): Promise<bigint> {
  if (isSpare(settlement, transfer)) return transfer.amountAtomic;
  const session = settlement && (await sessions.byId(settlement.sessionId));
  if (settlement?.state !== 'settled' || session === undefined) return 0n;
  const excess = transfer.amountAtomic - BigInt(session.amountAtomic);
  return excess > 0n ? excess : 0n;
}

function isSpare(
  settlement: Pick<SettlementRow, 'state' | 'transaction'> | undefined,
  { transaction }: Pick<Transfer, 'transaction'>,
): boolean {
  if (settlement === undefined || settlement.state === 'failed') return true;
  return settlement.state === 'settled' && settlement.transaction !== transaction;
}

/** Of money that pays for nothing: whether it was sent back. Its refund has the id of its transaction. */
export async function isGivenBack(
  { payouts }: Pick<Tables, 'payouts'>,
  { transaction }: Pick<Transfer, 'transaction'>,
): Promise<boolean> {
  return (await payouts.byRefund(transaction))?.state === 'sent';
}

function checkSettled({ settlement, session, transfers }: Settled): Checked {
  const expected = usdc(BigInt(session.amountAtomic));
  const subject = about(settlement);
  if (!transfers.some(({ transaction }) => transaction === settlement.transaction)) {
    const found = transfers.length === 0 ? 'nothing' : 'another transaction';
    return one({ ...subject, kind: 'settled_without_payment', expected, found });
  }
  const sum = sumOf(transfers);
  const found = usdc(sum);
  const spare = transfers.find((transfer) => isSpare(settlement, transfer));
  if (spare !== undefined) {
    return one({ ...subject, subject: spare.transaction, kind: 'paid_twice', expected, found });
  }
  if (sum === BigInt(session.amountAtomic)) return AGREES;
  return one({ ...subject, kind: 'amount_differs', expected, found });
}

/** An assertion: the service fails a payment only with proof that it cannot land. */
function checkFailed({ settlement, transfers }: Settled): Checked {
  if (transfers.length === 0) return AGREES;
  const found = usdc(sumOf(transfers));
  const [first] = transfers;
  const subject = first?.transaction ?? '';
  return one({
    ...about(settlement),
    kind: 'payment_without_order',
    subject,
    expected: 'nothing: the payment was called failed',
    found,
  });
}

/** Reports transfers to sessions that have no settlement, and to addresses that no record has. */
export function strayTransfers(transfers: readonly Transfer[]): readonly Finding[] {
  return transfers.map(({ transaction, amountAtomic, orderId = null }) => ({
    kind: 'payment_without_order',
    order_id: orderId,
    subject: transaction,
    expected: 'an order',
    found: usdc(amountAtomic),
  }));
}

function about({ orderId, transaction, messageHash }: SettlementRow) {
  return { order_id: orderId, subject: transaction ?? `message ${messageHash.slice(0, 16)}` };
}

export function one(finding: Finding): Checked {
  return { findings: [finding], open: 0 };
}

export function sumOf(transfers: readonly Transfer[]): bigint {
  return transfers.reduce((sum, { amountAtomic }) => sum + amountAtomic, 0n);
}

function usdc(amountAtomic: bigint): string {
  return `${formatDecimal(atomic(amountAtomic), USDC_DECIMALS)} USDC`;
}
