/** Translates commander's English error messages, matched by pattern. */
import { type Message, t, verbatim } from '../../domain/message.ts';

type Form = readonly [form: RegExp, said: (...values: readonly string[]) => Message];

const FORMS: readonly Form[] = [
  [/^unknown option '(.*)'$/s, (flag = '') => t`Unknown option '${flag}'`],
  [/^unknown command '(.*)'$/s, (word = '') => t`Unknown command '${word}'`],
  [
    /^required option '(?:-\w, )?(.*)' not specified$/s,
    (flag = '') => t`Required option '${flag}' not specified`,
  ],
  [/^missing required argument '(.*)'$/s, (name = '') => t`Missing required argument '${name}'`],
  [
    /^option '(?:-\w, )?(.*)' argument missing$/s,
    (flag = '') => t`Option '${flag}' argument missing`,
  ],
  [
    /^option '(?:-\w, )?(--[^']*)' argument '(.*)' is invalid\. (Allowed choices are .*\.)$/s,
    (flag = '', value = '', why = '') =>
      t`Option '${flag}' argument '${value}' is invalid. ${parserMessage(why)}`,
  ],
  [
    /^command-argument value '(.*)' is invalid for argument '([^']*)'\. (Allowed choices are .*\.)$/s,
    (value = '', name = '', why = '') =>
      t`Value '${value}' is invalid for argument '${name}'. ${parserMessage(why)}`,
  ],
  [/^Allowed choices are (.*)\.$/s, (choices = '') => t`Allowed choices are ${choices}.`],
  [
    /^too many arguments\. Expected (\d+) arguments? but got (\d+)\.$/,
    (expected = '', given = '') =>
      expected === '1'
        ? t`Too many arguments. Expected ${expected} argument but got ${given}.`
        : t`Too many arguments. Expected ${expected} arguments but got ${given}.`,
  ],
  [
    /^too many arguments for '(.*)'\. Expected (\d+) arguments? but got (\d+)\.$/s,
    (command = '', expected = '', given = '') =>
      expected === '1'
        ? t`Too many arguments for '${command}'. Expected ${expected} argument but got ${given}.`
        : t`Too many arguments for '${command}'. Expected ${expected} arguments but got ${given}.`,
  ],
  [/^Did you mean one of (.*)\?$/s, (words = '') => t`Did you mean one of ${words}?`],
  [/^Did you mean (.*)\?$/s, (word = '') => t`Did you mean ${word}?`],
];

/** An unknown message stays as it is. */
export function parserMessage(text: string): Message {
  for (const [form, said] of FORMS) {
    const found = form.exec(text);
    if (found !== null) return said(...found.slice(1));
  }
  return verbatim(text);
}
