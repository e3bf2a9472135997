/**
 * Fail points of the service, placed around its ports; the service has no code for them. Each one
 * is where a crash leaves work half done.
 */
import type { ServicePoint } from '../domain/journal/fail-points.ts';
import type { Facilitator } from '../rails/merchant-rail.ts';
import type { SolanaRpc } from '../rails/solana/rpc.ts';
import type { ClaimStore } from '../rails/solana/settlement.ts';
import type { Store, Tables } from '../store/store.ts';
import type { Supplier } from './delivery/supplier.ts';

type Reached = (point: ServicePoint) => void;

/** Wraps the service's ports; each function returns the port with its fail points. */
export interface Watch {
  store(store: Store): Store;
  facilitator(facilitator: Facilitator): Facilitator;
  claims(claims: ClaimStore): ClaimStore;
  rpc(rpc: SolanaRpc): SolanaRpc;
  supplier(supplier: Supplier): Supplier;
  refundRpc(rpc: SolanaRpc): SolanaRpc;
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
    rpc: watching(watchedRpc),
    supplier: watching(watchedSupplier),
    refundRpc: watching(watchedRefundRpc),
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
  const session: Tables['sessions']['insert'] = async (row) => {
    await sessions.insert(row);
    wrote('session');
  };
  const order: Tables['settlements']['insert'] = async (row) => {
    await settlements.insert(row);
    wrote('order');
  };
  const decide: Tables['settlements']['decide'] = async (messageHash, outcome) => {
    const decided = await settlements.decide(messageHash, outcome);
    if (decided) wrote('settlement');
    return decided;
  };
  const update: Tables['deliveries']['update'] = async (before, after) => {
    const isOurs = await deliveries.update(before, after);
    if (isOurs && after.state === 'completed') wrote('delivery');
    return isOurs;
  };
  const pay: Tables['payouts']['update'] = async (before, changes) => {
    const isOurs = await payouts.update(before, changes);
    if (isOurs && changes.state === 'sending') wrote('claim');
    if (isOurs && changes.state === 'sent') wrote('close');
    return isOurs;
  };
  return {
    ...tables,
    payouts: { ...payouts, update: pay },
    sessions: { ...sessions, insert: session },
    settlements: { ...settlements, insert: order, decide },
    deliveries: { ...deliveries, update },
  };
}

function watchedFacilitator(facilitator: Facilitator, reached: Reached): Facilitator {
  return {
    supported: () => facilitator.supported(),
    verify: async (payload, requirement) => {
      const verdict = await facilitator.verify(payload, requirement);
      reached('payment-verified');
      return verdict;
    },
    settle: async (payload, requirement, options) => {
      const outcome = await facilitator.settle(payload, requirement, options);
      reached('settled');
      return outcome;
    },
    checkFunds: () => facilitator.checkFunds(),
  };
}

function watchedClaims(claims: ClaimStore, reached: Reached): ClaimStore {
  return {
    byMessage: (messageHash) => claims.byMessage(messageHash),
    decide: (messageHash, state, reason) => claims.decide(messageHash, state, reason),
    claim: async (claim) => {
      const stands = await claims.claim(claim);
      reached('claim-written');
      return stands;
    },
  };
}

function watchedRpc(rpc: SolanaRpc, reached: Reached): SolanaRpc {
  return {
    ...rpc,
    send: async (wire) => {
      const sent = await rpc.send(wire);
      reached('broadcast');
      return sent;
    },
  };
}

function watchedRefundRpc(rpc: SolanaRpc, reached: Reached): SolanaRpc {
  return {
    ...rpc,
    simulate: async (wire) => {
      reached('refund-signed');
      return rpc.simulate(wire);
    },
    send: async (wire) => {
      const sent = await rpc.send(wire);
      reached('refund-sent');
      return sent;
    },
  };
}

function watchedRefundClaims(claims: ClaimStore, reached: Reached): ClaimStore {
  return {
    ...claims,
    decide: async (messageHash, state, reason) => {
      const decided = await claims.decide(messageHash, state, reason);
      reached('refund-decided');
      return decided;
    },
  };
}

function watchedSupplier(supplier: Supplier, reached: Reached): Supplier {
  return {
    check: (request) => supplier.check(request),
    fulfil: async (reference, request) => {
      reached('supplier-asked');
      const outcome = await supplier.fulfil(reference, request);
      reached('supplier-answered');
      return outcome;
    },
  };
}
