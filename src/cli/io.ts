/** What a command reads and writes: streams, questions, progress, files that the user names. */
import type { Localize } from './i18n/localize.ts';
import type { Dialog, OutputStream, Progress, Prompter } from './terminal/ports.ts';

export interface Io {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /** Says a message in the user's language; in JSON mode in English. */
  readonly localize: Localize;
  readonly isInputTerminal: boolean;
  readonly prompter: Prompter;
  readonly dialog: Dialog;
  readonly progress: Progress;
  /** The next line of standard input; undefined after the last. @throws {ScripError} INTERRUPTED */
  readonly readLine: () => Promise<string | undefined>;
  /** A text file by its path, or standard input for `-`. @throws {ScripError} INPUT_INVALID */
  readText(path: string): Promise<string>;
  /** A new file, readable by its owner alone and on disk when the promise resolves. @throws {ScripError} OUTPUT_UNWRITABLE */
  writeSecret(path: string, text: string): Promise<void>;
}
