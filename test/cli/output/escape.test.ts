import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeText } from '../../../src/domain/message/message.ts';
import { RAW, VECTORS } from '../../support/terminal-vectors.ts';

const EMOJI = String.raw`\p{RGI_Emoji}`;
const WHOLE_EMOJI = new RegExp(EMOJI, 'gv');

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
        expect(escapeText(text).replace(WHOLE_EMOJI, '')).not.toMatch(RAW);
      }),
    );
  });

  it('escapes lone surrogates', () => {
    expect(escapeText('\ud800x')).toBe('\\u{d800}x');
  });

  it('is each character of Unicode as it is, or in its composed form, or spelt out', () => {
    const dangerous = /(?! )[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}\p{Z}\p{Default_Ignorable_Code_Point}]/u;
    const wrong: string[] = [];
    for (let code = 0; code <= 0x10ffff; code += 1) {
      const one = String.fromCodePoint(code).normalize('NFC');
      const spelt = `\\u{${one.codePointAt(0)?.toString(16)}}`;
      const shown = dangerous.test(one) ? spelt : one;
      if (escapeText(String.fromCodePoint(code)) !== shown) wrong.push(spelt);
    }
    expect(wrong).toEqual([]);
  });

  it.each(['Amazon.com', 'Café Zoé', 'Ünïcode', '東京カード', 'Ωmega', '5 € 🎁', '❤️ 👨‍👩‍👧 🏴‍☠️'])(
    'leaves %s as it is',
    (text) => {
      expect(escapeText(text)).toBe(text);
    },
  );

  it.each([
    ['a\u200db\ufe0f', 'a\\u{200d}b\\u{fe0f}'],
    ['👨\u200d', '👨\\u{200d}'],
    ['👨‍👩‍👧\u200d\u202e', '👨‍👩‍👧\\u{200d}\\u{202e}'],
  ])('joiners outside of an emoji are shown: %j', (text, shown) => {
    expect(escapeText(text)).toBe(shown);
  });

  it('is cut where it is too long', () => {
    expect(escapeText('x'.repeat(5000))).toHaveLength(2001);
    expect(escapeText('abcdef', 3)).toBe('abc…');
  });
});
