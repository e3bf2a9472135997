/** What the shared layer works with: the merchant, the wallet that pays, its journal and its limits. */
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
  /** Reaches the merchant: over the network, or the embedded service in its place. */
  readonly fetch: Fetch;
  readonly clock: Clock;
  /** Aborts when the user or the program around gives up; on the first SIGINT or SIGTERM. */
  readonly signal: AbortSignal;
  /** Random bytes from the system. */
  random(length: number): Uint8Array;
  /** Countries that this program knows by itself, whether anything is sold there or not. */
  countries(): Promise<readonly NamedCountry[]>;
  /** Reads phone numbers by the numbering plans, which are loaded at the first one. */
  readonly parsePhone: PhoneParser;
  rail(): Promise<PayerRail>;
  signer(): Promise<Signer>;
  /** Seals redemption data for the journal with a key derived from the wallet's, and opens it. */
  vault(signer: Signer): Promise<Vault>;
  readonly playMarks: PlayMarks;
  journal(signer: Pick<Signer, 'address'>): Promise<Journal>;
  /** Addresses of the wallets that have a journal here, whichever profile they are of. */
  journalWallets(): Promise<readonly string[]>;
  /** What is done to the records themselves: codes forgotten, damage surveyed and repaired. */
  journalCare(payer: string): Promise<JournalCare>;
  /** What the wallet's payments are reserved in, across processes. */
  spendLog(signer: Pick<Signer, 'address'>): Promise<SpendLog>;
  readonly policyFile: PolicyFileAccess;
  /** Between polls of an order of the checkout host; only under the test variable. */
  readonly testPollMs?: number | undefined;
  /** Ends the process at a named point; only under the test variable. */
  failPoint(name: FailPoint): void;
}
