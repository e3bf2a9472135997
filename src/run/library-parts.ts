/** Builds an instance for `library.ts` from its options alone: no environment, home folder or signals. */
import { setMaxListeners } from 'node:events';
import { join, resolve } from 'node:path';
import { inLanguage, withPartnerSecret } from '../api/http/call-options.ts';
import type {
  KeyFile,
  PolicyOptions,
  Scrip,
  ScripOptions,
  WalletOptions,
} from '../api/library/public.ts';
import { checkKeys, forProgram } from '../api/library/run.ts';
import { createVerbs, noMerchant } from '../api/library/verbs.ts';
import type { MerchantName } from '../api/merchants.ts';
import type { Place, ScripParts } from '../api/scrip.ts';
import type { Fetch } from '../contract/fetch.ts';
import { NETWORK_IDS, namespaceOf, SOLANA_MAINNET, USDC_DECIMALS } from '../contract/usdc.ts';
import { baseAddress, checkNetwork, rpcPlaces } from '../domain/address/base-address.ts';
import { EMBEDDED_URL } from '../domain/address/loopback.ts';
import { expected } from '../domain/attempt.ts';
import { ScripError } from '../domain/message/errors.ts';
import { t } from '../domain/message/message.ts';
import { parseDecimal } from '../domain/money/money.ts';
import type { PolicyFileAccess } from '../domain/policy/policy-file.ts';
import { systemClock as clock } from '../net/clock.ts';
import { createHttpFetch } from '../net/fetch.ts';
import type { PayerRail, Signer } from '../rails/rail.ts';
import type { PlayMarks } from '../wallet/play-marks.ts';
import { checkToken } from '../wallet/token-file.ts';
import type { Wallets } from '../wallet/wallets.ts';
import {
  composeParts,
  embeddedService,
  type Means,
  playMarksIn,
  policyFileAt,
  random,
} from './compose.ts';

declare const SCRIP_VERSION: string | undefined;

const OPTIONS = [
  'checkoutUrl',
  'apiUrl',
  'via',
  'sandbox',
  'network',
  'rpcUrl',
  'baseRpcUrl',
  'witnessRpcUrl',
  'wallet',
  'journal',
  'policy',
  'partnerId',
  'partnerSecret',
  'proxyEnv',
  'caFile',
  'language',
];
/** The partner id under which a sandbox knows our own programs. */
const DEFAULT_PARTNER_ID = 'scrip-cli';
/** Profile of the embedded service: the command line's name for it. */
const SANDBOX_PROFILE = 'sandbox';

const version = typeof SCRIP_VERSION === 'string' ? SCRIP_VERSION : '0.0.0-source';

/** Opens an instance. @throws {ScripError} USAGE, INPUT_INVALID for invalid options */
export function openScrip(options: ScripOptions): Promise<Scrip> {
  return open(options).catch((error: unknown) => {
    throw forProgram(error);
  });
}

async function open(options: ScripOptions): Promise<Scrip> {
  checkKeys('createScrip', options, OPTIONS);
  const { sandbox } = options;
  const payNetwork = options.network && checkNetwork(options.network);
  const addresses = addressesOf(options, payNetwork);
  const place: Place = {
    ...{ ...addresses, payNetwork },
    profile: SANDBOX_PROFILE,
    isEmbedded: sandbox !== undefined,
    partnerId: options.partnerId ?? DEFAULT_PARTNER_ID,
    isSandboxKey: false,
  };
  const folders = foldersOf(options);
  const life = new AbortController();
  setMaxListeners(0, life.signal);
  const network = createHttpFetch({ env: options.proxyEnv ?? {}, caFile: options.caFile });
  const embedded =
    sandbox === undefined
      ? undefined
      : embeddedService({
          ...{ dataDir: resolve(sandbox.dataDir), network, clock, random, signal: life.signal },
          report: () => undefined,
        });
  const playMarks = folders.playMarks === undefined ? NO_MARKS : playMarksIn(folders.playMarks);
  const keys = opened(() => keysOf(options.wallet, folders.ownKey));
  const parts: ScripParts = composeParts(
    { ...addresses, journalDir: folders.journal ?? '' },
    {
      ...{ clock, random, signal: life.signal, playMarks },
      fetch: spoken(authentic(embedded?.fetch ?? network, options, addresses), options, addresses),
      policyFile: policyOf(options.policy),
      signer: opened(() =>
        openWallet(options, {
          ...{ folders, keys, playMarks, network: payNetwork },
          rail: (on) => parts.rail(on),
          fund: async (on, owner, usdcAtomic) => {
            const { fundByFaucet } = await import('../rails/faucet.ts');
            const at = { url: addresses.rpcs[on]?.url ?? '', fetch: parts.fetch, clock };
            await fundByFaucet(at, owner, { usdcAtomic, lamports: LAMPORTS });
          },
        }),
      ),
      signerOn: async (namespace) => (await keys()).signerOn(namespace),
      namespaces: async () => (await keys()).namespaces(),
    },
  );
  return createVerbs({
    ...parts,
    place,
    version,
    channel: 'unattended',
    notify: () => undefined,
    toldIn: 'en',
    spokenLanguage: options.language,
    via: options.via ?? usualMerchant(options),
    shareSignal: (signal) => setMaxListeners(0, signal),
    release: async () => {
      life.abort();
      await embedded?.close();
    },
  });
}

