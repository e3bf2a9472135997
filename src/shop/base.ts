/** What a shop has on Base. It is loaded, with the code of the rail, only where the configuration names Base. */

import { BASE, SOLANA_MAINNET, USDC_DECIMALS } from '../contract/usdc.ts';
import type { Clock } from '../domain/clock.ts';
import { ScripError } from '../domain/message/errors.ts';
import { type Message, t } from '../domain/message/message.ts';
import { atomic, ETH_DECIMALS, formatDecimal, parseDecimal } from '../domain/money/money.ts';
import { readAddress } from '../rails/evm/address.ts';
import { createEvmFacilitator } from '../rails/evm/facilitator.ts';
import { asAmount } from '../rails/evm/fate.ts';
import { BASE_NETWORK } from '../rails/evm/networks.ts';
import { createEvmPayer } from '../rails/evm/payer.ts';
import { createEvmMerchant } from '../rails/evm/requirement.ts';
import { createEvmRpc, type EvmRpc } from '../rails/evm/rpc.ts';
import { evmSigner } from '../rails/evm/secp256k1.ts';
import { createEvmShopRail } from '../rails/evm/shop-rail.ts';
import { balanceCall } from '../rails/evm/usdc.ts';
import { createEvmWatch, type EvmWatchOptions } from '../rails/evm/watch.ts';
import { type FacilitatorClient, settles, settlesNothing } from '../rails/facilitator-http.ts';
import type {
  CheckoutRail,
  PaymentWatch,
  ReceivingRail,
  ShopRail,
} from '../rails/merchant-rail.ts';
import type { Signer } from '../rails/rail.ts';
import { chainIdAt } from '../rails/solana/health.ts';
import type { SolanaRpc } from '../rails/solana/rpc.ts';
import { formatUsdc } from '../rails/terms.ts';
import { eachOf, nodesOf } from '../rails/witness.ts';
import { type Watch, watchPorts } from '../service/fail-points.ts';
import type { Degraded } from '../service/http/health.ts';
import { createPayerBudget } from '../service/payer-budget.ts';
import { adoptChain } from '../store/ownership.ts';
import { claimsOf, feeTransactionsOf, type Store } from '../store/store.ts';
import type { ShopPlace } from './books-money.ts';
import { checkHealth, witnessedWatch } from './nodes.ts';
import { type BasePlaces, facilitatorAt, httpUrl, type PartOptions } from './parts.ts';
import { type Draw, openKey, readEvmSigner, readSecret } from './secrets.ts';
import type { KeyPlace, SecretPlace } from './shop-config.ts';

interface BaseNodes {
  readonly rpc: EvmRpc;
  readonly witness: EvmRpc | undefined;
}

/** The accounts of a shop on Base. */
interface BaseAccounts {
  readonly feeAccount: Signer;
  readonly treasury: string;
  /** Undefined where the operator pays refunds. */
  readonly refundWallet: Signer | undefined;
}

type BaseParts = BaseNodes & BaseAccounts & Pick<BasePlaces, 'config'>;

export function baseNodes(
  { sources, fetch, clock }: PartOptions,
  { config }: BasePlaces,
): BaseNodes {
  const at = (place: SecretPlace, what: Message) =>
    createEvmRpc({ url: httpUrl(readSecret(place, what, sources), what), fetch, clock });
  const { rpc, witness_rpc: witness } = config;
  return {
    rpc: at(rpc, t`address of the Base RPC`),
    witness: witness && at(witness, t`address of the second Base RPC`),
  };
}

/** Reads the keys. @throws {ScripError} INPUT_INVALID, also for a wallet that has two uses */
export async function baseAccounts(
  { sources }: PartOptions,
  { config, refundWallet: place }: BasePlaces,
): Promise<BaseAccounts> {
  const keyAt = (key: KeyPlace, what: Message) => readEvmSigner(key, what, sources);
  const treasury = readAddress(config.treasury);
  if (treasury === undefined) {
    throw new ScripError(
      'INPUT_INVALID',
      t`The treasury ${config.treasury} has a typing error: its checksum is wrong`,
    );
  }
  const feeAccount = await keyAt(config.fee_account, t`fee account’s key`);
  const refundWallet = place && (await keyAt(place, t`key of the refund wallet on Base`));
  if (refundWallet && [feeAccount.address, treasury].includes(refundWallet.address)) {
    throw new ScripError(
      'INPUT_INVALID',
      t`The refund wallet ${refundWallet.address} is also the fee account or the treasury; it must be a wallet of its own`,
    );
  }
  return { feeAccount, treasury, refundWallet };
}

/** Hash of the first block of Base. A sandbox's chain has another one. */
const GENESIS = '0xf712aa9241cc24369b143cf6dce85f0902a9731e70d66818a3a5845b296c73dd';

