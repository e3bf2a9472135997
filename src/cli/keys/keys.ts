/** What a command may do with keys: the wallets of this machine, and money for one of the sandbox. */
import type { Wallets } from '../../wallet/wallets.ts';

export interface Keys {
  readonly wallets: Wallets;
  /** Sandbox only: puts money into a wallet. @throws {ScripError} on a live chain */
  fund(
    owner: string,
    amounts: { readonly usdcAtomic: bigint; readonly lamports: bigint },
  ): Promise<void>;
}