type Addresses = Pick<Place, 'checkoutUrl' | 'apiUrl' | 'siteUrl' | 'rpcs'>;

/** Of a program that pays for requests alone: nobody answers there (RFC 2606). */
const NO_MERCHANT = 'https://none.invalid';

function usualMerchant({ checkoutUrl, apiUrl, sandbox }: ScripOptions): MerchantName | undefined {
  if (checkoutUrl !== undefined || sandbox !== undefined) return 'checkout';
  return apiUrl === undefined ? undefined : 'partner';
}

function addressesOf(options: ScripOptions, payNetwork: string | undefined): Addresses {
  const { sandbox, rpcUrl, baseRpcUrl, witnessRpcUrl } = options;
  if (sandbox !== undefined) {
    const rpcs = rpcPlaces({ checkoutUrl: EMBEDDED_URL, payNetwork });
    return { checkoutUrl: EMBEDDED_URL, apiUrl: EMBEDDED_URL, siteUrl: EMBEDDED_URL, rpcs };
  }
  const named = options.checkoutUrl ?? options.apiUrl;
  if (named === undefined && rpcUrl === undefined && baseRpcUrl === undefined) throw noMerchant();
  const checkoutUrl = named === undefined ? NO_MERCHANT : baseAddress(named, 'checkoutUrl');
  const apiUrl =
    options.apiUrl === undefined
      ? new URL(checkoutUrl).origin
      : baseAddress(options.apiUrl, 'apiUrl');
  const rpcs = rpcPlaces({
    ...{ checkoutUrl, payNetwork },
    rpcUrl: rpcUrl && baseAddress(rpcUrl, 'rpcUrl'),
    witnessUrl: witnessRpcUrl && baseAddress(witnessRpcUrl, 'witnessRpcUrl'),
    baseRpcUrl: baseRpcUrl && baseAddress(baseRpcUrl, 'baseRpcUrl'),
  });
  return { checkoutUrl, apiUrl, siteUrl: apiUrl, rpcs };
}

type Folders = ReturnType<typeof foldersOf>;

/** Without a sandbox and a journal buying is impossible; what is a sandbox's own is undefined without one. */
function foldersOf({ sandbox, journal }: ScripOptions) {
  const dataDir = sandbox && resolve(sandbox.dataDir);
  const own = dataDir === undefined ? undefined : join(dataDir, 'journal');
  return {
    journal: journal === undefined ? own : resolve(journal),
    /** Where test-money wallets are marked. */
    playMarks: dataDir && join(dataDir, 'play'),
    /** Key file of the sandbox's own wallet. */
    ownKey: dataDir && join(dataDir, 'wallet.json'),
  };
}

const NO_MARKS: PlayMarks = {
  has: async () => false,
  add: async () => undefined,
  remove: async () => undefined,
};

/** Opens once. After a failure, the next call tries again. */
function opened<T>(open: () => Promise<T>): () => Promise<T> {
  const state: { known?: Promise<T> | undefined } = {};
  return () => {
    state.known ??= open().catch((error: unknown) => {
      state.known = undefined;
      throw error;
    });
    return state.known;
  };
}

/** Without options, the default policy; an object is checked as strictly as the file. */
function policyOf(policy: PolicyOptions | undefined): PolicyFileAccess {
  if (policy !== undefined && 'file' in policy) return policyFileAt(resolve(policy.file));
  return {
    path: 'policy',
    read: async () => (policy === undefined ? undefined : JSON.stringify(policy)),
    write: async () => {
      throw new ScripError('USAGE', t`A program’s policy is changed in its own code`);
    },
  };
}

function authentic(
  fetch: Fetch,
  { partnerSecret }: ScripOptions,
  { apiUrl }: Pick<Place, 'apiUrl'>,
): Fetch {
  if (partnerSecret === undefined) return fetch;
  const secret = checkToken(partnerSecret, 'partnerSecret');
  return withPartnerSecret(fetch, { apiUrl, read: () => secret });
}

