/** A shop that owes refunds, its wallet and the embedded chain: what the tests of refunds work with. */

import { join } from 'node:path';
import { USDC_MINT } from '../../src/contract/x402.ts';
import type { ServicePoint } from '../../src/domain/journal/fail-points.ts';
import { associatedTokenAddress } from '../../src/rails/solana/address.ts';
import { signerFromSeed } from '../../src/rails/solana/ed25519.ts';
import { watchPorts } from '../../src/service/fail-points.ts';
import {
  createRefundPayments,
  type RefundPaymentOptions,
  type RefundSender,
} from '../../src/service/refunds/refund-payments.ts';
import { openPostgresStore } from '../../src/store/postgres.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { connect } from '../../src/store/sqlite-driver.ts';
import { claimsOf } from '../../src/store/store.ts';
import type { PartnerOrderRow } from '../../src/store/tables/partner-orders.ts';
import type { RefundRow } from '../../src/store/tables/refunds.ts';
import { liveChain } from './live-chain.ts';
import { skippingClock } from './manual-clock.ts';
import { createDatabase } from './postgres-server.ts';
import { FEE_PAYER, STRANGER } from './solana-payment.ts';
import { partnerOrderRow } from './store-suite.ts';
import { tempFolder } from './temp-folder.ts';

export const USDC = 1_000_000n;
export const OWED = 7n * USDC;
export const WALLET = signerFromSeed(new Uint8Array(32).fill(31));
export const FUNDED = signerFromSeed(new Uint8Array(32).fill(34));
export const BUYER = STRANGER.address;
export const { orderId: ORDER } = partnerOrderRow();
export const LIMITS = {
  mostAtomic: 100n * USDC,
  perDayAtomic: 300n * USDC,
  approveAboveAtomic: 50n * USDC,
};

export type RefundWorld = Awaited<ReturnType<typeof refundWorld>>;

export async function refundWorld(engine: 'SQLite' | 'PostgreSQL') {
  const clock = skippingClock();
  const path = join(tempFolder(), 'shop.db');
  const database = engine === 'SQLite' ? undefined : await createDatabase();
  const store = database ? await openPostgresStore(database.address) : await openSqliteStore(path);
  const live = await liveChain(clock);
  const { chain, rpc } = live;
  const reports: unknown[] = [];
  await chain.airdrop(FEE_PAYER.address, 1_000_000_000n);
  await chain.fundUsdc(WALLET.address, 1_000n * USDC);
  await chain.openForPayments(BUYER);
  await chain.openForPayments(FUNDED.address);

  /** The payments of one process; it dies at a point by throwing at all that it does from there on. */
  function payments(
    more: Partial<RefundPaymentOptions & RefundSender> & { point?: ServicePoint } = {},
  ) {
    let isDead = false;
    const watch = watchPorts((reached) => {
      isDead ||= reached === more.point;
      if (isDead) throw new Error('killed');
    });
    const watched = watch.store(store);
    const claims = watch.refundClaims(claimsOf(store));
    const transfers = live.transfersOf(watched, { rpc: watch.refundRpc(rpc), claims });
    return createRefundPayments({
      ...{ store: watched, clock, limits: LIMITS },
      senders: [{ transfers, wallet: WALLET, ...more }],
      report: (error) => reports.push(error),
      ...more,
    });
  }

  return {
    ...{ clock, store, chain, rpc, reports, payments },
    shopRail: live.shopRail(store),
    transfersOf: (over?: Parameters<typeof live.transfersOf>[1], of = store) =>
      live.transfersOf(of, over),
    /** Until nothing is due, as the timer of a server does; long enough for a transfer to become final. */
    async pass(pay = payments(), passes = 12): Promise<void> {
      for (let one = 0; one < passes; one += 1) {
        await pay();
        clock.advance(3_000);
      }
    },
    async owe(
      order: Partial<PartnerOrderRow> = {},
      refund: Partial<RefundRow> = {},
    ): Promise<RefundRow> {
      const row = partnerOrderRow({
        orderState: 'Expired',
        paymentState: 'ExpiredAfterPaymentDetection',
        receivedAtomic: OWED.toString(),
        refundAddress: BUYER,
        ...order,
      });
      const owed: RefundRow = {
        refundId: `${row.orderId} late ${row.receivedAtomic}`,
        orderId: row.orderId,
        kind: 'refund',
        line: null,
        coin: row.coin,
        amountAtomic: row.receivedAtomic,
        decimals: 6,
        recipient: row.refundAddress,
        reason: 'The payment was late or incomplete.',
        createdAtMs: clock.now(),
        ...refund,
      };
      await store.write(async (tables) => {
        if ((await tables.partnerOrders.byId(row.orderId)) === undefined) {
          await tables.partnerOrders.insert(row, []);
        }
        await tables.refunds.record(owed);
      });
      return owed;
    },
    balanceOf: async (owner: string) =>
      (await rpc.tokenAccountBalance(associatedTokenAddress(owner, USDC_MINT))) ?? 0n,
    payoutOf: ({ refundId }: Pick<RefundRow, 'refundId'>) =>
      store.tables.payouts.byRefund(refundId),
    stateOf: async () => (await store.tables.partnerOrders.byId(ORDER))?.orderState,
    debits: async () =>
      (await rpc.signaturesForAddress(WALLET.address, { commitment: 'confirmed', limit: 100 }))
        .length,
    /** One statement over the records of the shop, past what the program writes. */
    async past(statement: string): Promise<void> {
      await (await connect(path)).run(statement);
    },
    async close(): Promise<void> {
      await Promise.all([store.close(), live.close()]);
      await database?.drop();
    },
  };
}
