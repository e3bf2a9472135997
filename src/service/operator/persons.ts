/** The data of persons: given out, and erased where no law and no open claim needs them. */

import type { WireOrderRequest } from '../../contract/checkout.ts';
import type { WireCreateOrder } from '../../contract/partner-orders.ts';
import { parseJson } from '../../domain/attempt.ts';
import { canonicalJson } from '../../domain/canonical-json.ts';
import { type Clock, isoOf } from '../../domain/clock.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t, verbatim } from '../../domain/message/message.ts';
import type { PersonAdmin } from '../../domain/operator/operator.ts';
import type { PersonErased } from '../../domain/operator/operator-records.ts';
import { isTerminal } from '../../domain/order/order-states.ts';
import type { Store, Tables } from '../../store/store.ts';
import { ERASED, type PersonCursor, type PersonKeys } from '../../store/tables/persons.ts';
import type { VoucherVault } from '../delivery/vouchers.ts';
import { hmac } from '../digest.ts';
import { leaseDue } from '../lease-due.ts';
import { erasedKey } from '../partner/orders/order-key.ts';
import { createOperatorLog } from './operator-log.ts';

interface Deps {
  readonly store: Store;
  readonly clock: Pick<Clock, 'now'>;
  readonly vault: Pick<VoucherVault, 'open'>;
  /** Of the digests that stand for a person; kept outside the store. */
  readonly key: Uint8Array;
}

const DIGEST_DIGITS = 32;

export function createPersonAdmin({ store, clock, vault, key }: Deps): PersonAdmin {
  const personsOf = () => store.tables.persons();
  const digestOf = (email: string) => hmac(key, email).toString('hex').slice(0, DIGEST_DIGITS);
  /** An address in lower case, which is empty for a digest of nobody here. */
  const personOf = async (typed: string) => {
    const text = typed.trim().toLowerCase();
    if (text.includes('@')) return { email: text, digest: digestOf(text) };
    if (!/^[0-9a-f]+$/.test(text) || text.length !== DIGEST_DIGITS) {
      throw new ScripError(
        'INPUT_INVALID',
        t`"${typed}" is neither an e-mail address nor a digest`,
      );
    }
    const known = (await (await personsOf()).addresses()).map(
      ({ email, body }) => email ?? emailIn(body),
    );
    return { email: known.find((one) => digestOf(one) === text) ?? '', digest: text };
  };
  const ofPerson = async (email: string) => (email === '' ? [] : (await personsOf()).of(email));
  return {
    async find(typed) {
      const { email, digest } = await personOf(typed);
      const found = await ofPerson(email);
      return { digest, orders: found.filter(({ orderId }) => orderId !== null).length };
    },
    async export(typed, isWithCodes) {
      const { email, digest } = await personOf(typed);
      const persons = await personsOf();
      const tables = await persons.rowsOf(await ofPerson(email), email);
      const rows = Object.entries(tables).map(async ([name, found]) => {
        const shown = found.map((row) => (isWithCodes ? opened(vault, row) : sealed(row)));
        return [name, (await Promise.all(shown)).map(onWire)] as const;
      });
      const received = (await persons.receivedBy(email)).map(({ orderId: _secret, ...row }) => row);
      return {
        ...{ email, digest, exported_at: isoOf(clock.now()), received: received.map(onWire) },
        records: Object.fromEntries(await Promise.all(rows)),
      };
    },
    async erase(typed) {
      const { email, digest } = await personOf(typed);
      const atMs = clock.now();
      const kept: PersonErased['kept'][number][] = [];
      const isErased = (id: string | null, needs: Needs) => {
        if (needs.length > 0) kept.push({ order_id: id ?? '', needed_for: needs });
        return needs.length === 0;
      };
      const erased: PersonKeys[] = [];
      for (const keys of await ofPerson(email)) {
        const needs = await eraseOne(store, keys, atMs);
        if (isErased(keys.orderId ?? keys.sessionId, needs)) erased.push(keys);
      }
      const received = email === '' ? [] : await (await personsOf()).receivedBy(email);
      const asRecipient: string[] = [];
      for (const id of new Set(received.map(({ orderId }) => orderId))) {
        const needs = await whileEnded(store, id, (persons) => persons.eraseRecipient(id, email));
        if (isErased(id, needs)) asRecipient.push(id);
      }
      if (email !== '')
        await store.write(async ({ persons }) => (await persons()).eraseMentions(email));
      await store.scrub?.();
      return {
        digest,
        erased_orders: erased.flatMap(({ orderId }) => orderId ?? []),
        erased_offers: erased.filter(({ orderId }) => orderId === null).length,
        ...{ erased_as_recipient: asRecipient, kept },
      };
    },
  };
}

type Row = Readonly<Record<string, unknown>>;
type Persons = Awaited<ReturnType<Tables['persons']>>;
type Needs = PersonErased['kept'][number]['needed_for'];

function emailIn(body: string | null): string {
  const { email }: Partial<WireOrderRequest> = JSON.parse(body ?? '{}');
  return email?.toLowerCase() ?? '';
}

