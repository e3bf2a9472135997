/** Whether the settings use test money or real money. */

import { isMarked, isOnThisMachine } from '../../api/payment/play-money.ts';
import { type Message, t } from '../../domain/message.ts';
import type { Wallets } from '../../wallet/wallets.ts';
import type { With } from '../context.ts';
import type { Settings } from './shape.ts';

/**
 * The kind of money for any settings, also those of another profile.
 * @throws {ScripError} as `isPlayMoney`
 */
export async function moneyOf(
  { keys: { wallets }, parts: { playMarks } }: With<'parts' | 'keys'>,
  settings: Settings,
): Promise<'play' | 'real'> {
  const { checkoutUrl, apiUrl, rpcUrl } = settings;
  if (![checkoutUrl, apiUrl, rpcUrl].every(isOnThisMachine)) return 'real';
  const address = await addressIn(wallets, settings);
  return (await isMarked(playMarks, address, settings)) ? 'play' : 'real';
}

/** Whether the configured wallet is marked as a test-money wallet. @throws {ScripError} as `isPlayMoney` */
export async function isPlayWallet(
  { keys: { wallets }, parts: { playMarks } }: With<'parts' | 'keys'>,
  settings: Settings,
): Promise<boolean> {
  return isMarked(playMarks, await addressIn(wallets, settings), settings);
}

/** Undefined for a signer command without a known address: don't run it just for this. */
async function addressIn(
  wallets: Wallets,
  { signer, keypairPath }: Settings,
): Promise<string | undefined> {
  return signer === undefined ? wallets.addressAt(keypairPath) : signer.address;
}

export function moneyText(money: 'play' | 'real'): Message {
  return money === 'play' ? t`test` : t`real`;
}
