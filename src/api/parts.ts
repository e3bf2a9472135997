/** Dependencies of the shared layer: merchant, paying wallet, its journal and its limits. */
import type { Fetch } from '../contract/fetch.ts';
import type { PhoneParser } from '../domain/beneficiary.ts';
import type { Clock } from '../domain/clock.ts';
import type { NamedCountry } from '../domain/country.ts';
import type { FailPoint } from '../domain/fail-points.ts';
import type { Journal } from '../domain/journal.ts';
import type { JournalCare } from '../domain/journal-care.ts';
import type { PolicyFileAccess } from '../domain/policy-file.ts';
import type { SpendLog } from '../domain/spend-log.ts';
import type { PayerRail, Signer } from '../rails/rail.ts';
import type { PlayMarks } from '../wallet/play-marks.ts';
import type { Vault } from '../wallet/vault.ts';

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
  rail(): Promise<PayerRail>;
  signer(): Promise<Signer>;
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
