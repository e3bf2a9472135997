/** Dependencies of the shared layer: hosts, wallet settings, and the listeners for progress and notices. */

import type { KeySince } from '../domain/key-since.ts';
import type { Channel } from '../domain/spending.ts';
import type { Notice } from './notice.ts';
import type { ScripParts } from './parts.ts';
import type { Progress } from './progress.ts';

/** The hosts to buy from, and the buyer's identity. */
export interface Place {
  readonly profile: string;
  /** The service runs inside this process: no port, state on disk. */
  readonly isEmbedded: boolean;
  /** Base addresses without a trailing slash. */
  readonly checkoutUrl: string;
  readonly apiUrl: string;
  readonly siteUrl: string;
  readonly rpcUrl: string;
  /** Where each setting comes from: an RPC that the user did not set may be the merchant's own. */
  readonly sources: { readonly rpcUrl?: unknown };
  /** Who we are to the partner API; its orders belong to that name. */
  readonly partnerId: string;
  /** Two letters, lowercase: where the user is, as the partner API is told. */
  readonly countryCode: string;
  /** From when on idempotency keys can have been used. */
  readonly keySince?: { readonly since: KeySince };
  /** The key file is in the sandbox's place: a wallet that is made there will hold test money. */
  readonly isSandboxKey: boolean;
}

export interface ScripDeps extends ScripParts {
  readonly place: Place;
  /** Version of this program. */
  readonly version: string;
  /** How payments are confirmed: in a terminal, not at all (a script), or by an agent's user. */
  readonly channel: Channel;
  readonly progress: Progress;
  /** Told what becomes of a purchase beside its progress. */
  notify(notice: Notice): void;
  /** What names are told in, such as those of countries. */
  readonly toldIn: string;
  /** What the merchant is to speak; undefined for its own language. */
  readonly spokenLanguage: string | undefined;
}
