/** What a command may do with keys: open this machine's wallets, and fund a sandbox wallet. */
import type { Wallets } from '../../wallet/wallets.ts';

export interface Keys {
  readonly wallets: Wallets;
  /** Puts money into a wallet; only in a sandbox. @throws {ScripError} on a live chain */
  fund(
    owner: string,
    amounts: { readonly usdcAtomic: bigint; readonly lamports: bigint },
  ): Promise<void>;
}
