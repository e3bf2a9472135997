/** What somebody types and is told in the guided purchase, in English and in their language. */
import type { WrongAnswer } from '../../domain/wizard-step.ts';
import type { Tell } from '../messages/translate.ts';
import { isWord } from '../terminal/terminal.ts';

/** The word that goes back, in any case. */
export function readWord(text: string, tell: Tell): { readonly action: 'back' } | undefined {
  return isWord(text, 'back', tell) ? { action: 'back' } : undefined;
}

type RecapAnswer = { readonly action: 'again' | 'back' } | { readonly answer: 'yes' };

/** At the recap there are two words more. */
export function readRecap(text: string, tell: Tell): RecapAnswer | undefined {
  if (isWord(text, 'again', tell)) return { action: 'again' };
  if (isWord(text, 'yes', tell)) return { answer: 'yes' };
  return readWord(text, tell);
}

/** Somebody who types has a word for what a request has a field for. */
export function inWords(text: string): string {
  return text.replace(/([Ss])end the action back/g, (_, s: string) =>
    s === 'S' ? 'Type back' : 'type back',
  );
}

/** Why an answer is not taken, what to do, and what would be taken. */
export function toldWrong({ error, fix, suggestions }: WrongAnswer, tell: Tell): readonly string[] {
  const like = suggestions.length === 0 ? [] : [tell(`Such as: ${suggestions.join(', ')}`)];
  return [`${tell(error)}.`, tell(fix), ...like];
}
