/**
 * Whether money is test money. A mark on the wallet decides, made by the sandbox or its owner. Neither host
 * names nor responses of a host or an RPC count: each may be a relay to a real one.
 */
import { MAINNET_RPC_URL } from '../../contract/usdc.ts';
import { commandText } from '../../domain/command-text.ts';
import { ScripError } from '../../domain/errors.ts';
import { isLoopbackHost } from '../../domain/loopback.ts';
import { t } from '../../domain/message.ts';
import type { PlayMarks } from '../../wallet/play-marks.ts';
import type { Place } from '../scrip.ts';

interface Stake {
  /** Undefined when there is no wallet yet. */
  readonly address: string | undefined;
  /** Base address of the host to pay. */
  readonly merchantUrl: string;
}

/**
 * Whether a payment is of test money. Outside this machine, a test-money wallet pays by the rules for real
 * money.
 * @throws {ScripError} WALLET_UNSAFE, WALLET_INVALID for a mark that is not trustworthy
 */
export async function isPlayMoney(
  deps: { readonly place: Pick<Place, 'rpcUrl' | 'isSandboxKey'>; readonly playMarks: PlayMarks },
  { address, merchantUrl }: Stake,
): Promise<boolean> {
  const { place, playMarks } = deps;
  const isHere = [place.rpcUrl, merchantUrl].every(isOnThisMachine);
  return isHere && (await isMarked(playMarks, address, place));
}

/**
 * Requires the user's own RPC. The RPC reports the day's spending and whether a payment is dead; with real
 * money, the merchant must not decide either. A merchant on this machine also provides the default RPC.
 * @throws {ScripError} SPENDING_UNKNOWN
 */
export function checkRpcIsNamed({
  isEmbedded,
  sources,
  checkoutUrl,
}: Pick<Place, 'isEmbedded' | 'sources' | 'checkoutUrl'>): void {
  // The embedded chain runs in this process, so no merchant controls it.
  if (isEmbedded || sources.rpcUrl !== undefined || !isOnThisMachine(checkoutUrl)) return;
  const { host } = new URL(checkoutUrl);
  throw new ScripError(
    'SPENDING_UNKNOWN',
    t`No RPC is set, and ${host} is not trusted to confirm its own payments; nothing was signed`,
    {
      hint: commandText`Name your own Solana RPC with --rpc-url, such as --rpc-url ${MAINNET_RPC_URL}. If the wallet holds only test money: scrip wallet mark-play`,
    },
  );
}

/** Whether the wallet is marked; without a wallet, whether one created here would be. */
export async function isMarked(
  playMarks: PlayMarks,
  address: string | undefined,
  { isSandboxKey }: Pick<Place, 'isSandboxKey'>,
): Promise<boolean> {
  return address === undefined ? isSandboxKey : playMarks.has(address);
}

export function isOnThisMachine(url: string): boolean {
  return isLoopbackHost(new URL(url).hostname);
}
