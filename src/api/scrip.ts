/** Dependencies of the shared layer: hosts, wallet settings, and the listeners for progress and notices. */

import type { Fetch } from '../contract/fetch.ts';
import type { WirePartnerOrder } from '../contract/partner-orders.ts';
import { expected } from '../domain/attempt.ts';
import type { Clock } from '../domain/clock.ts';
import type { FailPoint } from '../domain/journal/fail-points.ts';
import type { Intent, Journal } from '../domain/journal/journal.ts';
import type { JournalCare } from '../domain/journal/journal-care.ts';
import type { KeySince } from '../domain/policy/key-since.ts';
import type { PolicyFileAccess } from '../domain/policy/policy-file.ts';
import type { SpendLog } from '../domain/policy/spend-log.ts';
import type { Channel } from '../domain/policy/spend-rules.ts';
import type { PhoneParser } from '../domain/product/beneficiary.ts';
import type { NamedCountry } from '../domain/product/country.ts';
import type { PayerRail, Signer } from '../rails/rail.ts';
import type { PlayMarks } from '../wallet/play-marks.ts';
import type { Vault } from '../wallet/vault.ts';
import type { PaymentQuote } from './partner/pay-terms.ts';
import type { Progress } from './progress.ts';

/** The hosts to buy from, and the buyer's identity. */
export interface Place {
  readonly profile: string;
  /** Whether the service runs inside this process: no port, state on disk. */
  readonly isEmbedded: boolean;
  /** Base addresses without a trailing slash. */
  readonly checkoutUrl: string;
  readonly apiUrl: string;
  readonly siteUrl: string;
  /** The journal's name of the shop, where another of its servers is asked; default: the server's own. */
  readonly recordedAs?: string | undefined;
  /** The RPC of each network that the wallet may pay on, by CAIP-2 id. */
  readonly rpcs: Readonly<Record<string, RpcPlace>>;
  /** The network to pay on, if the user named one. */
  readonly payNetwork?: string | undefined;
  /** Our partner id at the partner API, which owns our orders. */
  readonly partnerId: string;
  /** The user's country, two lowercase letters; undefined if it is not set. */
  readonly countryCode?: string | undefined;
  /** When idempotency keys can first have been used. */
  readonly keySince?: { readonly since: KeySince } | undefined;
  /** Whether the key file is in the sandbox's place: a wallet created there will hold test money. */
  readonly isSandboxKey: boolean;
}

export interface RpcPlace {
  readonly url: string;
  /** A second node, which must agree before a payment counts as dead. */
  readonly witnessUrl?: string | undefined;
  /** Whether the user set it: an RPC that the user did not set may be the merchant's own. */
  readonly isNamed: boolean;
}

export interface ScripDeps extends ScripParts {
  readonly place: Place;
  /** Version of this program. */
  readonly version: string;
  /** How payments are confirmed: in a terminal, not at all (a script), or by an agent's user. */
  readonly channel: Channel;
  readonly progress: Progress;
  /** Called with events of a purchase besides its progress. */
  notify(notice: Notice): void;
  /** Language of names, such as those of countries. */
  readonly toldIn: string;
  /** Language requested from merchants; undefined for their default. */
  readonly spokenLanguage: string | undefined;
}

export interface ScripParts {
  /** Reaches the merchant over the network, or the embedded service. */
  readonly fetch: Fetch;
  readonly clock: Clock;
  /** Aborts when the user or the embedding program gives up; on the first SIGINT or SIGTERM. */
  readonly signal: AbortSignal;
  /** Random bytes from the system. */
  random(length: number): Uint8Array;
  /** All countries that this program knows, whether anything is sold there or not. */
  countries(): Promise<readonly NamedCountry[]>;
  /** Parses phone numbers by the countries' numbering plans, which are loaded on first use. */
  readonly parsePhone: PhoneParser;
  /**
   * Returns the CAIP-2 id of the network to pay on if the user names none: the one that the wallet has a key
   * for; of several the first on which it holds USDC.
   * @throws {ScripError} the codes of an existing wallet that cannot be used, CHAIN_UNREACHABLE
   */
  network(): Promise<string>;
  /** Opens a network's rail; by default that of the network to pay on. */
  rail(network?: string): Promise<PayerRail>;
  /** The wallet's first key: it names the wallet in every record, and opens its vault. */
  signer(): Promise<Signer>;
  /** The wallet's key for a network. @throws {ScripError} WALLET_MISSING */
  payer(network: string): Promise<Signer>;
  /** Encrypts redemption data for the journal with a key derived from the wallet's, and decrypts it. */
  vault(signer: Signer): Promise<Vault>;
  readonly playMarks: PlayMarks;
  journal(signer: Pick<Signer, 'address'>): Promise<Journal>;
  /** Addresses of all wallets that have a journal here, of any profile. */
  journalWallets(): Promise<readonly string[]>;
  /** Maintains a wallet's records: removes codes, reads damaged records, repairs. */
  journalCare(payer: string): Promise<JournalCare>;
  /** The log where the wallet's payments are reserved, shared between processes. */
  spendLog(signer: Pick<Signer, 'address'>): Promise<SpendLog>;
  readonly policyFile: PolicyFileAccess;
  /** Pause between polls of a checkout host's order; set only by the test variable. */
  readonly testPollMs?: number | undefined;
  /** Kills the process at a named point; active only with the test variable. */
  failPoint(name: FailPoint): void;
}

export type Notice =
  /** An order without a key continues an earlier purchase. */
  | { readonly kind: 'resuming'; readonly begun: Intent }
  /** The purchase that an order continues is paid; only its delivery is waited for. */
  | { readonly kind: 'paid-already'; readonly begun: Intent; readonly key: string | undefined }
  | { readonly kind: 'bought-before'; readonly bought: Intent }
  | {
      readonly kind: 'made-before';
      readonly order: Pick<WirePartnerOrder, 'order_id' | 'created_at'>;
      readonly key: string | undefined;
    }
  | { readonly kind: 'paid-before' }
  /** Unfinished purchases of earlier runs, and how many of them are still unfinished. */
  | { readonly kind: 'looked-after'; readonly count: number; readonly left: number }
  | { readonly kind: 'paying'; readonly offer: PaymentQuote };

/** The network to pay on. @throws {ScripError} as `ScripParts.network` */
export async function networkOf({
  place,
  network,
}: Pick<ScripDeps, 'place' | 'network'>): Promise<string> {
  return place.payNetwork ?? network();
}

/** Returns the wallet; undefined if there is none. A wallet that cannot be used is an error. */
export function walletIfThere(deps: Pick<ScripParts, 'signer'>): Promise<Signer | undefined> {
  return deps.signer().catch(expected(() => undefined, 'WALLET_MISSING'));
}

/** Whether the wallet is marked; without a wallet, whether one created here would be. */
export async function isMarked(
  playMarks: PlayMarks,
  address: string | undefined,
  { isSandboxKey }: Pick<Place, 'isSandboxKey'>,
): Promise<boolean> {
  return address === undefined ? isSandboxKey : playMarks.has(address);
}