/** Asks the merchant for texts in the configured language. */
function spoken(
  fetch: Fetch,
  { language }: ScripOptions,
  { checkoutUrl, apiUrl, siteUrl }: Addresses,
): Fetch {
  if (language === undefined) return fetch;
  return inLanguage(fetch, { language, bases: [checkoutUrl, apiUrl, siteUrl] });
}

/** USDC that the sandbox's own wallet receives, and of the chain's own coin what its own transactions cost. */
const OWN_FUNDS = '1000';
const LAMPORTS = 1_000_000_000n;

interface WalletParts {
  readonly folders: Folders;
  readonly keys: () => Promise<Pick<Means, 'signer' | 'signerOn' | 'namespaces'>>;
  readonly playMarks: PlayMarks;
  /** The network to fund; default: that of the wallet's first key. */
  readonly network: string | undefined;
  readonly rail: (network: string) => Promise<PayerRail>;
  readonly fund: (network: string, owner: string, usdcAtomic: bigint) => Promise<void>;
}

/**
 * Opens the wallet and, in a sandbox, funds it.
 * @throws {ScripError} WALLET_MISSING and the other codes of a key file; USAGE without a journal
 */
async function openWallet(
  { wallet, sandbox }: ScripOptions,
  { folders, keys, playMarks, network, rail, fund }: WalletParts,
): Promise<Signer> {
  // Without a wallet nothing is bought, so no journal is needed either.
  const { signer: open, signerOn, namespaces } = await keys();
  if (folders.journal === undefined) {
    throw new ScripError('USAGE', t`Buying needs a journal folder`, {
      hint: t`Pass journal: a folder that all runs of this program share.`,
    });
  }
  const signer = await open();
  const funds = sandbox?.fund ?? (wallet === undefined ? OWN_FUNDS : undefined);
  if (sandbox === undefined || funds === undefined) return signer;
  await playMarks.add(signer.address);
  const [first = ''] = await namespaces();
  const own = Object.values(NETWORK_IDS).find((id) => namespaceOf(id) === first);
  const paysOn = network ?? own ?? SOLANA_MAINNET;
  const namespace = namespaceOf(paysOn);
  const { address } = namespace === first ? signer : await signerOn(namespace);
  const wanted = parseDecimal(funds, USDC_DECIMALS);
  const held = (await (await rail(paysOn)).balances(address)).usdcAtomic ?? 0n;
  if (held < wanted) await fund(paysOn, address, wanted - held);
  return signer;
}

async function keysOf(
  wallet: WalletOptions | undefined,
  ownKey: string | undefined,
): Promise<Pick<Means, 'signer' | 'signerOn' | 'namespaces'>> {
  if (wallet !== undefined && 'sign' in wallet) {
    const { givenSigner } = await import('../wallet/given-signer.ts');
    const { namespacesOf, noKeyOn } = await import('../wallet/wallets.ts');
    const signer = givenSigner(wallet);
    return {
      signer: async () => signer,
      signerOn: async (namespace) => {
        throw noKeyOn(namespace);
      },
      namespaces: async () => namespacesOf(signer.address),
    };
  }
  const keyFile = wallet?.keyFile ?? ownKey;
  if (keyFile === undefined) {
    throw new ScripError('WALLET_MISSING', t`No wallet is set`, {
      hint: t`Pass wallet: { keyFile } or { address, sign }.`,
    });
  }
  const path = resolve(keyFile);
  const wallets = await openWallets(wallet?.passphrase);
  if (wallet === undefined && (await wallets.addressAt(path)) === undefined) {
    const making = wallets.create(path, { isEncrypted: false, isWeakOk: false });
    // If two instances create the sandbox's key at once, the second one uses the key of the first.
    await making.catch(expected(() => undefined, 'WALLET_EXISTS'));
  }
  return {
    signer: () => wallets.open(path),
    signerOn: (namespace) => wallets.openOn(path, namespace),
    namespaces: () => wallets.namespaces(path),
  };
}

async function openWallets(passphrase: KeyFile['passphrase']): Promise<Wallets> {
  const [{ createWallets }, { createPassphrases }] = await Promise.all([
    import('../wallet/wallets.ts'),
    import('../wallet/passphrase.ts'),
  ]);
  const readFd = async (): Promise<Buffer> => {
    throw new ScripError('PASSPHRASE_REQUIRED', t`The library does not read file descriptors`);
  };
  const passphrases = createPassphrases({ place: {}, readFd, environment: passphrase });
  return createWallets({
    passphrases,
    passphrasesAt: () => passphrases,
    readFd,
    askHidden: undefined,
    random,
    clock,
    signal: new AbortController().signal,
  });
}
