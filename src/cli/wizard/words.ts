/** Command words of the wizard, in English and in the user's language. */
import { Message, t } from '../../domain/message.ts';
import type { WrongAnswer } from '../../domain/wizard-step.ts';
import type { Localize } from '../i18n/localize.ts';
import { isWord } from '../terminal/prompter.ts';

/** Recognises the word that goes back, in upper or lower case. */
export function readWord(
  text: string,
  localize: Localize,
): { readonly action: 'back' } | undefined {
  return isWord(text, t`back`, localize) ? { action: 'back' } : undefined;
}

type RecapAnswer = { readonly action: 'again' | 'back' } | { readonly answer: 'yes' };

/** The recap has two more words. */
export function readRecap(text: string, localize: Localize): RecapAnswer | undefined {
  if (isWord(text, t`again`, localize)) return { action: 'again' };
  if (isWord(text, t`yes`, localize)) return { answer: 'yes' };
  return readWord(text, localize);
}

/** Replaces the API's wording by the words that a user types. */
export function inWords({ parts, values }: Message): Message {
  const typed = parts.map((part) =>
    part.replace(/([Ss])end the action back/g, (_, s: string) =>
      s === 'S' ? 'Type back' : 'type back',
    ),
  );
  return new Message(
    typed,
    values.map((value) => (value instanceof Message ? inWords(value) : value)),
  );
}

/** Why an answer is refused, what to do unless that is empty, and which answers would be accepted. */
export function toldWrong(
  { error, fix, suggestions }: WrongAnswer,
  localize: Localize,
): readonly string[] {
  const named = toldSuggestions({ fix, suggestions });
  const like = named.length === 0 ? [] : [localize(t`Such as: ${named.join(', ')}`)];
  return [`${localize(error)}.`, ...(String(fix) === '' ? [] : [localize(fix)]), ...like];
}

/** Returns the suggestions, unless the advice names all of them already. */
export function toldSuggestions({
  fix,
  suggestions,
}: Pick<WrongAnswer, 'fix' | 'suggestions'>): readonly string[] {
  const said = String(fix);
  return suggestions.every((one) => said.includes(one)) ? [] : suggestions;
}