/** Without what gives out codes. */
function sealed(row: Row): Row {
  const { voucher, idempotencyKey } = row;
  return {
    ...row,
    ...(voucher instanceof Uint8Array && { voucher: 'sealed' }),
    ...(typeof idempotencyKey === 'string' && { idempotencyKey: 'sealed' }),
  };
}

async function opened(vault: Deps['vault'], row: Row): Promise<Row> {
  const { voucher, orderId, deliveryId } = row;
  if (!(voucher instanceof Uint8Array)) return row;
  const place = { orderId: String(orderId), deliveryId: String(deliveryId) };
  return { ...row, voucher: await vault.open(voucher, place) };
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

/** Does the work in one write if the order has ended and nothing is owed; else returns what it is needed for. */
function whileEnded(
  store: Store,
  orderId: string,
  work: (persons: Persons, tables: Tables) => Promise<void>,
): Promise<Needs> {
  return store.write(async (tables) => {
    await tables.holds.take(`order ${orderId}`);
    const persons = await tables.persons();
    const needs = await persons.needs(orderId);
    const order = await tables.partnerOrders.byId(orderId);
    if (order && !isTerminal(order) && needs.length === 0) return ['order'];
    if (needs.length === 0) await work(persons, tables);
    return needs;
  });
}

/** One order of either surface, or one offer that was not paid. */
function eraseOne(store: Store, { orderId, sessionId }: PersonKeys, atMs: number): Promise<Needs> {
  if (orderId === null) return eraseOffer(store, sessionId ?? '', atMs);
  return whileEnded(store, orderId, async (persons, tables) => {
    await persons.eraseOrder(orderId);
    if (sessionId !== null) await persons.eraseSession(sessionId, atMs);
    const order = await tables.partnerOrders.byId(orderId);
    if (order === undefined) return;
    const { payment }: WireCreateOrder = JSON.parse(order.request);
    const { idempotencyKey: key } = order;
    const without = {
      ...{ ...order, email: ERASED, maker: null, notificationUrl: null, refundAddress: null },
      request: canonicalJson({ payment, deliveries: [] }),
      ...{ idempotencyKey: key && erasedKey(key), erasedAtMs: atMs },
    };
    if (await tables.partnerOrders.update(order, without)) return;
    throw new ScripError('INTERNAL', verbatim('an order changed inside the write that read it'));
  });
}

/** A payment may still be on its way so long after the offer expired. */
const LATE_MS = 600_000;

function eraseOffer(store: Store, sessionId: string, atMs: number): Promise<Needs> {
  return store.write(async ({ holds, sessions, settlements, persons }) => {
    await holds.take(`session ${sessionId}`);
    const session = await sessions.byId(sessionId);
    const isOpen = session !== undefined && session.expiresAtMs + LATE_MS > atMs;
    if (isOpen || (await settlements.bySession(sessionId)) !== undefined) return ['payment'];
    await (await persons()).eraseSession(sessionId, atMs);
    return [];
  });
}

// Ended orders lose their person by themselves, if the configuration says after how many days.

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const PAGE = 100;

export interface Retention {
  /** Undefined keeps them. */
  readonly ordersDays: number | undefined;
  /** Of offers that nobody paid. */
  readonly offersDays: number;
}

interface RetentionDeps extends Pick<Deps, 'store' | 'clock'> {
  readonly retention: Retention;
  random(length: number): Uint8Array;
}

/** Daily, at one server. */
export function createRetention({ store, clock, retention, random }: RetentionDeps) {
  const log = createOperatorLog({ store, clock, random, who: 'retention' });
  let nextAtMs = 0;
  let isStopped = false;
  const erase = async (find: Persons['unpaidOffers'], days: number, atMs: number) => {
    const beforeMs = atMs - days * DAY_MS;
    let from: PersonCursor = { atMs: 0, id: '' };
    let found = await find(beforeMs, from, PAGE);
    if (found.length === 0) return;
    await log.record('persons.retention', isoOf(beforeMs), async () => {
      for (; found.length > 0; found = await find(beforeMs, from, PAGE)) {
        for (const one of found) {
          if (isStopped) return;
          await eraseOne(store, one, atMs);
          from = one;
        }
      }
    });
  };
  return {
    async run(): Promise<void> {
      const atMs = clock.now();
      if (atMs < nextAtMs) return;
      nextAtMs = atMs + HOUR_MS;
      const term = { atMs, untilMs: atMs + DAY_MS, limit: 1 };
      if ((await leaseDue(store, ({ personChores }) => personChores, term)).length === 0) return;
      const { ordersDays, offersDays } = retention;
      const persons = await store.tables.persons();
      await erase(persons.unpaidOffers, offersDays, atMs);
      if (ordersDays !== undefined) {
        await erase(persons.endedPartnerOrders, ordersDays, atMs);
        await erase(persons.endedOrders, ordersDays, atMs);
      }
      await store.scrub?.();
      // What is left is another server's.
      if (isStopped) await store.write(({ personChores }) => personChores.free(term));
    },
    stop(): void {
      isStopped = true;
    },
  };
}
