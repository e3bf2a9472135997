/** What a world's chain and merchant tell a repair: payments that landed, and whose body was whose. */
import { createHash } from 'node:crypto';
import type { PurchaseDeps } from '../../src/api/checkout/purchase-deps.ts';
import type { Fetch } from '../../src/contract/fetch.ts';
import { decodeHeader, paymentPayload, USDC_MINT } from '../../src/contract/x402.ts';
import { atomic } from '../../src/domain/money.ts';
import type {
  PayerRail,
  RailInsight,
  SignedPayment,
  SignedTransfer,
} from '../../src/rails/rail.ts';
import type { World } from './purchase-world.ts';
import { jsonReply } from './scripted-fetch.ts';

const LIFETIME_BLOCKS = 150;
const SLOT_MS = 400;

export interface InsightfulWorld {
  /** Tools of a process of this world, whose rail remembers what was signed. */
  deps(over?: Partial<PurchaseDeps>): PurchaseDeps;
  readonly insight: RailInsight;
}

interface Signed {
  readonly payment: SignedPayment;
  readonly amount: bigint;
  readonly payTo: string;
}

const transferOf = ({ payment, amount, payTo }: Signed): SignedTransfer => ({
  asset: USDC_MINT,
  amountAtomic: atomic(amount),
  source: payment.baseline.sourceAccount,
  destination: `account-of-${payTo}`,
  payTo: null,
  blockhash: payment.blockhash,
});

const hashOf = (transaction: string): string =>
  createHash('sha256').update(Buffer.from(transaction, 'base64')).digest('hex');

/** A world that keeps the rule of a real merchant: a payment is for the body it was first sent with. */
export function withInsight(world: World): InsightfulWorld {
  const signed = new Map<string, Signed>();
  const bodies = new Map<string, string>();
  const startMs = world.clock.now();
  const height = (): number => Math.floor((world.clock.now() - startMs) / SLOT_MS) + 1_000;
  const insight: RailInsight = {
    decimals: 6,
    isOnCurve: () => true,
    recipientAccount: (payTo) => `account-of-${payTo}`,
    readSigned: ({ transaction, messageHash, signature }) => {
      const found = signed.get(messageHash);
      const isGenuine =
        hashOf(transaction) === messageHash && found?.payment.signature === signature;
      return isGenuine ? transferOf(found) : undefined;
    },
    transactionOf: async ({ messageHash }) => world.landed.get(messageHash)?.transaction,
    ownPayments: async (_owner, { known }) => ({
      isWhole: true,
      payments: [...world.landed].flatMap(([messageHash, { transaction, atHeight }]) => {
        const found = signed.get(messageHash);
        if (found === undefined || known.has(transaction)) return [];
        const { payment, payTo } = found;
        const { asset, amountAtomic, destination } = transferOf(found);
        return [
          {
            transactionId: transaction,
            slot: atHeight,
            isFinal: true,
            timeMs: undefined,
            asset,
            amountAtomic,
            destination,
            payTo,
            feePayer: '2wKupLR9q6wXYppw8Gr2NvWxKBUqm4PPJKkQfoxHDBg4',
            memo: undefined,
            nonce: undefined,
            signed: { ...payment, lastValidBlockHeight: 0 },
          },
        ];
      }),
    }),
    outflows: () => Promise.reject(new Error('nobody asks what left the wallet')),
    received: () => Promise.reject(new Error('nobody asks what a transaction credited')),
    horizon: async () => height() + LIFETIME_BLOCKS + 32,
    isPast: async (other) => height() - 32 > other,
    timeMs: async () => null,
    health: () => Promise.reject(new Error('nobody asks for the health')),
  };
  const rail: PayerRail = {
    ...world.rail,
    insight,
    sign: async (input) => {
      const payment = await world.rail.sign(input);
      const { amountAtomic: amount, requirement } = input;
      signed.set(payment.messageHash, { payment, amount, payTo: requirement.payTo });
      return payment;
    },
  };
  const fetch: Fetch = async (url, init = {}) => {
    const header = init.headers?.['PAYMENT-SIGNATURE'];
    if (header === undefined) return world.fetch(url, init);
    const hash = hashOf(paymentPayload().parse(decodeHeader(header)).payload.transaction);
    const body = String(init.body);
    if ((bodies.get(hash) ?? body) !== body) return jsonReply(400, { error: 'body_mismatch' });
    bodies.set(hash, body);
    return world.fetch(url, init);
  };
  return { insight, deps: (over = {}) => world.deps({ rail, fetch, ...over }) };
}
