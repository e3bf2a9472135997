/** The type of resolved settings. */
import type { SecretPlace } from '../../wallet/passphrase.ts';
import type { Language } from '../i18n/language.ts';
import type { Output } from '../output/format.ts';
import type { TypedInstant } from '../parsing/instant.ts';
import type { SettingName, Source } from './table.ts';

/** The values of global flags, environment and profile, in that precedence. */
export interface Settings {
  readonly profile: string;
  /** Where the profile's name comes from; `file` is the top level of the settings file. */
  readonly profileSource: 'flag' | 'environment' | 'file' | 'default';
  /** Where each setting comes from; without those at their default. */
  readonly sources: { readonly [Name in SettingName]?: Source };
  /** Whether the service runs inside this process: no port, state on disk. */
  readonly isEmbedded: boolean;
  /** Base URLs without a trailing slash. */
  readonly checkoutUrl: string;
  readonly apiUrl: string;
  readonly mcpUrl: string;
  readonly siteUrl: string;
  /** As in `Place`; no setting, but for an order that was placed at another server of the shop. */
  readonly recordedAs?: string;
  readonly rpcUrl: string;
  /** A second Solana RPC, of another operator. */
  readonly witnessRpcUrl?: string;
  /** The earliest possible use of idempotency keys, as written and as parsed. */
  readonly keySince?: { readonly text: string; readonly since: TypedInstant };
  /** Our id at the partner API; orders belong to it. */
  readonly partnerId: string;
  /** File with the secret that authenticates this partner id. */
  readonly partnerSecretFile?: string;
  /** The user's country: two letters, lowercase; undefined until it is set. */
  readonly countryCode?: string;
  /** The country to suggest in questions: of the system's locale, otherwise the default. */
  readonly proposedCountry: string;
  /** Where the merchant writes to the user. */
  readonly email?: string;
  /** The default recipient: an e-mail address or a phone number. */
  readonly to?: string;
  /** The language of messages, and of texts from the merchant. */
  readonly lang: Language;
  readonly keypairPath: string;
  /** A program that signs instead of the key file: an absolute path and its arguments. */
  readonly signer?: { readonly command: readonly string[]; readonly address?: string };
  /** Where to read the passphrase of an encrypted key file; if empty, the user is asked. */
  readonly passphrase: SecretPlace;
  /** Whether the key file is the sandbox's, by default or by name: it never pays a live host. */
  readonly isSandboxKey: boolean;
  /** Folder with the marks of test-money wallets. */
  readonly playMarksDir: string;
  /** Whether the wallet belongs to a profile with a remote host, and so holds real money. */
  readonly isLiveKey: boolean;
  /** The state of the embedded service. */
  readonly sandboxDir: string;
  /** The journal of purchases. */
  readonly journalDir: string;
  /** Everything kept between commands, except wallets and settings. */
  readonly stateDir: string;
  /** What completion remembers of the profile's host. */
  readonly completionPath: string;
  /** The answers of an unfinished guided purchase. */
  readonly draftPath: string;
  /** The codes of the last failures. */
  readonly errorLogPath: string;
  /** The user's profiles. */
  readonly configPath: string;
  /** The user's home folder. */
  readonly homeDir: string;
  /** The output format. */
  readonly output: Output;
  /** The spending policy. */
  readonly policyPath: string;
  /** In JSON mode stderr holds one error object or nothing. */
  readonly isJson: boolean;
  readonly mayPrompt: boolean;
  readonly isVerbose: boolean;
}
