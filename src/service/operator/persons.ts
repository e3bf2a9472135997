/** The data of persons: given out, and erased where no law and no open claim needs them. */

import type { WireCreateOrder } from '../../contract/partner-orders.ts';
import { parseJson } from '../../domain/attempt.ts';
import { canonicalJson } from '../../domain/canonical-json.ts';
import { type Clock, isoOf } from '../../domain/clock.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t, verbatim } from '../../domain/message/message.ts';
import type { PersonAdmin } from '../../domain/operator/operator.ts';
import { isTerminal } from '../../domain/order/order-states.ts';
import type { Store } from '../../store/store.ts';
import type { PartnerOrderRow } from '../../store/tables/partner-orders.ts';
import { ERASED, type PersonKeys, type PersonNeed } from '../../store/tables/persons.ts';
import type { VoucherVault } from '../delivery/vouchers.ts';
import { hmac } from '../digest.ts';
import { leaseDue } from '../lease-due.ts';
import { erasedKey } from '../partner/orders/order-key.ts';

interface Deps {
  readonly store: Store;
  readonly clock: Pick<Clock, 'now'>;
  readonly vault: Pick<VoucherVault, 'open'>;
  /** Of the digests that stand for a person; kept outside the store. */
  readonly key: Uint8Array;
}

const DIGEST = /^[0-9a-f]{32}$/;
const DIGEST_DIGITS = 32;

export function createPersonAdmin({ store, clock, vault, key }: Deps): PersonAdmin {
  const digestOf = (email: string) => hmac(key, email).toString('hex').slice(0, DIGEST_DIGITS);
  /** Nothing here has the address of an unknown digest, which is the digest. */
  const find = async (typed: string) => {
    const text = typed.trim().toLowerCase();
    if (!text.includes('@') && !DIGEST.test(text)) {
      const message = t`"${typed}" is neither an e-mail address nor a digest`;
      throw new ScripError('INPUT_INVALID', message);
    }
    const persons = await store.tables.persons();
    const known = text.includes('@') ? [] : await persons.addresses();
    const email = known.find((one) => digestOf(one) === text) ?? text;
    const digest = email.includes('@') ? digestOf(email) : text;
    return { persons, email, digest, keys: await persons.of(email) };
  };
  return {
    async find(typed) {
      const { digest, keys } = await find(typed);
      const own = keys.filter(({ orderId, isRecipient }) => orderId !== null && isRecipient === 0);
      return { digest, orders: own.length };
    },
    async export(typed, isWithCodes) {
      const { persons, email, digest, keys } = await find(typed);
      const tables = await persons.rowsOf(email, keys);
      const shown = async (row: Row) =>
        onWire({ ...row, ...(isWithCodes ? await opened(vault, row) : sealed(row)) });
      const records = tables.map(
        async ([name, rows]) => [name, await Promise.all(rows.map(shown))] as const,
      );
      return {
        ...{ email, digest, exported_at: isoOf(clock.now()) },
        records: Object.fromEntries(await Promise.all(records)),
      };
    },
    async erase(typed) {
      const { email, digest, keys } = await find(typed);
      const kept: { order_id: string; needed_for: PersonNeed[] }[] = [];
      const erased: PersonKeys[] = [];
      for (const one of keys) {
        const needs = await eraseOne(store, one, { email, atMs: clock.now() });
        if (needs.length === 0) erased.push(one);
        else kept.push({ order_id: one.orderId ?? '', needed_for: [...needs] });
      }
      await store.write(async ({ persons }) => (await persons()).eraseMentions(email));
      await store.scrub?.();
      const idsOf = (found: PersonKeys['isRecipient']) =>
        erased.flatMap(({ orderId, isRecipient }) =>
          isRecipient === found ? (orderId ?? []) : [],
        );
      return {
        ...{ digest, erased_orders: idsOf(0), erased_as_recipient: idsOf(1), kept },
        erased_offers: erased.filter(({ orderId }) => orderId === null).length,
      };
    },
  };
}

type Row = Readonly<Record<string, unknown>>;

