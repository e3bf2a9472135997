/** What a payment needs: wallet, chain, journal and limits. */

import { isOnThisMachine } from '../domain/address/loopback.ts';
import { expected, once } from '../domain/attempt.ts';
import type { Journal } from '../domain/journal/journal.ts';
import { ScripError } from '../domain/message/errors.ts';
import { t } from '../domain/message/message.ts';
import type { Channel } from '../domain/policy/spend-rules.ts';
import type { PayerRail, PayingRail, Signer } from '../rails/rail.ts';
import type { Vault } from '../wallet/vault.ts';
import type { Spending } from './payment/measure.ts';
import { networkOf, type Place, type ScripDeps } from './scrip.ts';

export interface Paying {
  /** The wallet's name in the records: the address of its first key. */
  readonly wallet: string;
  /** The key that pays on the rail's network. */
  readonly signer: Signer;
  readonly rail: PayerRail;
  /** The wallet’s other networks: what it paid there counts too. */
  others(): Promise<readonly PayingRail[]>;
  readonly journal: Journal;
  readonly spending: Spending;
  /** Opened only when something is about to be paid, because that may ask for a passphrase. */
  vault(): Promise<Vault>;
}

/**
 * Opens wallet, chain and journal.
 * @param options network to pay on, default: the run's; and who decides, default: the run's channel
 * @throws {ScripError} WALLET_MISSING and the other codes of the wallet, CHAIN_UNREACHABLE
 */
export async function openPaying(
  deps: ScripDeps,
  merchantUrl: string,
  {
    network,
    channel = deps.channel,
  }: { readonly network?: string; readonly channel?: Channel } = {},
): Promise<Paying> {
  const owner = await deps.signer();
  const wallet = owner.address;
  const { openSpending } = await import('./payment/spending.ts');
  const paysOn = network ?? (await networkOf(deps));
  const [rail, signer, journal, spending] = await Promise.all([
    deps.rail(paysOn),
    deps.payer(paysOn),
    deps.journal(owner),
    openSpending(deps, { wallet, merchantUrl, network: paysOn, channel }),
  ]);
  if (rail.isReplayable && !spending.isPlayMoney) checkChain(deps.place, rail);
  const others = once(() =>
    otherRails(deps, { network: paysOn, isChecked: !spending.isPlayMoney }),
  );
  return { wallet, signer, rail, others, journal, spending, vault: () => deps.vault(owner) };
}

/**
 * Opens the rails of the wallet's other networks; without a key for one, nothing of it is loaded.
 * @param options the network to leave out, and whether the RPCs must be the user's own
 * @throws {ScripError} SPENDING_UNKNOWN, the codes of an existing wallet that cannot be used
 */
export async function otherRails(
  { place, payer, rail }: Pick<ScripDeps, 'place' | 'payer' | 'rail'>,
  { network, isChecked }: { readonly network: string; readonly isChecked: boolean },
): Promise<readonly PayingRail[]> {
  const found: PayingRail[] = [];
  for (const other of Object.keys(place.rpcs).filter((id) => id !== network)) {
    const signer = await payer(other).catch(expected(() => undefined, 'WALLET_MISSING'));
    if (signer === undefined) continue;
    if (isChecked) (await import('./payment/spending.ts')).checkRpcIsNamed(place, other);
    found.push({ rail: await rail(other), address: signer.address });
  }
  return found;
}

/**
 * Refuses to sign with a wallet for real money for a chain on this machine: the merchant could collect the
 * payment from the real chain of that name.
 * @throws {ScripError} WALLET_PROFILE_MISMATCH
 */
function checkChain({ rpcs }: Place, { network, name }: PayerRail): void {
  if (!isOnThisMachine(rpcs[network]?.url ?? '')) return;
  throw new ScripError(
    'WALLET_PROFILE_MISMATCH',
    t`A payment to a sandbox’s ${name} is valid on the real ${name} too, and this wallet is not marked as test money`,
    {
      hint: t`Use a wallet that was made for the sandbox. If this one holds only test money: scrip wallet mark-play`,
    },
  );
}
