/** The topics that a WebSocket may subscribe to, and when each one sends a notification. */
import { SYSTEM_PROGRAM } from '../../rails/solana/address.ts';
import type { ChainAccountRow } from '../../storage/chain-records.ts';
import type { Chain, Commitment } from '../chain/chain.ts';
import { accountWriter } from './account-encoding.ts';
import { addressAt, commitmentOf, configAt, type Params, signature } from './params.ts';

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
  const address = addressAt(params, 0);
  const config = configAt(params, 1);
  const commitment = commitmentOf(config);
  const write = accountWriter(chain, config);
  let last = (await chain.account(address)) ?? closed(address);
  // Refuse at once an encoding that cannot hold the account.
  await write(last);
  return async () => {
    const row = (await chain.account(address)) ?? closed(address);
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
