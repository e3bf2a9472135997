/**
 * Whose shop a database holds, and on which chain it is paid. `scrip sandbox` delivers test codes and `scrip serve`
 * real ones, so neither may go on with the other's orders; on another chain than the shop's own, goods would be
 * delivered for payments that it does not have.
 */

import { ScripError } from '../domain/message/errors.ts';
import { type Message, t } from '../domain/message/message.ts';
import type { Facts, Store } from './store.ts';

export type ShopProgram = 'sandbox' | 'serve';

/** Names of the facts in which each program keeps the fingerprint of its secret. */
const FINGERPRINTS: Readonly<Record<ShopProgram, string>> = {
  sandbox: 'secret fingerprint',
  serve: 'master seed fingerprint',
};

/**
 * Returns the fingerprint that the shop was begun with; undefined if it has none yet.
 * @throws {ScripError} STORE_UNUSABLE when the database is of the other program. Earlier versions let both
 * write theirs: such a database is of `scrip serve`, whose orders are paid with real money.
 */
export async function fingerprintIn(
  facts: Facts,
  program: ShopProgram,
): Promise<string | undefined> {
  const served = await facts.get(FINGERPRINTS.serve);
  const played = await facts.get(FINGERPRINTS.sandbox);
  if (program === 'serve' && served === undefined && played !== undefined) throw ofOther(program);
  if (program === 'sandbox' && served !== undefined) throw ofOther(program);
  return program === 'serve' ? served : played;
}

/** What a database keeps of the secret that keys are derived from. */
export function fingerprintOf(draw: (purpose: string) => Uint8Array): string {
  return Buffer.from(draw('fingerprint')).toString('hex');
}

/** Like `fingerprintIn`; a shop without a fingerprint gets this one. */
export async function ownFingerprint(
  store: Store,
  program: ShopProgram,
  fingerprint: string,
): Promise<string> {
  const known = await fingerprintIn(store.tables.facts, program);
  if (known !== undefined) return known;
  return store.write(async ({ facts, holds }) => {
    // Both programs may find an empty database at once.
    await holds.take('fact fingerprint');
    return (await fingerprintIn(facts, program)) ?? facts.once(FINGERPRINTS[program], fingerprint);
  });
}

const OF_OTHER: Readonly<Record<ShopProgram, Message>> = {
  sandbox: t`The database holds a shop of scrip serve, whose orders scrip sandbox would fill with test codes`,
  serve: t`The database holds a shop of scrip sandbox, whose orders are paid with test money`,
};

function ofOther(program: ShopProgram): ScripError {
  return new ScripError('STORE_UNUSABLE', OF_OTHER[program], {
    hint: t`Name another database. Nothing was changed in this one.`,
  });
}

/** @throws {ScripError} INPUT_INVALID */
export function requireShop<Values>(facts: Values | undefined, hint: Message): Values {
  if (facts !== undefined) return facts;
  throw new ScripError('INPUT_INVALID', t`There is no shop in this database`, { hint });
}

/** The fact that says on which chain a shop is paid; not the chain's own fact, which begins with `chain.`. */
const CHAIN = 'chain id';

function factOf({ network }: ChainAhead): string {
  return network === undefined ? CHAIN : `${CHAIN} ${network}`;
}

/** A chain that a shop is to be opened on. */
export interface ChainAhead {
  /** Its address or folder, for messages. */
  readonly where: string;
  /** CAIP-2 id of a further chain; by default it is the shop's first. */
  readonly network?: string;
  /** Undefined where the chain does not tell, or is not made yet. */
  id(): Promise<string | undefined>;
  /** How to name the shop's own chain. */
  readonly hint: Message;
}

/** A shop that was begun before chains were remembered adopts the next one. @throws {ScripError} STORE_UNUSABLE */
export async function checkChain(facts: Facts, chain: ChainAhead): Promise<void> {
  const { where, id, hint } = chain;
  const known = await facts.get(factOf(chain));
  if (known === undefined || known === (await id())) return;
  throw new ScripError(
    'STORE_UNUSABLE',
    t`The shop was begun on another chain than the one at ${where}`,
    { hint },
  );
}

/** Remembers the chain that is open now. @throws {ScripError} STORE_UNUSABLE when another was first */
export async function adoptChain({ tables: { facts } }: Store, chain: ChainAhead): Promise<void> {
  const id = await chain.id();
  if (id !== undefined) await facts.once(factOf(chain), id);
  await checkChain(facts, { ...chain, id: async () => id });
}
