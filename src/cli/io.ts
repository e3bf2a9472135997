/** What a command reads and writes: streams, prompts, progress, files that the user names. */
import type { Localize } from './i18n/localize.ts';
import type { Dialog, OutputStream, Progress, Prompter } from './terminal/ports.ts';

export interface Io {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /** Translates a message into the user's language; in JSON mode it stays English. */
  readonly localize: Localize;
  readonly isInputTerminal: boolean;
  readonly prompter: Prompter;
  readonly dialog: Dialog;
  readonly progress: Progress;
  /** Reads the next line of standard input; undefined after the last. @throws {ScripError} INTERRUPTED */
  readonly readLine: () => Promise<string | undefined>;
  /** Reads a text file, or standard input for `-`. @throws {ScripError} INPUT_INVALID */
  readText(path: string): Promise<string>;
  /**
   * Creates a file that only its owner can read; it is on disk when the promise resolves.
   * @throws {ScripError} OUTPUT_UNWRITABLE
   */
  writeSecret(path: string, text: string): Promise<void>;
}
