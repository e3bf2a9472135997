/** What a world's chain and merchant tell a repair: payments that landed, and whose body was whose. */
import { createHash } from 'node:crypto';
import type { PurchaseDeps } from '../../src/api/checkout/purchase-deps.ts';
import type { Fetch } from '../../src/contract/fetch.ts';
import { decodeHeader, paymentPayload, USDC_MINT } from '../../src/contract/x402.ts';
import { atomic } from '../../src/domain/money/money.ts';
import type { PayerRail } from '../../src/rails/rail.ts';
import { recorded, type SolanaPayment } from '../../src/rails/solana/seal.ts';
import type { World } from './purchase-world.ts';
import { jsonReply } from './scripted-fetch.ts';

const LIFETIME_BLOCKS = 150;
const SLOT_MS = 400;

export interface InsightfulWorld {
  /** Tools of a process of this world, whose rail remembers what was signed. */
  deps(over?: Partial<PurchaseDeps>): PurchaseDeps;
  readonly rail: PayerRail;
}

interface Signed {
  readonly payment: SolanaPayment;
  readonly amount: bigint;
  readonly payTo: string;
  readonly tag: Uint8Array;
}

const transferOf = ({ amount, payTo }: Signed) => ({
  asset: USDC_MINT,
  amountAtomic: atomic(amount),
  destination: `account-of-${payTo}`,
  payTo: null,
});

const hashOf = (transaction: string): string =>
  createHash('sha256').update(Buffer.from(transaction, 'base64')).digest('hex');

/** A world that keeps the rule of a real merchant: a payment is for the body it was first sent with. */
export function withInsight(world: World): InsightfulWorld {
  const signed = new Map<string, Signed>();
  const bodies = new Map<string, string>();
  const startMs = world.clock.now();
  const height = (): number => Math.floor((world.clock.now() - startMs) / SLOT_MS) + 1_000;
  const rail: PayerRail = {
    ...world.rail,
    sign: async (order) => {
      const payment = recorded(await world.rail.sign(order));
      const payTo = order.way === 'x402' ? order.requirement.payTo : order.payTo;
      const { amountAtomic: amount, tag } = order;
      signed.set(payment.messageHash, { payment, amount, payTo, tag });
      return payment;
    },
    transactionOf: async ({ messageHash }) => world.landed.get(messageHash)?.transaction,
    ownPayments: async (_owner, { known }) => ({
      isWhole: true,
      payments: [...world.landed].flatMap(([messageHash, { transaction, atHeight }]) => {
        const found = signed.get(messageHash);
        if (found === undefined || known.has(transaction)) return [];
        const { payment, payTo, tag } = found;
        return [
          {
            ...transferOf(found),
            transactionId: transaction,
            slot: atHeight,
            isFinal: true,
            timeMs: undefined,
            payTo,
            isDirect: false,
            extra: { feePayer: '2wKupLR9q6wXYppw8Gr2NvWxKBUqm4PPJKkQfoxHDBg4' },
            carries: (asked) => Buffer.from(tag).equals(asked),
            signed: { ...payment, lastValidBlockHeight: 0 },
          },
        ];
      }),
    }),
    horizon: async () => {
      const end = height() + LIFETIME_BLOCKS + 32;
      return {
        covers: (payment) => recorded(payment).lastValidBlockHeight <= end,
        isPast: async () => height() - 32 > end,
        recover: (payment) => {
          const found = signed.get(payment.messageHash);
          const { transaction, ...given } = recorded(payment);
          const isGenuine =
            hashOf(transaction) === payment.messageHash &&
            found?.payment.signature === payment.signature;
          if (!isGenuine) return undefined;
          const { blockhash, baseline } = found.payment;
          const life = { blockhash, lastValidBlockHeight: end };
          const whole = { ...baseline, signature: null, slot: 0 };
          return {
            ...transferOf(found),
            signed: { ...given, transaction, ...life, baseline: whole } as SolanaPayment,
          };
        },
      };
    },
  };
  const fetch: Fetch = async (url, init = {}) => {
    const header = init.headers?.['PAYMENT-SIGNATURE'];
    if (header === undefined) return world.fetch(url, init);
    const hash = hashOf(paymentPayload().parse(decodeHeader(header)).payload.transaction ?? '');
    const body = String(init.body);
    if ((bodies.get(hash) ?? body) !== body) return jsonReply(400, { error: 'body_mismatch' });
    bodies.set(hash, body);
    return world.fetch(url, init);
  };
  return { rail, deps: (over = {}) => world.deps({ rail, fetch, ...over }) };
}
