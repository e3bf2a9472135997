/** Connects the user's secrets for `main.ts`: the key files, the signer, the secret of a partner. */
import { withPartnerSecret } from './api/http/partner-secret.ts';
import { once } from './api/once.ts';
import type { ScripParts } from './api/parts.ts';
import type { Keys } from './cli/keys/keys.ts';
import { checkWalletFits } from './cli/settings/settings.ts';
import type { Settings } from './cli/settings/shape.ts';
import { playMarksIn } from './compose.ts';
import type { Fetch } from './contract/fetch.ts';
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

/**
 * Sends the partner's secret: of its file, else of the environment. It is read when it is first needed.
 * @param environmentSecret SCRIP_PARTNER_SECRET, which `main.ts` removed from the environment
 */
export function authentic(
  fetch: Fetch,
  { apiUrl, partnerSecretFile: file }: Settings,
  environmentSecret: string | undefined,
): Fetch {
  // An empty variable counts as unset.
  if (file === undefined && !environmentSecret) return fetch;
  const read = once(async () => {
    const { checkToken, readToken } = await import('./wallet/token-file.ts');
    if (file !== undefined) return readToken(file);
    return checkToken(environmentSecret ?? '', 'SCRIP_PARTNER_SECRET');
  });
  return withPartnerSecret(fetch, { apiUrl, read });
}
