/**
 * Lets the checkout host be paid on the sandbox's stand-in for Base. The rail's code is loaded with the first
 * order, and the chain with the first payment.
 */

import { BASE, USDC_ADDRESSES } from '../contract/usdc.ts';
import { once } from '../domain/attempt.ts';
import type { Clock } from '../domain/clock.ts';
import { ScripError } from '../domain/message/errors.ts';
import { verbatim } from '../domain/message/message.ts';
import type {
  CheckoutRail,
  ClaimStore,
  PayerBudget,
  PaymentWatch,
} from '../rails/merchant-rail.ts';
import type { Watch } from '../service/fail-points.ts';
import type { RefundSender } from '../service/refunds/refund-payments.ts';
import { createShopTransfers } from '../service/refunds/shop-transfers.ts';
import { claimsOf, feeTransactionsOf, type Store } from '../store/store.ts';
import { BASE_TREASURY, type Draw } from './data-folder.ts';
import { BASE_RPC_PATH } from './rpc/handler.ts';
import type { ShopChain } from './shop-chain.ts';

interface BaseRailOptions {
  readonly chain: Pick<ShopChain, 'answer'>;
  readonly baseUrl: string;
  readonly clock: Clock;
  readonly store: Store;
  readonly claims: ClaimStore;
  readonly budget: PayerBudget;
  readonly watch: Pick<Watch, 'rpc' | 'feeTransactions' | 'refundRpc' | 'refundClaims'>;
  readonly draw: Draw;
  readonly maxTimeoutSeconds: number;
  readonly confirmTimeoutMs: number;
  random(length: number): Uint8Array;
  report(error: unknown): void;
}

/** Of the fee account, in 10^-18 ETH: more than all the gas that a sandbox pays. */
const FEE_FUNDS = String(10n ** 20n);
/** Of the refund wallet, in atomic units: more than all refunds of a day. */
const REFUND_FUNDS = String(10n ** 13n);

export interface BaseRail extends CheckoutRail {
  /** Has to be called before a payment is read. */
  load(): Promise<void>;
  /** Address that only this order is paid to. */
  addressOf(orderId: string): Promise<string>;
  /** Payments of orders at their own addresses. */
  readonly payments: PaymentWatch;
  /** Sends refunds of what was paid on it, from a wallet of test money. */
  refundSender(): Promise<RefundSender>;
}

export function createBaseRail(options: BaseRailOptions): BaseRail {
  let rail: OpenRail | undefined;
  const open = once(async () => {
    rail = await openRail(options);
    return rail;
  });
  return {
    network: BASE,
    asset: USDC_ADDRESSES[BASE],
    signIn: {
      type: 'eip191',
      account: 'Ethereum',
      signedBy: async (...signed) => {
        const { evmSignIn } = await import('../rails/evm/secp256k1.ts');
        return evmSignIn.signedBy(...signed);
      },
    },
    load: async () => void (await open()),
    addressOf: async (orderId) => (await open()).addressOf(orderId),
    payments: {
      received: async (order) => (await open()).payments.received(order),
    },
    walletRequest: async (order) => (await open()).walletRequest(order),
    refundSender: async () => (await open()).refundSender(),
    requirement: async (input) => (await open()).requirement(input),
    inspect: (payload) => {
      if (rail !== undefined) return rail.inspect(payload);
      throw new ScripError('INTERNAL', verbatim('the rail of Base is not loaded'));
    },
    facilitator: {
      supported: async () => (await open()).facilitator.supported(),
      verify: async (...asked) => (await open()).facilitator.verify(...asked),
      settle: async (...asked) => (await open()).facilitator.settle(...asked),
      // Test money pays the gas, and the chain is not loaded before it is used.
      checkFunds: async () => undefined,
    },
  };
}

type OpenRail = Omit<BaseRail, 'load'> & Required<Pick<CheckoutRail, 'walletRequest'>>;

async function openRail(options: BaseRailOptions): Promise<OpenRail> {
  const { chain, baseUrl, clock, store, claims, budget, watch, draw, random, report } = options;
  const [
    merchants,
    { createEvmFacilitator },
    { createEvmRpc },
    { BASE_NETWORK: network },
    keys,
    shopRails,
    watches,
  ] = await Promise.all([
    import('../rails/evm/requirement.ts'),
    import('../rails/evm/facilitator.ts'),
    import('../rails/evm/rpc.ts'),
    import('../rails/evm/networks.ts'),
    import('../rails/evm/secp256k1.ts'),
    import('../rails/evm/shop-rail.ts'),
    import('../rails/evm/watch.ts'),
  ]);
  const url = `${baseUrl}${BASE_RPC_PATH}`;
  const fetch = (input: string, init?: RequestInit) => chain.answer(new Request(input, init));
  const node = createEvmRpc({ url, fetch, clock });
  const rpc = watch.rpc(node);
  const feeAccount = keys.evmSigner(draw('base fee account'));
  const transactions = watch.feeTransactions(feeTransactionsOf(store));
  const facilitator = createEvmFacilitator({
    ...{ rpc, network, clock, claims, budget, feeAccount, transactions, report },
    confirmTimeoutMs: options.confirmTimeoutMs,
  });
  const merchant = merchants.createEvmMerchant({
    network,
    payTo: keys.evmSigner(draw(BASE_TREASURY)).address,
    maxTimeoutSeconds: options.maxTimeoutSeconds,
  });
  const give = async (...params: readonly [address: string, funds: object]) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'sandboxFaucet', params });
    const headers = { 'content-type': 'application/json' };
    await fetch(url, { method: 'POST', headers, body });
  };
  const funded = once(async () => {
    const isPoor = (await rpc.balance(feeAccount.address)) === 0n;
    if (isPoor) await give(feeAccount.address, { wei: FEE_FUNDS });
    return facilitator;
  });
  const wallet = keys.evmSigner(draw('base refunds'));
  const shopRail = shopRails.createEvmShopRail({
    ...{ rpc: watch.refundRpc(node), network, clock, feeAccount, transactions, random },
    claims: watch.refundClaims(claimsOf(store)),
  });
  const topUp = () => give(wallet.address, { usdc: REFUND_FUNDS });
  return {
    ...merchant,
    addressOf: async (orderId) => keys.evmSigner(draw(`order ${orderId}`)).address,
    payments: watches.createEvmWatch({ rpc: node, network }),
    async refundSender() {
      await funded();
      return { transfers: createShopTransfers(store, shopRail), wallet, topUp };
    },
    facilitator: {
      ...facilitator,
      verify: async (...asked) => (await funded()).verify(...asked),
      settle: async (...asked) => (await funded()).settle(...asked),
    },
  };
}
