import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeText } from '../../../src/cli/output/escape.ts';

const RAW = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

/** What a merchant's text may try on a terminal, each with what must be seen of it. */
const VECTORS: readonly (readonly [what: string, hostile: string, shown: string])[] = [
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

describe('text of others', () => {
  it('is tried with 31 attacks', () => {
    expect(VECTORS).toHaveLength(31);
  });

  it.each(VECTORS)('shows %s instead of obeying it', (_what, hostile, shown) => {
    expect(escapeText(hostile)).toBe(shown);
    expect(escapeText(hostile)).not.toMatch(RAW);
  });

  it('never holds a control or format character, whatever it was', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(escapeText(text)).not.toMatch(RAW);
      }),
    );
  });

  it('escapes lone surrogates', () => {
    expect(escapeText('\ud800x')).toBe('\\u{d800}x');
  });

  it.each(['Amazon.com', 'Café Zoé', 'Ünïcode', '東京カード', 'Ωmega', '5 € 🎁'])(
    'leaves %s as it is',
    (text) => {
      expect(escapeText(text)).toBe(text);
    },
  );

  it('is cut where it is too long', () => {
    expect(escapeText('x'.repeat(5000))).toHaveLength(2001);
    expect(escapeText('abcdef', 3)).toBe('abc…');
  });
});
