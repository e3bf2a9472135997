/** Plugs the wallet of a user together for `main.ts`: key files, the one that signs, and its vault. */
import type { ScripParts } from './api/parts.ts';
import type { Keys } from './cli/keys/keys.ts';
import { checkWalletFits } from './cli/settings/settings.ts';
import type { Settings } from './cli/settings/shape.ts';
import type { Signer } from './rails/rail.ts';
import { lazyWallets } from './wallet/lazy-wallets.ts';
import type { PlayMarks } from './wallet/play-marks.ts';
import type { Vault } from './wallet/vault.ts';

/** What a wallet asks of the process; the passphrase was taken out of the environment. */
type Around = Pick<
  Parameters<typeof lazyWallets>[0],
  'environmentPassphrase' | 'env' | 'stdin' | 'printable' | 'random' | 'clock' | 'signal'
>;

export function walletParts(
  settings: Settings,
  around: Around,
): Pick<Keys, 'wallets'> & Pick<ScripParts, 'signer' | 'playMarks' | 'vault'> {
  const wallets = lazyWallets({
    ...settings,
    ...around,
    isHeard: !settings.isJson,
  });
  const playMarks = lazyPlayMarks(settings);
  const vaults = new Map<Signer, Promise<Vault>>();
  return {
    wallets,
    playMarks,
    async signer() {
      checkWalletFits(settings);
      const signer = await wallets.open(settings.keypairPath);
      checkWalletFits(settings, await playMarks.has(signer.address));
      return signer;
    },
    // Once for a signer: a program that signs may ask its user each time.
    vault(signer) {
      const vault = vaults.get(signer) ?? openVault(signer);
      vaults.set(signer, vault);
      return vault;
    },
  };
}

function lazyPlayMarks({ playMarksDir }: Settings): PlayMarks {
  const open = async () => (await import('./wallet/play-marks.ts')).openPlayMarks(playMarksDir);
  return {
    has: async (address) => (await open()).has(address),
    add: async (address) => (await open()).add(address),
    remove: async (address) => (await open()).remove(address),
  };
}

async function openVault(signer: Signer): Promise<Vault> {
  const { createVault } = await import('./wallet/vault.ts');
  return createVault(signer);
}
