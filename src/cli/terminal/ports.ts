/** What a command may ask of the terminal: streams, questions, progress. */
import type { Message } from '../../domain/message.ts';

export interface OutputStream {
  write(text: string): void;
  readonly isTerminal: boolean;
  /** Width in columns; 80 where it is not known. */
  readonly columns: number;
  /** Height in lines; 24 where it is not known. */
  readonly rows: number;
  readonly hasColor: boolean;
  /** The terminal makes links of OSC 8. */
  readonly hasLinks: boolean;
}

/** Questions to the person at the terminal; refuses with TERMINAL_REQUIRED where there is none. */
export interface Prompter {
  confirm(question: Message, options?: ConfirmOptions): Promise<boolean>;
  /** A line as it is typed. */
  text(question: Message): Promise<string>;
}

export interface ConfirmOptions {
  /** Enter alone means yes; no without it. Never for what is paid. */
  readonly isYesUsual?: boolean;
  /** Tells more where `?` is typed; the question is put again after it. */
  readonly more?: (() => Promise<void>) | undefined;
}

/** One of several. */
export interface Choice {
  readonly value: string;
  /** Label, escaped when shown. */
  readonly label: string;
}

/** What a list shows for a text: choices, or why there is none that fits. */
export interface Narrowed {
  readonly choices: readonly Choice[];
  /** Said above the choices. */
  readonly remarks: readonly string[];
}

export interface ListQuestion {
  readonly message: string;
  readonly help: string;
  /** Asked whenever the text changes. */
  narrow(text: string): Promise<Narrowed>;
}

export interface TextQuestion {
  readonly message: string;
  /** What Enter alone answers. */
  readonly proposal?: string | undefined;
  /** Why a text is not taken; undefined when it is. */
  check(text: string): Promise<string | undefined>;
  /** The answer is one of a few words: one that is not taken is cleared, and not left to be corrected. */
  readonly isWord?: boolean;
}

/** Questions that redraw a terminal, on stderr. @throws {ScripError} INTERRUPTED */
export interface Dialog {
  /** The value that was chosen, or the text as it was typed where no choice fits it. */
  pick(question: ListQuestion): Promise<string>;
  type(question: TextQuestion): Promise<string>;
}

/** On stderr: a spinner on a terminal, plain lines in --verbose, silence otherwise. */
export type { Progress } from '../../api/progress.ts';
