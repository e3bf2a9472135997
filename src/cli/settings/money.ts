/** Whether the money of settings is test money, as people are told. */

import { isMarked, isOnThisMachine } from '../../api/payment/play-money.ts';
import { type Message, t } from '../../domain/message.ts';
import type { Wallets } from '../../wallet/wallets.ts';
import type { With } from '../context.ts';
import type { Settings } from './shape.ts';

/** Of everything that settings name; those of another profile too. @throws {ScripError} as `isPlayMoney` */
export async function moneyOf(
  { keys: { wallets }, parts: { playMarks } }: With<'parts' | 'keys'>,
  settings: Settings,
): Promise<'play' | 'real'> {
  const { checkoutUrl, apiUrl, rpcUrl } = settings;
  if (![checkoutUrl, apiUrl, rpcUrl].every(isOnThisMachine)) return 'real';
  const address = await addressIn(wallets, settings);
  return (await isMarked(playMarks, address, settings)) ? 'play' : 'real';
}

/** Whether the wallet that settings name is marked. @throws {ScripError} as `isPlayMoney` */
export async function isPlayWallet(
  { keys: { wallets }, parts: { playMarks } }: With<'parts' | 'keys'>,
  settings: Settings,
): Promise<boolean> {
  return isMarked(playMarks, await addressIn(wallets, settings), settings);
}

/** Undefined where a signer command would have to be asked. */
async function addressIn(
  wallets: Wallets,
  { signer, keypairPath }: Settings,
): Promise<string | undefined> {
  return signer === undefined ? wallets.addressAt(keypairPath) : signer.address;
}

export function moneyText(money: 'play' | 'real'): Message {
  return money === 'play' ? t`test` : t`real`;
}