/**
 * Checks the nodes, and that the shop is paid on this chain: never with real money on one network and test money
 * on the other. Gives the finalized block.
 * @throws {ScripError} CHAIN_UNREACHABLE; INPUT_INVALID, STORE_UNUSABLE for another chain
 */
export async function checkBase(
  store: Store,
  nodes: BaseNodes,
  { rpc: solana }: { readonly rpc: SolanaRpc },
): Promise<number> {
  const number = checkHealth(await createEvmPayer({ ...nodes, network: BASE_NETWORK }).health());
  const { rpc } = nodes;
  const first = (await rpc.block(0)) ?? (await rpc.block('earliest'));
  const isReal = ((await chainIdAt(solana)) ?? SOLANA_MAINNET) === SOLANA_MAINNET;
  if (isReal !== (first?.hash === GENESIS)) {
    throw new ScripError(
      'INPUT_INVALID',
      t`One of chain.rpc and chain.base.rpc is of a sandbox, and the other is not`,
    );
  }
  await adoptChain(store, {
    ...{ where: 'chain.base.rpc', network: BASE, id: async () => first?.hash },
    hint: t`Name a node of the shop’s own chain there, or another data_dir or database for a new shop.`,
  });
  return number;
}

/** The newest block is seconds old; a node that is this far behind tells of payments late. */
const MOST_LAG_MS = 60_000;
const WATCH_MS = 60_000;
const CONFIRM_TIMEOUT_MS = 8_000;

export interface OpenBase {
  readonly feeAccount: string;
  readonly treasury: string;
  readonly refundWallet: Signer | undefined;
  /** For the checkout host. */
  readonly checkout: CheckoutRail;
  /** Checks that the fee account can pay. @throws {ScripError} FACILITATOR_UNAVAILABLE */
  checkFunds(): Promise<void>;
  /** Addresses that orders of the partner API are paid to, and their payments. */
  readonly receiving: ReceivingRail;
  payments(since: EvmWatchOptions['since']): PaymentWatch;
  /** The shop's own money there. */
  shopRail(watch?: Watch): ShopRail;
  /** Reports each minute what keeps it from taking payments, also while no order comes. */
  watch(): Promise<void>;
  degraded(): Degraded;
}

interface BaseDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly draw: Draw;
  random(length: number): Uint8Array;
}

/** The wallet that owns the receiving account on Base with this number. */
function ownerAt(draw: Draw, position: number): Signer {
  return evmSigner(draw(`receive on base ${position}`));
}

/** Base takes about 20 minutes to finalize. */
const FOLLOW_EVERY_MS = 60_000;

/** An address of Base needs nothing before it can be paid, and nothing is left where it was emptied. */
function receivingOn({
  rpc,
  draw,
}: Pick<BaseParts, 'rpc'> & Pick<BaseDeps, 'draw'>): ReceivingRail {
  const { asset } = BASE_NETWORK;
  return {
    network: BASE,
    followEveryMs: FOLLOW_EVERY_MS,
    ownerAt: (position) => ownerAt(draw, position),
    open: async () => undefined,
    close: async () => undefined,
    async held(owners) {
      const balances = await rpc.calls(asset, owners.map(balanceCall));
      return balances.map((balance) => asAmount(balance) || null);
    },
    baselineOf: async () => String((await rpc.head('latest')).number),
  };
}

function settlingOf(
  { rpc, witness, feeAccount }: BaseParts,
  { store, clock }: Pick<BaseDeps, 'store' | 'clock'>,
) {
  const transactions = feeTransactionsOf(store);
  return { rpc, witness, network: BASE_NETWORK, feeAccount, clock, transactions };
}

/** Undefined where the fee account pays the gas of payments. */
export function baseFacilitator(options: PartOptions, { config }: BasePlaces) {
  return config.facilitator && facilitatorAt(config.facilitator, options);
}

/** What the operator's commands need of it. */
export async function basePlace(
  options: PartOptions,
  places: BasePlaces,
  deps: Omit<BaseDeps, 'clock'>,
): Promise<ShopPlace> {
  const accounts = await baseAccounts(options, places);
  const base = { ...baseNodes(options, places), ...places, ...accounts };
  const settling = settlingOf(base, { ...deps, clock: options.clock });
  return {
    rail: createEvmShopRail({ ...settling, ...deps, claims: claimsOf(deps.store) }),
    refundWallet: accounts.refundWallet?.address,
    treasury: accounts.treasury,
    feePayer: accounts.feeAccount.address,
    ownerAt: (position) => ownerAt(deps.draw, position).address,
  };
}

