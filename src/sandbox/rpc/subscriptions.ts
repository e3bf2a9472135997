/** The topics that a WebSocket may subscribe to, and when each one sends a notification. */

import type { Clock } from '../../domain/clock.ts';
import { decodeTransaction, isWritable } from '../../rails/solana/message.ts';
import { isSameAccount, noAccount } from '../chain/accounts.ts';
import type { Chain, Commitment } from '../chain/chain.ts';
import type { ChainTransaction } from '../chain/reads.ts';
import { accountWriter, filterOf } from './accounts.ts';
import { answerCall, PARSE_FAILED } from './handler.ts';
import {
  address,
  addressAt,
  badParams,
  commitmentOf,
  configAt,
  fault,
  type Params,
  record,
  signature,
} from './protocol.ts';

/** One notification; none follows one with `isLast`. */
interface News {
  readonly result: unknown;
  readonly isLast?: boolean;
}

/** Reads the chain and returns the notifications since the previous call. */
type Watch = () => Promise<readonly News[]>;

/** Starts to watch. @throws {ScripError} as methods of the RPC do */
type Topic = (chain: Chain, params: Params) => Promise<Watch>;

/** By the word before `Subscribe`, `Unsubscribe` and `Notification`. */
const TOPICS: ReadonlyMap<string, Topic> = new Map<string, Topic>([
  ['signature', watchSignature],
  ['account', watchAccount],
  ['slot', (chain) => watchSlots(chain, 'processed')],
  ['root', (chain) => watchSlots(chain, 'finalized')],
  ['logs', watchLogs],
  ['program', watchProgram],
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
  let last = (await chain.account(watched)) ?? noAccount(watched);
  // Refuse at once an encoding that cannot hold the account.
  await write(last);
  return async () => {
    const row = (await chain.account(watched)) ?? noAccount(watched);
    if (isSameAccount(row, last)) return [];
    last = row;
    const context = { slot: await chain.slot(commitment) };
    return [{ result: { context, value: await write(row) } }];
  };
}

/** Tells each new slot: the newest with the one before it, or a final one by its number. */
async function watchSlots(chain: Chain, commitment: 'processed' | 'finalized'): Promise<Watch> {
  let last = await chain.slot(commitment);
  return async () => {
    const slot = await chain.slot(commitment);
    if (slot === last) return [];
    last = slot;
    if (commitment === 'finalized') return [{ result: slot }];
    return [{ result: { slot, parent: slot - 1, root: await chain.slot('finalized') } }];
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

// The subscriptions of all WebSockets: takes JSON-RPC calls, sends answers and notifications.

/** The subscriptions of one WebSocket. */
export interface Subscriber {
  /** Answers a message. Never throws. */
  receive(text: string): Promise<void>;
  hasSubscriptions(): boolean;
  /** Ends all its subscriptions. */
  leave(): void;
}

interface Deps {
  readonly chain: Chain;
  readonly clock: Clock;
  /** Aborted to stop polling the chain. */
  readonly stopped: AbortSignal;
  /** Maximum number of subscriptions per WebSocket. */
  readonly mostEach: number;
  report(error: unknown): void;
}

interface Subscription {
  readonly id: number;
  readonly topic: string;
  readonly look: Watch;
}

interface Member {
  readonly open: Map<number, Subscription>;
  /** Number of calls refused so far. */
  refused: number;
  /** Refusals to be sent together. */
  readonly waiting: unknown[];
  send(text: string): void;
}

/**
 * A quarter of a slot. Other processes also write to the chain, so it must be polled. The first
 * poll comes after the answer that contains the subscription's id.
 */
const LOOK_EVERY_MS = 100;

/** web3.js repeats a refused call as soon as it is answered, so answers after these first ones wait. */
const PROMPT_REFUSALS = 8;
const REFUSAL_WAIT_MS = 1000;

/** Returns a function that adds a WebSocket, given how to send to it. */
export function createSubscribers(deps: Deps): (send: (text: string) => void) => Subscriber {
  const members = new Set<Member>();
  let lastId = 0;
  const keepLooking = createRounds({
    ...deps,
    everyMs: LOOK_EVERY_MS,
    isNeeded: () => [...members].some(({ open }) => open.size > 0),
    round: async () => {
      await Promise.all([...members].map(tellNews));
    },
  });

  async function subscribe({ open }: Member, topic: string, watch: () => Promise<Watch>) {
    lastId += 1;
    const id = lastId;
    if (open.size >= deps.mostEach) throw fault('internal', TOO_MANY);
    // Reserve a place before the first await, so parallel calls cannot exceed the limit.
    open.set(id, { id, topic: '', look: async () => [] });
    try {
      open.set(id, { id, topic, look: await watch() });
    } catch (error) {
      open.delete(id);
      throw error;
    }
    keepLooking();
    return id;
  }

  /** Answers the first refusals at once and later ones after a second, together with those that came meanwhile. */
  async function refuse(member: Member, answer: unknown): Promise<void> {
    const { waiting } = member;
    member.refused += 1;
    waiting.push(answer);
    const isPrompt = member.refused <= PROMPT_REFUSALS || waiting.length >= deps.mostEach;
    if (!isPrompt && waiting.length > 1) return;
    if (!isPrompt) await deps.clock.sleep(REFUSAL_WAIT_MS, deps.stopped).catch(() => undefined);
    for (const one of waiting.splice(0)) {
      if (members.has(member)) member.send(JSON.stringify(one));
    }
  }

  return (send) => {
    const member: Member = { open: new Map(), refused: 0, waiting: [], send };
    members.add(member);
    return {
      async receive(text) {
        const answer = await answerText(text, (name) => {
          const [, word = '', verb] = /^(\w+?)(Uns|S)ubscribe$/.exec(name) ?? [];
          const topic = TOPICS.get(word);
          if (!topic) return undefined;
          return verb === 'S'
            ? (params) => subscribe(member, word, () => topic(deps.chain, params))
            : (params) => unsubscribe(member, word, params);
        });
        if (answer === undefined) return;
        const isRefused = record(answer)?.error !== undefined;
        if (isRefused) await refuse(member, answer);
        else send(JSON.stringify(answer));
      },
      hasSubscriptions: () => member.open.size > 0,
      leave: () => {
        members.delete(member);
      },
    };
  };
}

const TOO_MANY = 'Internal error: Subscription refused. This websocket has as many as it may.';

async function unsubscribe({ open }: Member, topic: string, [id]: Params): Promise<true> {
  const found = typeof id === 'number' ? open.get(id) : undefined;
  if (found?.topic !== topic) throw badParams('Invalid subscription id.');
  open.delete(found.id);
  return true;
}

async function tellNews({ open, send }: Member): Promise<void> {
  await Promise.all(
    [...open.values()].map(async ({ id, topic, look }) => {
      for (const { result, isLast } of await look()) {
        // The subscription may have ended while the chain was read.
        if (!open.has(id)) return;
        if (isLast) open.delete(id);
        const params = { result, subscription: id };
        send(JSON.stringify({ jsonrpc: '2.0', method: `${topic}Notification`, params }));
      }
    }),
  );
}

/** Returns undefined for a message that expects no answer, such as the standard clients' `ping`. */
async function answerText(
  text: string,
  methodOf: Parameters<typeof answerCall>[1],
): Promise<unknown> {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return PARSE_FAILED;
  }
  const call = record(body);
  if (typeof call?.method === 'string' && call.id === undefined) return undefined;
  return answerCall(body, methodOf);
}

// Repeats work as long as it is needed.

interface Rounds {
  readonly clock: Clock;
  /** Wait before each round, including the first. */
  readonly everyMs: number;
  readonly stopped: AbortSignal;
  isNeeded(): boolean;
  round(): Promise<void> | void;
  report(error: unknown): void;
}

/** Returns a function that starts the rounds; calling it again while they run has no effect. */
export function createRounds({ clock, everyMs, stopped, ...work }: Rounds): () => void {
  let isRunning = false;
  const run = async (): Promise<void> => {
    if (isRunning) return;
    isRunning = true;
    while (work.isNeeded() && !stopped.aborted) {
      await clock.sleep(everyMs, stopped).catch(() => undefined);
      if (!stopped.aborted) await tried(work);
    }
    isRunning = false;
  };
  return () => {
    run().catch(work.report);
  };
}

async function tried({ round, report }: Pick<Rounds, 'round' | 'report'>): Promise<void> {
  try {
    await round();
  } catch (error) {
    report(error);
  }
}
