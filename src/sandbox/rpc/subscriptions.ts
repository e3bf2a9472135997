/** The topics that a WebSocket may subscribe to, and when each one sends a notification. */
import { SYSTEM_PROGRAM } from '../../rails/solana/address.ts';
import { decodeTransaction, isWritable } from '../../rails/solana/message.ts';
import type { ChainAccountRow } from '../../store/tables/chain.ts';
import type { Chain, Commitment } from '../chain/chain.ts';
import type { ChainTransaction } from '../chain/reads.ts';
import { accountWriter } from './account-encoding.ts';
import { filterOf } from './accounts.ts';
import {
  address,
  addressAt,
  commitmentOf,
  configAt,
  type Params,
  record,
  signature,
} from './params.ts';
import { badParams } from './refusal.ts';

/** One notification; none follows one with `isLast`. */
export interface News {
  readonly result: unknown;
  readonly isLast?: boolean;
}

/** Reads the chain and returns the notifications since the previous call. */
type Watch = () => Promise<readonly News[]>;

export interface Topic {
  /** Method name of its notifications. */
  readonly notification: string;
  /** Starts to watch. @throws {ScripError} as methods of the RPC do */
  watch(chain: Chain, params: Params): Promise<Watch>;
}

/** By the word before `Subscribe` and `Unsubscribe`. */
export const TOPICS: ReadonlyMap<string, Topic> = new Map<string, Topic>([
  ['signature', { notification: 'signatureNotification', watch: watchSignature }],
  ['account', { notification: 'accountNotification', watch: watchAccount }],
  ['slot', { notification: 'slotNotification', watch: watchSlot }],
  ['root', { notification: 'rootNotification', watch: watchRoot }],
  ['logs', { notification: 'logsNotification', watch: watchLogs }],
  ['program', { notification: 'programNotification', watch: watchProgram }],
]);

const RANKS: Readonly<Record<Commitment, number>> = { processed: 0, confirmed: 1, finalized: 2 };

/** Notifies once when the transaction has the requested commitment, also if it already has it. */
async function watchSignature(chain: Chain, params: Params): Promise<Watch> {
  const wanted = signature(params[0]);
  const config = configAt(params, 1);
  const commitment = commitmentOf(config);
  let isReceiptDue = config.enableReceivedNotification === true;
  return async () => {
    const [status] = await chain.statuses([wanted]);
    if (!status) return [];
    const context = { slot: await chain.slot(commitment) };
    const news: News[] = isReceiptDue ? [{ result: { context, value: 'receivedSignature' } }] : [];
    isReceiptDue = false;
    if (RANKS[status.commitment] < RANKS[commitment]) return news;
    return [...news, { result: { context, value: { err: status.error } }, isLast: true }];
  };
}

/** Balances are those of the newest slot at every commitment, as in every method here. */
async function watchAccount(chain: Chain, params: Params): Promise<Watch> {
  const watched = addressAt(params, 0);
  const config = configAt(params, 1);
  const commitment = commitmentOf(config);
  const write = accountWriter(chain, config);
  let last = (await chain.account(watched)) ?? closed(watched);
  // Refuse at once an encoding that cannot hold the account.
  await write(last);
  return async () => {
    const row = (await chain.account(watched)) ?? closed(watched);
    if (isSame(row, last)) return [];
    last = row;
    const context = { slot: await chain.slot(commitment) };
    return [{ result: { context, value: await write(row) } }];
  };
}

/** How nodes show an account that no longer exists. */
function closed(address: string): ChainAccountRow {
  const data = new Uint8Array();
  return { address, lamports: '0', owner: SYSTEM_PROGRAM, data, executable: false };
}

function isSame(one: ChainAccountRow, other: ChainAccountRow): boolean {
  return (
    one.lamports === other.lamports &&
    one.owner === other.owner &&
    one.executable === other.executable &&
    Buffer.compare(one.data, other.data) === 0
  );
}

async function watchSlot(chain: Chain): Promise<Watch> {
  let last = await chain.slot('processed');
  return async () => {
    const slot = await chain.slot('processed');
    if (slot === last) return [];
    last = slot;
    return [{ result: { slot, parent: slot - 1, root: await chain.slot('finalized') } }];
  };
}

async function watchRoot(chain: Chain): Promise<Watch> {
  let last = await chain.slot('finalized');
  return async () => {
    const root = await chain.slot('finalized');
    if (root === last) return [];
    last = root;
    return [{ result: root }];
  };
}

async function watchLogs(chain: Chain, params: Params): Promise<Watch> {
  const isAsked = mentionsOf(params[0]);
  const next = await transactionsFromNow(chain, commitmentOf(configAt(params, 1)));
  return async () =>
    (await next())
      .filter(({ meta }) => isAsked(meta.accounts))
      .map(({ signature: id, slot, error, meta }) => ({
        result: { context: { slot }, value: { signature: id, err: error, logs: meta.logs } },
      }));
}

/** Reads `"all"`, `"allWithVotes"` or `{"mentions": [address]}`. */
function mentionsOf(asked: unknown): (accounts: readonly string[]) => boolean {
  if (asked === 'all' || asked === 'allWithVotes') return () => true;
  const { mentions } = record(asked) ?? {};
  if (!Array.isArray(mentions) || mentions.length !== 1) {
    throw badParams('Invalid param: name "all" or one address as mentions');
  }
  const mentioned = address(mentions[0], 'an address');
  return (accounts) => accounts.includes(mentioned);
}

/** Tells the accounts of a program that transactions wrote; the faucet writes without one. */
async function watchProgram(chain: Chain, params: Params): Promise<Watch> {
  const program = addressAt(params, 0);
  const config = configAt(params, 1);
  const { encoding = 'base64' } = config;
  // Nodes put an error in place of longer data in base58.
  if (encoding === 'base58' || encoding === 'binary') {
    throw badParams('Invalid param: programSubscribe needs the encoding base64 or jsonParsed');
  }
  const write = accountWriter(chain, { ...config, encoding });
  const matches = filterOf(config.filters);
  const commitment = commitmentOf(config);
  const next = await transactionsFromNow(chain, commitment);
  return async () => {
    const written = new Set((await next()).flatMap(writtenBy));
    if (written.size === 0) return [];
    const context = { slot: await chain.slot(commitment) };
    const rows = (await chain.accounts([...written])).filter((row) => row !== undefined);
    const owned = rows.filter((row) => row.owner === program && matches(row));
    return Promise.all(
      owned.map(async (row) => ({
        result: { context, value: { pubkey: row.address, account: await write(row) } },
      })),
    );
  };
}

/** A transaction that fails writes only the account that pays its fee. */
function writtenBy({ wire, error }: ChainTransaction): readonly string[] {
  const decoded = decodeTransaction(wire);
  return decoded.accountKeys.filter((_key, index) =>
    error === null ? isWritable(decoded, index) : index === 0,
  );
}

/** Returns a function that reads the transactions which reached the commitment since its last call. */
async function transactionsFromNow(
  chain: Chain,
  commitment: Commitment,
): Promise<() => Promise<readonly ChainTransaction[]>> {
  let mark = await chain.transactionCount();
  return async () => {
    const found = await chain.transactionsAfter(mark, commitment);
    mark = found.at(-1)?.position ?? mark;
    return found;
  };
}
