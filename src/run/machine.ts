/** Connects for `main.ts` what commands may ask of this machine: the user's files, its surroundings, the user's secrets. */

import { resolve } from 'node:path';
import { withPartnerSecret } from '../api/http/call-options.ts';
import type { Learned } from '../cli/completion/remembered.ts';
import type { ConfigFile, DraftFile, Keys, OwnFiles, System } from '../cli/context.ts';
import { checkWalletFits, type Settings } from '../cli/settings/settings.ts';
import type { Fetch } from '../contract/fetch.ts';
import { readSettingsFile, realPath } from '../disk/user-files.ts';
import { once } from '../domain/attempt.ts';
import { countryCode } from '../domain/product/country.ts';
import type { Network } from '../net/authorities.ts';
import { homeFolder } from '../records/folders.ts';
import { lazyWallets } from '../wallet/lazy-wallets.ts';
import { type Means, playMarksIn } from './compose.ts';

type Rehearse = ConfigFile['rehearse'];

/** Connects the files. @param rehearse returns the settings that another text of their file would give */
export function ownFiles(settings: Settings, rehearse: Rehearse): OwnFiles {
  return {
    draft: draftOf(settings),
    configFile: configFileOf(settings.configPath, rehearse),
    approvals: {
      read: async () => (await smallFile(settings.approvalsPath)).read(),
      replace: async (...texts) => (await smallFile(settings.approvalsPath)).replace(...texts),
    },
    async recentErrors() {
      const { recentErrors } = await import('../records/recent-errors.ts');
      return recentErrors(settings.errorLogPath);
    },
    countryOfProduct: (productId) => countryOfProduct(settings, productId.toLowerCase()),
    learn: (seen) => learn(settings, seen),
  };
}

/** Follows symbolic links, so that a file kept under version control stays in its folder. */
function configFileOf(path: string, rehearse: Rehearse): ConfigFile {
  return {
    read: async () => readSettingsFile(path),
    async replace(expected, text) {
      await (await smallFile(realPath(path))).replace(expected, text);
    },
    rehearse,
  };
}

async function smallFile(path: string) {
  const { createSmallFile } = await import('../records/small-files.ts');
  return createSmallFile(path);
}

function draftOf({ draftPath }: Settings): DraftFile {
  const open = () => smallFile(draftPath);
  return {
    read: async () => (await open()).read(),
    write: async (text) => (await open()).write(text),
    remove: async () => (await open()).remove(),
  };
}

/**
 * Finds the country of a product id among products listed earlier; ids of the built-in sandbox contain it.
 */
async function countryOfProduct(
  { completionPath, checkoutUrl, isEmbedded }: Settings,
  productId: string,
): Promise<string | undefined> {
  const { readCacheFile } = await import('../records/cache-files.ts');
  const { readRemembered } = await import('../cli/completion/remembered.ts');
  const known = readRemembered(readCacheFile(completionPath) ?? '');
  const products = known?.host === checkoutUrl ? known.products : [];
  const listed = products.find(({ id }) => id.toLowerCase() === productId)?.country;
  if (listed !== undefined || !isEmbedded) return listed;
  const { countryOfId } = await import('../sandbox/catalog/product-id.ts');
  return countryCode(countryOfId(productId) ?? '');
}

/** Remembers values for completion. It is a cache: what is not saved now is learned again later. */
async function learn({ completionPath, checkoutUrl }: Settings, seen: Learned): Promise<void> {
  try {
    const { readCacheFile, writeCacheFile } = await import('../records/cache-files.ts');
    const { readRemembered, remember, rememberedText } = await import(
      '../cli/completion/remembered.ts'
    );
    const before = readCacheFile(completionPath);
    const after = rememberedText(remember(readRemembered(before ?? ''), checkoutUrl, seen));
    if (after !== before) writeCacheFile(completionPath, after);
  } catch {
    // A full disk or another user's folder: the command itself has succeeded.
  }
}

/** @param isStandalone whether program and Node runtime are one executable file */
export function machineParts(
  process: NodeJS.Process,
  isStandalone: boolean,
  network: Network,
): Pick<System, 'machine' | 'footing'> {
  const { platform, arch, execPath, versions, argv, env } = process;
  return {
    footing: {
      nodeVersion: versions.node,
      platform: `${platform} ${arch}`,
      variable: (name) => env[name],
      folder: async (path) => (await import('../records/folders.ts')).readFolderState(path),
      proxyTo: async (url) =>
        (await import('../net/agents.ts')).createAgents(network).tryProxy(new URL(url)),
      authorities: async () =>
        (await import('../net/authorities.ts')).readAuthorities(network).places,
    },
    async machine() {
      const { readForeignFile, replaceForeignFile } = await import('../records/foreign-file.ts');
      return {
        platform,
        home: homeFolder(),
        env,
        program: {
          runtime: isStandalone ? realPath(execPath) : execPath,
          ...(isStandalone ? {} : { script: realPath(argv[1] ?? '') }),
        },
        resolve: (path) => resolve(path),
        read: readForeignFile,
        replace: replaceForeignFile,
      };
    },
  };
}

/** What a wallet needs from the process. `main.ts` has removed the passphrase from the environment. */
type Around = Pick<
  Parameters<typeof lazyWallets>[0],
  'environmentPassphrase' | 'env' | 'stdin' | 'printable' | 'random' | 'clock' | 'signal'
>;

export function walletParts(
  settings: Settings,
  around: Around,
): Pick<Keys, 'wallets'> & Pick<Means, 'signer' | 'signerOn' | 'namespaces' | 'playMarks'> {
  const wallets = lazyWallets({ ...settings, ...around, isHeard: !settings.isJson });
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
    // Asked after `signer`, which has checked that the wallet fits.
    signerOn: (namespace) => wallets.openOn(settings.keypairPath, namespace),
    namespaces: () => wallets.namespaces(settings.keypairPath),
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
    const { checkToken, readToken } = await import('../wallet/token-file.ts');
    if (file !== undefined) return readToken(file);
    return checkToken(environmentSecret ?? '', 'SCRIP_PARTNER_SECRET');
  });
  return withPartnerSecret(fetch, { apiUrl, read });
}
