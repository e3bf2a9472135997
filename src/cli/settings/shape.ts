/** What the settings of a command come to. */
import type { SecretPlace } from '../../wallet/passphrase.ts';
import type { Language } from '../i18n/language.ts';
import type { Output } from '../output/format.ts';
import type { TypedInstant } from '../parsing/instant.ts';
import type { SettingName, Source } from './table.ts';

/** What the global flags, the environment and the profile come to, in that precedence. */
export interface Settings {
  readonly profile: string;
  /** Who named it; `file` is the top level of the settings file. */
  readonly profileSource: 'flag' | 'environment' | 'file' | 'default';
  /** Where each setting was said; those at their defaults are left out. */
  readonly sources: { readonly [Name in SettingName]?: Source };
  /** The service runs inside this process: no port, state on disk. */
  readonly isEmbedded: boolean;
  /** Base addresses without a trailing slash. */
  readonly checkoutUrl: string;
  readonly apiUrl: string;
  readonly mcpUrl: string;
  readonly siteUrl: string;
  readonly rpcUrl: string;
  /** A second Solana RPC, of another operator. */
  readonly witnessRpcUrl?: string;
  /** From when on idempotency keys can have been used, as it was written and as it is read. */
  readonly keySince?: { readonly text: string; readonly since: TypedInstant };
  /** Who we are to the partner API; its orders belong to that name. */
  readonly partnerId: string;
  /** Two letters, lowercase: where the user is, as the partner API is told. */
  readonly countryCode: string;
  /** Of the system's locale, else the one that is meant where none is said; proposed where one is asked for. */
  readonly proposedCountry: string;
  /** Where the merchant reaches the user. */
  readonly email?: string;
  /** The default recipient: an e-mail address or a phone number. */
  readonly to?: string;
  /** What people are spoken to in, and what the merchant is asked for. */
  readonly lang: Language;
  readonly keypairPath: string;
  /** A program that signs in place of the key file: an absolute path and its arguments. */
  readonly signer?: { readonly command: readonly string[]; readonly address?: string };
  /** Where the passphrase of an encrypted key file is; when empty it is asked for. */
  readonly passphrase: SecretPlace;
  /** The key file is in the sandbox's place, by default or by name: no live host is paid with it. */
  readonly isSandboxKey: boolean;
  /** Marks of the wallets that hold test money alone. */
  readonly playMarksDir: string;
  /** The wallet comes with a profile whose host is elsewhere: real money, unless named for more. */
  readonly isLiveKey: boolean;
  /** State of the embedded service. */
  readonly sandboxDir: string;
  /** What this machine bought. */
  readonly journalDir: string;
  /** All that is kept between commands, but wallets and settings. */
  readonly stateDir: string;
  /** What completions remember of the profile's host. */
  readonly completionPath: string;
  /** Answers of a guided purchase that was left. */
  readonly draftPath: string;
  /** Codes of the last failures. */
  readonly errorLogPath: string;
  /** The user's profiles. */
  readonly configPath: string;
  /** The user's home folder. */
  readonly homeDir: string;
  /** How data is written. */
  readonly output: Output;
  /** In JSON, errors too: stderr holds one error object or nothing. */
  /** What may be spent. */
  readonly policyPath: string;
  readonly isJson: boolean;
  readonly mayPrompt: boolean;
  readonly isVerbose: boolean;
}
