/** Connects the user's wallet for `main.ts`: the key files and the signer. */
import type { ScripParts } from './api/parts.ts';
import type { Keys } from './cli/keys/keys.ts';
import { checkWalletFits } from './cli/settings/settings.ts';
import type { Settings } from './cli/settings/shape.ts';
import { playMarksIn } from './compose.ts';
import { lazyWallets } from './wallet/lazy-wallets.ts';

/** What a wallet needs from the process. `main.ts` has removed the passphrase from the environment. */
type Around = Pick<
  Parameters<typeof lazyWallets>[0],
  'environmentPassphrase' | 'env' | 'stdin' | 'printable' | 'random' | 'clock' | 'signal'
>;

export function walletParts(
  settings: Settings,
  around: Around,
): Pick<Keys, 'wallets'> & Pick<ScripParts, 'signer' | 'playMarks'> {
  const wallets = lazyWallets({
    ...settings,
    ...around,
    isHeard: !settings.isJson,
  });
  const playMarks = playMarksIn(settings.playMarksDir);
  return {
    wallets,
    playMarks,
    async signer() {
      checkWalletFits(settings);
      const signer = await wallets.open(settings.keypairPath);
      checkWalletFits(settings, await playMarks.has(signer.address));
      return signer;
    },
  };
}
