/** What only a shop with real parts has to tell monitors: its supplier, wallets and nodes. */

import { USDC_DECIMALS, USDC_MINT } from '../contract/x402.ts';
import type { Clock } from '../domain/clock.ts';
import { ScripError } from '../domain/errors.ts';
import { atomic, formatDecimal } from '../domain/money.ts';
import { formatSol } from '../domain/sol.ts';
import type { Signer } from '../rails/rail.ts';
import { associatedTokenAddress } from '../rails/solana/address.ts';
import type { SolanaRpc } from '../rails/solana/rpc.ts';
import { createOrderMetrics } from '../service/order-metrics.ts';
import { createHistogram, metricLines, type Sample } from '../service/prometheus.ts';
import type { Supplier } from '../service/suppliers/supplier.ts';
import type { Store } from '../store/store.ts';

type Node = Pick<SolanaRpc, 'balance' | 'tokenAccountBalance' | 'height'>;

export interface ShopMetricsOptions {
  readonly store: Pick<Store, 'tables'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly rpc: Node;
  readonly witness: Pick<Node, 'height'> | undefined;
  readonly feePayer: Pick<Signer, 'address'>;
  /** Undefined where the operator pays refunds. */
  readonly refundWallet: Pick<Signer, 'address'> | undefined;
}

export interface ShopMetrics {
  /** Counts what the supplier answers, and how long it takes. */
  around(supplier: Supplier): Supplier;
  /** Reads balances and slots, as often as it is due: a monitor never waits for the chain. */
  sample(): Promise<void>;
  lines(): Promise<readonly string[]>;
}

const SAMPLE_MS = 30_000;

export function createShopMetrics(options: ShopMetricsOptions): ShopMetrics {
  const { store, clock } = options;
  const ofOrders = createOrderMetrics(store, clock);
  const answers = new Map<string, Sample & { value: number }>();
  const seconds = createHistogram('scrip_supplier_request_seconds', 'call');
  let sampled: readonly string[] = [];
  let nextAtMs = 0;
  const timed = async <Answer>(
    call: 'stock' | 'purchase',
    ask: () => Promise<Answer>,
    outcomeOf: (answer: Answer) => string,
  ): Promise<Answer> => {
    const startedAtMs = clock.now();
    const note = (outcome: string) => {
      const key = `${call} ${outcome}`;
      const one = answers.get(key) ?? { labels: { call, outcome }, value: 0 };
      answers.set(key, { ...one, value: one.value + 1 });
      seconds.note(call, (clock.now() - startedAtMs) / 1_000);
    };
    try {
      const answer = await ask();
      note(outcomeOf(answer));
      return answer;
    } catch (error) {
      note('error');
      throw error;
    }
  };
  return {
    around: (supplier) => ({
      check: (request) =>
        timed(
          'stock',
          () => supplier.check(request),
          (answer) => answer,
        ),
      fulfil: (reference, request) =>
        timed(
          'purchase',
          () => supplier.fulfil(reference, request),
          ({ outcome }) => outcome,
        ),
    }),
    async sample() {
      if (clock.now() < nextAtMs) return;
      nextAtMs = clock.now() + SAMPLE_MS;
      sampled = await chainLines(options);
    },
    lines: async () => [
      ...(await ofOrders()),
      ...metricLines('scrip_supplier_requests_total', 'counter', [...answers.values()]),
      ...seconds.lines(),
      ...sampled,
    ],
  };
}

/** What cannot be read is left out, so that an alert on its absence fires. */
async function chainLines(options: ShopMetricsOptions): Promise<readonly string[]> {
  const { rpc, witness, feePayer, refundWallet } = options;
  const [sol, usdc, slot, witnessSlot] = await Promise.all([
    unlessAway(async () => formatSol(await rpc.balance(feePayer.address))),
    refundWallet === undefined
      ? undefined
      : unlessAway(async () => {
          const account = associatedTokenAddress(refundWallet.address, USDC_MINT);
          return formatDecimal(
            atomic((await rpc.tokenAccountBalance(account)) ?? 0n),
            USDC_DECIMALS,
          );
        }),
    unlessAway(async () => (await rpc.height('finalized')).slot),
    witness && unlessAway(async () => (await witness.height('finalized')).slot),
  ]);
  const gauge = (name: string, value: string | number | undefined) =>
    value === undefined ? [] : metricLines(name, 'gauge', [{ value }]);
  const isBoth = slot !== undefined && witnessSlot !== undefined;
  return [
    ...gauge('scrip_fee_payer_sol', sol),
    ...gauge('scrip_refund_wallet_usdc', usdc),
    ...gauge('scrip_chain_finalized_slot', slot),
    ...gauge('scrip_chain_lag_slots', isBoth ? Math.max(0, witnessSlot - slot) : undefined),
  ];
}

async function unlessAway<Value>(read: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ScripError) return undefined;
    throw error;
  }
}
