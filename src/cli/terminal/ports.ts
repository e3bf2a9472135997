/** What a command may use of the terminal: streams, prompts, progress. */
import type { Message } from '../../domain/message/message.ts';

export interface OutputStream {
  write(text: string | Uint8Array): void;
  readonly isTerminal: boolean;
  /** Width in columns; 80 if unknown. */
  readonly columns: number;
  /** Height in lines; 24 if unknown. */
  readonly rows: number;
  readonly hasColor: boolean;
  /** Whether the terminal supports links (OSC 8). */
  readonly hasLinks: boolean;
}

/** Asks the user at the terminal. @throws {ScripError} TERMINAL_REQUIRED without one */
export interface Prompter {
  confirm(question: Message, options?: ConfirmOptions): Promise<boolean>;
  /** Returns the line as typed. */
  text(question: Message): Promise<string>;
}

export interface ConfirmOptions {
  /** Whether Enter alone means Yes; default No. Never for a payment. */
  readonly isYesUsual?: boolean;
  /** Prints details when the user types `?`; then the question is asked again. */
  readonly more?: (() => Promise<void>) | undefined;
}

/** One choice of a list. */
export interface Choice {
  readonly value: string;
  /** Escaped when shown. */
  readonly label: string;
}

/** The list for the typed text: matching choices, or remarks on why there are none. */
export interface Narrowed {
  readonly choices: readonly Choice[];
  /** Shown above the choices. */
  readonly remarks: readonly string[];
}

export interface ListQuestion {
  readonly message: string;
  readonly help: string;
  /** Called whenever the typed text changes. */
  narrow(text: string): Promise<Narrowed>;
  /** Whether a text is accepted without a matching choice; otherwise the question stays open. */
  takes(text: string): Promise<boolean>;
}

export interface TextQuestion {
  readonly message: string;
  /** The answer if the user only presses Enter. */
  readonly proposal?: string | undefined;
  /** Returns why a text is not accepted; undefined if it is. */
  check(text: string): Promise<string | undefined>;
  /** Whether the answer is one of a few words: an invalid one is cleared, not left for correction. */
  readonly isWord?: boolean;
}

/** Interactive questions on stderr. @throws {ScripError} INTERRUPTED */
export interface Dialog {
  /** Returns the chosen value, or the typed text if no choice matches. */
  pick(question: ListQuestion): Promise<string>;
  type(question: TextQuestion): Promise<string>;
}

/** On stderr: a spinner on a terminal, plain lines with --verbose, otherwise nothing. */
export type { Progress } from '../../api/progress.ts';
