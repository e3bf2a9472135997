/**
 * Fail points of the service, placed around its ports; the service has no code for them. Each one
 * is where a crash leaves work half done.
 */
import type { ServicePoint } from '../domain/journal/fail-points.ts';
import type { FeeTransactionStore } from '../rails/evm/fee-account.ts';
import type { ClaimStore, Facilitator } from '../rails/merchant-rail.ts';
import type { Store, Tables } from '../store/store.ts';
import type { Supplier } from './delivery/supplier.ts';

/** What a rail sends bytes to, and how it tries what was signed before: by one of the two. */
interface Node {
  simulate?(wire: Uint8Array): Promise<unknown>;
  estimateGas?(call: never): Promise<unknown>;
  send(wire: Uint8Array): Promise<unknown>;
}

type Reached = (point: ServicePoint) => void;

export type Watch = ReturnType<typeof watchPorts>;

/** Wraps the service's ports: each function returns the port with its fail points. */
export function watchPorts(reached: Reached | undefined) {
  const at = (point: ServicePoint) => () => reached?.(point);
  const stored = (isStored: boolean) => {
    if (isStored) reached?.('fee-transaction-stored');
  };
  return {
    store: (store: Store): Store => (reached === undefined ? store : watchedStore(store, reached)),
    facilitator: (facilitator: Facilitator): Facilitator => ({
      ...facilitator,
      verify: after(facilitator.verify, at('payment-verified')),
      settle: after(facilitator.settle, at('settled')),
    }),
    claims: (claims: ClaimStore): ClaimStore => ({
      ...claims,
      claim: after(claims.claim, at('claim-written')),
    }),
    feeTransactions: ({ add, replace, ...others }: FeeTransactionStore): FeeTransactionStore => ({
      ...others,
      add: after(add, stored),
      replace: after(replace, stored),
    }),
    rpc: <One extends Node>(rpc: One): One => ({ ...rpc, send: after(rpc.send, at('broadcast')) }),
    supplier: (supplier: Supplier): Supplier => {
      const fulfil = before(supplier.fulfil, at('supplier-asked'));
      return { ...supplier, fulfil: after(fulfil, at('supplier-answered')) };
    },
    refundRpc: <One extends Node>(rpc: One): One => ({
      ...rpc,
      ...(rpc.simulate && { simulate: before(rpc.simulate, at('refund-signed')) }),
      ...(rpc.estimateGas && { estimateGas: before(rpc.estimateGas, at('refund-signed')) }),
      send: after(rpc.send, at('refund-sent')),
    }),
    refundClaims: (claims: ClaimStore): ClaimStore => ({
      ...claims,
      decide: after(claims.decide, at('refund-decided')),
    }),
  };
}

/** Reports writes of sessions, orders, settlements and deliveries, before and after the commit. */
function watchedStore(store: Store, reached: Reached): Store {
  return {
    ...store,
    async write(work, options) {
      const committed: ServicePoint[] = [];
      const wrote = (what: Written) => {
        const [before, after] = POINTS[what];
        committed.push(after);
        reached(before);
      };
      const result = await store.write((tables) => work(watchedTables(tables, wrote)), options);
      for (const point of committed) reached(point);
      return result;
    },
  };
}

const POINTS = {
  session: ['session-committing', 'session-committed'],
  order: ['order-committing', 'order-committed'],
  settlement: ['settlement-committing', 'settlement-committed'],
  delivery: ['delivery-committing', 'delivery-committed'],
  claim: ['refund-claiming', 'refund-claimed'],
  close: ['refund-closing', 'refund-closed'],
} as const;
type Written = keyof typeof POINTS;

function watchedTables(tables: Tables, wrote: (what: Written) => void): Tables {
  const { sessions, settlements, deliveries, payouts } = tables;
  return {
    ...tables,
    sessions: { ...sessions, insert: after(sessions.insert, () => wrote('session')) },
    settlements: {
      ...settlements,
      insert: after(settlements.insert, () => wrote('order')),
      decide: after(settlements.decide, (decided) => {
        if (decided) wrote('settlement');
      }),
    },
    deliveries: {
      ...deliveries,
      update: after(deliveries.update, (isOurs, _before, { state }) => {
        if (isOurs && state === 'completed') wrote('delivery');
      }),
    },
    payouts: {
      ...payouts,
      update: after(payouts.update, (isOurs, _before, { state }) => {
        if (isOurs && state === 'sending') wrote('claim');
        if (isOurs && state === 'sent') wrote('close');
      }),
    },
  };
}

/** The same call; says when it is done, with what it gave and was given. */
function after<Given extends unknown[], Gave>(
  call: (...given: Given) => Promise<Gave>,
  note: (gave: Gave, ...given: Given) => void,
): (...given: Given) => Promise<Gave> {
  return async (...given) => {
    const gave = await call(...given);
    note(gave, ...given);
    return gave;
  };
}

/** The same call; says when it begins. */
function before<Given extends unknown[], Gave>(
  call: (...given: Given) => Promise<Gave>,
  note: () => void,
): (...given: Given) => Promise<Gave> {
  return async (...given) => {
    note();
    return call(...given);
  };
}
