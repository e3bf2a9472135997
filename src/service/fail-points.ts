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

/** Wraps the service's ports; each function returns the port with its fail points. */
export interface Watch {
  store(store: Store): Store;
  facilitator(facilitator: Facilitator): Facilitator;
  claims(claims: ClaimStore): ClaimStore;
  feeTransactions(transactions: FeeTransactionStore): FeeTransactionStore;
  rpc<One extends Node>(rpc: One): One;
  supplier(supplier: Supplier): Supplier;
  refundRpc<One extends Node>(rpc: One): One;
  refundClaims(claims: ClaimStore): ClaimStore;
}

/** Wraps the ports, or returns them unchanged without a listener. */
export function watchPorts(reached: Reached | undefined): Watch {
  const watching =
    <Port>(watch: (port: Port, reached: Reached) => Port) =>
    (port: Port): Port =>
      reached === undefined ? port : watch(port, reached);
  return {
    store: watching(watchedStore),
    facilitator: watching(watchedFacilitator),
    claims: watching(watchedClaims),
    feeTransactions: watching(watchedFeeTransactions),
    rpc: (rpc) => (reached === undefined ? rpc : watchedRpc(rpc, reached)),
    supplier: watching(watchedSupplier),
    refundRpc: (rpc) => (reached === undefined ? rpc : watchedRefundRpc(rpc, reached)),
    refundClaims: watching(watchedRefundClaims),
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

function watchedFacilitator(facilitator: Facilitator, reached: Reached): Facilitator {
  return {
    ...facilitator,
    verify: after(facilitator.verify, () => reached('payment-verified')),
    settle: after(facilitator.settle, () => reached('settled')),
  };
}

function watchedClaims(claims: ClaimStore, reached: Reached): ClaimStore {
  return { ...claims, claim: after(claims.claim, () => reached('claim-written')) };
}

function watchedFeeTransactions(
  transactions: FeeTransactionStore,
  reached: Reached,
): FeeTransactionStore {
  const note = (isStored: boolean) => {
    if (isStored) reached('fee-transaction-stored');
  };
  const { add, replace } = transactions;
  return { ...transactions, add: after(add, note), replace: after(replace, note) };
}

function watchedRpc<One extends Node>(rpc: One, reached: Reached): One {
  return { ...rpc, send: after(rpc.send, () => reached('broadcast')) };
}

function watchedRefundRpc<One extends Node>(rpc: One, reached: Reached): One {
  const { simulate, estimateGas, send } = rpc;
  const signed = () => reached('refund-signed');
  return {
    ...rpc,
    ...(simulate && { simulate: before(simulate, signed) }),
    ...(estimateGas && { estimateGas: before(estimateGas, signed) }),
    send: after(send, () => reached('refund-sent')),
  };
}

function watchedRefundClaims(claims: ClaimStore, reached: Reached): ClaimStore {
  return { ...claims, decide: after(claims.decide, () => reached('refund-decided')) };
}

function watchedSupplier(supplier: Supplier, reached: Reached): Supplier {
  const fulfil = before(supplier.fulfil, () => reached('supplier-asked'));
  return { ...supplier, fulfil: after(fulfil, () => reached('supplier-answered')) };
}
