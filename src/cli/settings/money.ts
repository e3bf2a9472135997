/**
 * Whether money is play money. The wallet decides, by a mark that the sandbox or its owner made: no name
 * of a host and no answer of a host or of an RPC makes money play, for a relay may stand behind either.
 */
import { commandText } from '../../domain/command-text.ts';
import { ScripError } from '../../domain/errors.ts';
import { isLoopbackHost } from '../../domain/loopback.ts';
import { type Message, t } from '../../domain/message.ts';
import type { Context } from '../context.ts';
import { MAINNET_RPC_URL } from './settings.ts';
import type { Settings } from './shape.ts';

interface Stake {
  /** Undefined where there is no wallet yet. */
  readonly address: string | undefined;
  /** Base address of the host that is paid. */
  readonly merchantUrl: string;
}

/**
 * Of a payment. A wallet of play money pays by the rules of real money wherever else it is tried.
 * @throws {ScripError} WALLET_UNSAFE, WALLET_INVALID for a mark that cannot be relied on
 */
export async function isPlayMoney(
  { settings, parts: { playMarks } }: Pick<Context, 'settings' | 'parts'>,
  { address, merchantUrl }: Stake,
): Promise<boolean> {
  const isHere = [settings.rpcUrl, merchantUrl].every(isOnThisMachine);
  return isHere && (await isMarked(playMarks, address, settings));
}

/**
 * The RPC says what the day has cost and whether a payment is dead: of real money a merchant is not
 * believed about either. Behind a loopback address the RPC is the merchant's own unless it was named.
 * @throws {ScripError} SPENDING_UNKNOWN
 */
export function checkRpcIsNamed({ isEmbedded, sources, checkoutUrl }: Settings): void {
  // The embedded chain runs in this process: no merchant stands behind it.
  if (isEmbedded || sources.rpcUrl !== undefined || !isOnThisMachine(checkoutUrl)) return;
  const { host } = new URL(checkoutUrl);
  throw new ScripError(
    'SPENDING_UNKNOWN',
    t`no RPC is named, and ${host} is not asked what the chain says of its own payments; nothing was signed`,
    {
      hint: commandText`Add --rpc-url with the address of your own Solana RPC, such as --rpc-url ${MAINNET_RPC_URL}. If the wallet holds play money alone: scrip wallet mark-play`,
    },
  );
}

/** Of everything that settings name; those of another profile too. @throws {ScripError} as `isPlayMoney` */
export async function moneyOf(
  { keys: { wallets }, parts: { playMarks } }: Pick<Context, 'keys' | 'parts'>,
  settings: Settings,
): Promise<'play' | 'real'> {
  const { checkoutUrl, apiUrl, rpcUrl } = settings;
  if (![checkoutUrl, apiUrl, rpcUrl].every(isOnThisMachine)) return 'real';
  const address = await addressIn(wallets, settings);
  return (await isMarked(playMarks, address, settings)) ? 'play' : 'real';
}

/** Whether the wallet that settings name is marked. @throws {ScripError} as `isPlayMoney` */
export async function isPlayWallet(
  { keys: { wallets }, parts: { playMarks } }: Pick<Context, 'keys' | 'parts'>,
  settings: Settings,
): Promise<boolean> {
  return isMarked(playMarks, await addressIn(wallets, settings), settings);
}

/** Undefined where a signer command would have to be asked. */
async function addressIn(
  wallets: Context['keys']['wallets'],
  { signer, keypairPath }: Settings,
): Promise<string | undefined> {
  return signer === undefined ? wallets.addressAt(keypairPath) : signer.address;
}

/** Without a wallet: as the one will be that `wallet new` makes there. */
async function isMarked(
  playMarks: Context['parts']['playMarks'],
  address: string | undefined,
  { isSandboxKey }: Settings,
): Promise<boolean> {
  return address === undefined ? isSandboxKey : playMarks.has(address);
}

function isOnThisMachine(url: string): boolean {
  return isLoopbackHost(new URL(url).hostname);
}

export function moneyText(money: 'play' | 'real'): Message {
  return money === 'play' ? t`play` : t`real`;
}
