/** Dependencies of the shared layer: hosts, wallet settings, and the listeners for progress and notices. */

import type { KeySince } from '../domain/key-since.ts';
import type { Channel } from '../domain/spend-rules.ts';
import type { Notice } from './notice.ts';
import type { ScripParts } from './parts.ts';
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
  readonly recordedAs?: string;
  readonly rpcUrl: string;
  /** Where each setting comes from: an RPC that the user did not set may be the merchant's own. */
  readonly sources: { readonly rpcUrl?: unknown };
  /** Our partner id at the partner API, which owns our orders. */
  readonly partnerId: string;
  /** The user's country, two lowercase letters; undefined if it is not set. */
  readonly countryCode?: string;
  /** When idempotency keys can first have been used. */
  readonly keySince?: { readonly since: KeySince };
  /** Whether the key file is in the sandbox's place: a wallet created there will hold test money. */
  readonly isSandboxKey: boolean;
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
