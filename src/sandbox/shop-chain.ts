/** The chain that a shop is paid on: in this process, or remote behind an RPC. */

import type { Fetch } from '../contract/fetch.ts';
import type { Clock } from '../domain/clock.ts';
import { ScripError } from '../domain/message/errors.ts';
import type { PaymentNews } from '../rails/merchant-rail.ts';
import type { Signer } from '../rails/rail.ts';
import { directTransport } from '../rails/rpc-transport.ts';
import { openForPayments } from '../rails/solana/open-account.ts';
import { createSolanaRpc, type SolanaRpc, solanaRpcOver } from '../rails/solana/rpc.ts';
import type { ChainStore } from '../store/store.ts';
import { type Chain, openChain } from './chain/chain.ts';
import type { TransactionMeta } from './chain/ledger.ts';
import { openChainStore } from './data-folder.ts';
import { BASE_RPC_PATH, createRpcEndpoint, createRpcHandler, RPC_PATH } from './rpc/handler.ts';

export interface Funds {
  readonly usdcAtomic: bigint;
  readonly lamports: bigint;
}

export interface ShopChain {
  readonly rpc: SolanaRpc;
  /** Answers clients' JSON-RPC, of Solana or, at its path, of Base. */
  answer(request: Request): Promise<Response>;
  /** Opens addresses for payments that are not open. @throws {ScripError} CHAIN_UNREACHABLE */
  openForPayments(...owners: readonly string[]): Promise<void>;
  /** Mints test money; amounts in atomic units. @throws {ScripError} CHAIN_UNREACHABLE */
  fund(owner: string, funds: Funds): Promise<void>;
  /** How long until the next block; undefined for a remote chain. */
  readonly nextBlockMs: (() => Promise<number>) | undefined;
  /** Addresses named by new transactions; undefined for a remote chain. */
  readonly news: PaymentNews['since'] | undefined;
  /** The chain itself, if it is in this process. */
  readonly embedded: Chain | undefined;
  close(): Promise<void>;
}

export interface OwnChainOptions {
  readonly clock: Clock;
  /** Slots after which a transaction counts as finalized; by default as many as on Solana. */
  readonly finalSlots?: number | undefined;
}

/** Opens the chain of a data folder. @throws {ScripError} STORE_UNUSABLE, PLATFORM_UNSUPPORTED */
export async function openOwnChain(
  dataDir: string,
  { clock, finalSlots }: OwnChainOptions,
): Promise<ShopChain & { readonly embedded: Chain }> {
  const store = await openChainStore(dataDir);
  const chain = await openChain({ store, clock, finalSlots });
  const answerSolana = createRpcEndpoint(chain);
  const answerBase = openBaseOnce(store, { clock, finalSlots });
  const toHandler = directTransport(createRpcHandler(chain), `http://sandbox.invalid${RPC_PATH}`);
  return {
    rpc: solanaRpcOver(toHandler),
    answer: (request) => (isForBase(request) ? answerBase(request) : answerSolana(request)),
    openForPayments: chain.openForPayments,
    async fund(owner, { usdcAtomic, lamports }) {
      if (lamports > 0n) await chain.airdrop(owner, lamports);
      if (usdcAtomic > 0n) await chain.fundUsdc(owner, usdcAtomic);
    },
    nextBlockMs: async () =>
      (await chain.slotTimeMs((await chain.slot('processed')) + 1)) - clock.now(),
    news: chainNews(store),
    embedded: chain,
    close: () => store.close(),
  };
}

function isForBase({ url }: Request): boolean {
  return new URL(url).pathname === BASE_RPC_PATH;
}

/** The stand-in for Base, in the same store; it loads at its first request. */
function openBaseOnce(
  store: ChainStore,
  { clock, finalSlots }: OwnChainOptions,
): (request: Request) => Promise<Response> {
  let opened: Promise<(request: Request) => Promise<Response>> | undefined;
  const open = async () => {
    const { openEvmEndpoint } = await import('./evm/rpc.ts');
    return openEvmEndpoint({ store, clock, finalBlocks: finalSlots });
  };
  return async (request) => {
    opened ??= open();
    const answer = await opened.catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    return answer(request);
  };
}

export interface RpcAddress {
  readonly url: string;
  readonly fetch: Fetch;
}

/** Reaches a remote chain; the fee payer pays for the accounts opened there. */
export function reachChain(
  { url, fetch }: RpcAddress,
  { clock, feePayer }: { readonly clock: Clock; readonly feePayer: Signer },
): ShopChain {
  const rpc = createSolanaRpc({ url, fetch, clock });
  return {
    rpc,
    answer: (request) => passOn({ url: isForBase(request) ? `${url}/base` : url, fetch }, request),
    openForPayments: async (...owners) => {
      await Promise.all(owners.map((owner) => openForPayments({ rpc, clock, feePayer }, owner)));
    },
    async fund(owner, { usdcAtomic, lamports }) {
      const amounts = { usdc: String(usdcAtomic), lamports: String(lamports) };
      await rpc.request('sandboxFaucet', [owner, amounts]);
    },
    nextBlockMs: undefined,
    news: undefined,
    embedded: undefined,
    close: async () => undefined,
  };
}

/** Forwards JSON-RPC to the remote chain, for clients that know only the shop's address. */
async function passOn({ url, fetch }: RpcAddress, request: Request): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  const reply = await fetch(url, { method: 'POST', headers, body: await request.text() });
  return new Response(await reply.text(), { status: reply.status, headers });
}

/**
 * Funds an empty account from the sandbox's faucet. A chain without a faucet refuses; there the
 * operator sends the money.
 */
export async function fundOnce(chain: ShopChain, owner: string, lamports: bigint): Promise<void> {
  if ((await chain.rpc.accountInfo(owner)) !== null) return;
  try {
    await chain.fund(owner, { usdcAtomic: 0n, lamports });
  } catch (error) {
    const isAnswered = error instanceof ScripError && error.details?.rpcCode !== undefined;
    if (!isAnswered) throw error;
  }
}

// Reports the addresses named by new transactions of the embedded chain, read from its ledger.

/** Transactions per call. */
const PAGE = 500;

function chainNews(store: Pick<ChainStore, 'tables'>): PaymentNews['since'] {
  const { chain } = store.tables;
  return async (mark = '0') => {
    const rows = await chain.transactionsAfter(Number(mark), PAGE);
    // A chain that was recreated has fewer transactions than the mark.
    if (rows.length === 0) {
      const count = await chain.transactionCount();
      return { addresses: [], mark: count < Number(mark) ? String(count) : mark };
    }
    const addresses = rows.flatMap(({ meta }) => addressesIn(JSON.parse(meta)));
    return { addresses: [...new Set(addresses)], mark: String(rows.at(-1)?.position ?? mark) };
  };
}

/** A token transfer names the token account; an order's address is that account's owner. */
function addressesIn({ accounts, postTokenBalances }: TransactionMeta): readonly string[] {
  return [...accounts, ...postTokenBalances.map(({ owner }) => owner)];
}
