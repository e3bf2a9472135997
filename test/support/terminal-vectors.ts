/** What a text of others may try on whoever looks at it. */

/** No such character of others stands on a terminal, in JSON or in a file of values. */
export const RAW = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

/** What a merchant's text may try on a terminal, each with what must be seen of it. */
export const VECTORS: readonly (readonly [what: string, hostile: string, shown: string])[] = [
  ['colour (CSI)', '\u001b[31mred', '\\u{1b}[31mred'],
  ['clear screen', '\u001b[2J', '\\u{1b}[2J'],
  ['cursor up', 'a\u001b[1Ab', 'a\\u{1b}[1Ab'],
  ['window title (OSC, BEL)', '\u001b]0;owned\u0007', '\\u{1b}]0;owned\\u{7}'],
  ['window title (OSC, ST)', '\u001b]0;owned\u001b\\', '\\u{1b}]0;owned\\u{1b}\\'],
  [
    'link (OSC 8)',
    '\u001b]8;;https://evil.example\u0007x',
    '\\u{1b}]8;;https://evil.example\\u{7}x',
  ],
  ['clipboard (OSC 52)', '\u001b]52;c;cm0gLXJm\u0007', '\\u{1b}]52;c;cm0gLXJm\\u{7}'],
  ['C1 CSI', '\u009b31m', '\\u{9b}31m'],
  ['C1 OSC', '\u009d0;x\u009c', '\\u{9d}0;x\\u{9c}'],
  ['DCS', '\u001bP1$r\u001b\\', '\\u{1b}P1$r\\u{1b}\\'],
  ['C1 DCS', '\u0090q', '\\u{90}q'],
  ['APC', '\u001b_Gf=100\u001b\\', '\\u{1b}_Gf=100\\u{1b}\\'],
  ['C1 APC', '\u009fG', '\\u{9f}G'],
  ['PM', '\u001b^x\u001b\\', '\\u{1b}^x\\u{1b}\\'],
  ['SOS', '\u0098x', '\\u{98}x'],
  ['reset (RIS)', '\u001bc', '\\u{1b}c'],
  ['carriage return', 'paid 1\rpaid 9', 'paid 1\\u{d}paid 9'],
  ['backspace', 'no\u0008\u0008ok', 'no\\u{8}\\u{8}ok'],
  ['newline forging a line', 'x\nerror: none', 'x\\u{a}error: none'],
  ['tab forging a column', 'x\ty', 'x\\u{9}y'],
  ['NUL', 'x\u0000y', 'x\\u{0}y'],
  ['DEL', 'x\u007f', 'x\\u{7f}'],
  ['next line (C1)', 'x\u0085y', 'x\\u{85}y'],
  ['line separator', 'x\u2028y', 'x\\u{2028}y'],
  ['paragraph separator', 'x\u2029y', 'x\\u{2029}y'],
  ['bidi override', '\u202ecod', '\\u{202e}cod'],
  ['bidi isolate', '\u2066x\u2069', '\\u{2066}x\\u{2069}'],
  ['zero width', 'pay\u200bpal', 'pay\\u{200b}pal'],
  ['tag characters', '\u{e0041}', '\\u{e0041}'],
  ['invisible filler (Hangul)', 'x\u3164', 'x\\u{3164}'],
  ['no-break space', 'x\u00a0y', 'x\\u{a0}y'],
];

/** One of each kind, short enough that a column has room for all of it. */
export const TYPEABLE = '\u001b]0;t\u0007\u001b[2J\u009b2J\u202e\u200b\r\n\b\u2028';
/** No file name and no line of a terminal can hold half a character; a merchant's JSON can. */
export const MIXED = `${TYPEABLE}\ud800`;

const ESCAPE = '\u001b';
/** Control sequences that this program writes itself: colours, the spinner's line, the cursor. */
const OURS = new RegExp(
  `${ESCAPE}\\[(?:\\d{1,2}m|\\?(?:25|2026)[hl]|\\d{0,3}[ABCDG]|[02]?K|J)|\r\n`,
  'g',
);

/** An attack on the field of a name, so that what is printed says which field it was. */
export const tagged = (name: string, text: string): string => `qz:${name}:${text}`;

/** What stands raw in a text that was printed. */
export function rawIn(printed: string, text: string): readonly string[] {
  const left = printed.replace(OURS, '').replaceAll('\n', '');
  const found = left.match(new RegExp(RAW, 'gu')) ?? [];
  const whole = printed.includes(`:${text}`) ? [text] : [];
  return [...found, ...whole, ...(left.match(/\ufffd/g) ?? [])].map((one) => JSON.stringify(one));
}

/** Fields of which something was printed. */
export const namesIn = (printed: string): readonly string[] =>
  [...new Set([...printed.matchAll(/qz:(\w+):/g)].map(([, name = '']) => name))].toSorted();