export function openBase(
  base: BaseParts & { readonly client?: FacilitatorClient | undefined },
  deps: BaseDeps & { readonly maxTimeoutSeconds: number; report(error: unknown): void },
): OpenBase {
  const { rpc, feeAccount, treasury, refundWallet, config, client } = base;
  const { store, clock, random, report, maxTimeoutSeconds } = deps;
  const settling = settlingOf(base, deps);
  const { network } = settling;
  const finalFromAtomic = parseDecimal(config.finalized_from_usdc, USDC_DECIMALS);
  const options = {
    ...{ ...settling, report, claims: claimsOf(store) },
    floorWei: parseDecimal(config.fee_account_floor_eth, ETH_DECIMALS),
    budget: createPayerBudget(store, clock),
    finalFromAtomic,
    confirmTimeoutMs: CONFIRM_TIMEOUT_MS,
  };
  const own = createEvmFacilitator(options);
  const facilitator = client === undefined ? own : createEvmFacilitator({ ...options, client });
  let nextAtMs = 0;
  let fault: Message | null = null;
  const check = async () => {
    const seconds = Math.round(clock.now() / 1_000 - (await rpc.head('latest')).time);
    if (seconds * 1_000 > MOST_LAG_MS) {
      throw new ScripError('CHAIN_UNREACHABLE', t`The RPC is ${seconds} seconds behind the chain`);
    }
    // What orders of the partner API bring is moved at our own cost in any case.
    for (const one of new Set([facilitator, own])) await one.checkFunds();
  };
  return {
    ...{ treasury, refundWallet, feeAccount: feeAccount.address },
    checkout: {
      ...createEvmMerchant({ network, payTo: treasury, maxTimeoutSeconds }),
      facilitator,
    },
    checkFunds: own.checkFunds,
    receiving: receivingOn({ rpc, draw: deps.draw }),
    payments(since) {
      const asked = { network, finalFromAtomic, since };
      const watches = eachOf(nodesOf(base), (node) => createEvmWatch({ ...asked, rpc: node }));
      const [first, second] = watches;
      return second === undefined ? first : witnessedWatch(first, second);
    },
    shopRail: (watch = watchPorts(undefined)) =>
      createEvmShopRail({
        ...{ ...settling, random, rpc: watch.refundRpc(rpc) },
        claims: watch.refundClaims(claimsOf(store)),
        transactions: watch.feeTransactions(settling.transactions),
      }),
    async watch() {
      if (clock.now() < nextAtMs) return;
      nextAtMs = clock.now() + WATCH_MS;
      try {
        await check();
        fault = null;
      } catch (error) {
        fault = AWAY;
        throw error;
      }
    },
    degraded: () => ({ base: fault }),
  };
}

const AWAY = t`Nothing is sold on Base: its chain, the fee account or the facilitator cannot be used`;

/** The lines of `--check`, by part. */
export function baseTries(
  options: PartOptions,
  places: BasePlaces,
  shop: {
    inStore<Found>(work: (store: Store) => Promise<Found>): Promise<Found>;
    rpc(): SolanaRpc;
  },
): Readonly<Record<string, () => Promise<Message>>> {
  const usdcOf = (owner: string) =>
    createEvmPayer({ ...baseNodes(options, places), network: BASE_NETWORK })
      .balances(owner)
      .then(({ usdcAtomic }) => usdcAtomic ?? atomic(0n));
  const refunds = async () => {
    const { refundWallet } = await baseAccounts(options, places);
    if (refundWallet) await openKey(refundWallet);
    const address = refundWallet?.address ?? '';
    return t`${address} has ${formatUsdc(await usdcOf(address))}`;
  };
  return {
    'base chain': async () => {
      const nodes = baseNodes(options, places);
      const solana = { rpc: shop.rpc() };
      const block = await shop.inStore((store) => checkBase(store, nodes, solana));
      return t`finalized block ${block}`;
    },
    'base fee account': async () => {
      const { feeAccount } = await baseAccounts(options, places);
      await openKey(feeAccount);
      const { address } = feeAccount;
      const wei = await baseNodes(options, places).rpc.balance(address);
      const floor = places.config.fee_account_floor_eth;
      const held = formatDecimal(atomic(wei), ETH_DECIMALS);
      if (wei >= parseDecimal(floor, ETH_DECIMALS)) return t`${address} has ${held} ETH`;
      throw new ScripError(
        'INPUT_INVALID',
        t`${address} has ${held} ETH, less than its minimum of ${floor}`,
      );
    },
    ...(places.config.facilitator === undefined
      ? {}
      : {
          'base facilitator': async () => {
            const said = await baseFacilitator(options, places)?.supported();
            if (said && settles(said, BASE)) return t`settles payments on Base`;
            throw new ScripError('INPUT_INVALID', settlesNothing(BASE));
          },
        }),
    'base treasury': async () => {
      const { treasury } = await baseAccounts(options, places);
      const rail = createEvmPayer({ ...baseNodes(options, places), network: BASE_NETWORK });
      if (rail.isKeyAddress(treasury)) return t`${treasury} can be paid to`;
      throw new ScripError('INPUT_INVALID', t`The treasury ${treasury} cannot be paid to`);
    },
    ...(places.refundWallet === undefined ? {} : { 'base refund wallet': refunds }),
  };
}