/** Without what gives out codes. */
function sealed({ voucher, idempotencyKey }: Row): Row {
  return {
    ...(voucher instanceof Uint8Array && { voucher: 'sealed' }),
    ...(typeof idempotencyKey === 'string' && { idempotencyKey: 'sealed' }),
  };
}

async function opened(vault: Deps['vault'], row: Row): Promise<Row> {
  const { voucher, orderId, deliveryId } = row;
  if (!(voucher instanceof Uint8Array)) return {};
  const place = { orderId: String(orderId), deliveryId: String(deliveryId) };
  return { voucher: await vault.open(voucher, place) };
}

/** Names as in SQL, and JSON as what it is. */
function onWire(row: Row) {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      typeof value === 'string' && /^[[{]/.test(value) ? (parseJson(value) ?? value) : value,
    ]),
  );
}

interface Erasing {
  /** Of a recipient of another's order. */
  readonly email?: string;
  readonly atMs: number;
}

/** Erases one order or offer in one write; returns what the order is needed for if it is kept. */
function eraseOne(
  store: Store,
  { orderId, sessionId, isRecipient }: PersonKeys,
  { email, atMs }: Erasing,
): Promise<readonly PersonNeed[]> {
  return store.write(async (tables) => {
    const persons = await tables.persons();
    await tables.holds.take(orderId === null ? `session ${sessionId}` : `order ${orderId}`);
    if (orderId === null) {
      await persons.eraseOffer(sessionId ?? '', atMs);
      return [];
    }
    const needs = await persons.needs(orderId);
    if (needs.length > 0) return needs;
    const order = await tables.partnerOrders.byId(orderId);
    if (order && !isTerminal(order)) return ['order'];
    await persons.eraseRecipients(orderId, isRecipient === 1 ? email : undefined);
    if (isRecipient === 0) await persons.eraseOrder(orderId, atMs);
    const { payment, user }: WireCreateOrder = JSON.parse(order?.request ?? '{}');
    const without: Partial<PartnerOrderRow> = isRecipient
      ? { request: canonicalJson({ payment, user, deliveries: [] }) }
      : {
          ...{ email: ERASED, maker: null, notificationUrl: null, refundAddress: null },
          request: canonicalJson({ payment, deliveries: [] }),
          idempotencyKey: order?.idempotencyKey ? erasedKey(order.idempotencyKey) : null,
          erasedAtMs: atMs,
        };
    if (!order || (await tables.partnerOrders.update(order, { ...order, ...without }))) return [];
    throw new ScripError('INTERNAL', verbatim('an order changed inside the write that read it'));
  });
}

// Ended orders lose their person by themselves, if the configuration says after how many days.

const DAY_MS = 86_400_000;
/** Few at a time, so no order waits for it. */
const AT_ONCE = 200;
const EVERY_MS = 600_000;

export interface Retention {
  /** Undefined keeps them. */
  readonly ordersDays: number | undefined;
  /** Of offers that nobody paid. */
  readonly offersDays: number;
}

/** At one server, every ten minutes. */
export function createRetention(
  { store, clock }: Pick<Deps, 'store' | 'clock'>,
  { ordersDays = Number.POSITIVE_INFINITY, offersDays }: Retention,
): () => Promise<void> {
  let nextAtMs = 0;
  return async () => {
    const atMs = clock.now();
    if (atMs < nextAtMs) return;
    nextAtMs = atMs + EVERY_MS;
    const term = { atMs, untilMs: nextAtMs, limit: 1 };
    if ((await leaseDue(store, ({ personChores }) => personChores, term)).length === 0) return;
    const before = (days: number) => Math.max(0, atMs - days * DAY_MS);
    const persons = await store.tables.persons();
    const of = { ordersMs: before(ordersDays), offersMs: before(offersDays) };
    const ended = await persons.ended(of, AT_ONCE);
    const faults: unknown[] = [];
    for (const one of ended) {
      await eraseOne(store, one, { atMs }).catch((error) => faults.push(error));
    }
    if (ended.length > 0) await store.scrub?.();
    // The next ones do not wait for one that cannot be erased.
    if (faults.length > 0) throw faults[0];
  };
}
