/**
 * Whether money is test money. The wallet decides, by a mark that the sandbox or its owner made: no name
 * of a host and no answer of a host or of an RPC makes money play, for a relay may stand behind either.
 */
import { MAINNET_RPC_URL } from '../../contract/usdc.ts';
import { commandText } from '../../domain/command-text.ts';
import { ScripError } from '../../domain/errors.ts';
import { isLoopbackHost } from '../../domain/loopback.ts';
import { t } from '../../domain/message.ts';
import type { PlayMarks } from '../../wallet/play-marks.ts';
import type { Place } from '../scrip.ts';

interface Stake {
  /** Undefined where there is no wallet yet. */
  readonly address: string | undefined;
  /** Base address of the host that is paid. */
  readonly merchantUrl: string;
}

/**
 * Of a payment. A wallet of test money pays by the rules of real money wherever else it is tried.
 * @throws {ScripError} WALLET_UNSAFE, WALLET_INVALID for a mark that cannot be relied on
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
 * The RPC says what the day has cost and whether a payment is dead: of real money a merchant is not
 * believed about either. Behind a loopback address the RPC is the merchant's own unless it was named.
 * @throws {ScripError} SPENDING_UNKNOWN
 */
export function checkRpcIsNamed({
  isEmbedded,
  sources,
  checkoutUrl,
}: Pick<Place, 'isEmbedded' | 'sources' | 'checkoutUrl'>): void {
  // The embedded chain runs in this process: no merchant stands behind it.
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

/** Without a wallet: as the one will be that `wallet new` makes there. */
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
