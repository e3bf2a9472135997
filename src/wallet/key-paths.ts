/** Where the files of a wallet are. */

/** Path of the wallet's key for EVM networks, beside its key file. */
export function evmKeyPath(keypair: string): string {
  return `${keypair.replace(/\.json$/, '')}.evm.key`;
}
