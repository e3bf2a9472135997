import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  besideLabel,
  itemLines,
  reflowed,
  sentenceText,
  textWidth,
  wrapWords,
} from '../../../src/cli/output/wrap.ts';

const ID = '75735efd-8e6a-8fe1-aa51-e47f87b92589';

describe('a text on a terminal', () => {
  it.each([
    ['cr_xqg42a · scrip orders show cr_xqg42a', ['cr_xqg42a ·', 'scrip orders show cr_xqg42a']],
    [
      'Not finished. Run: scrip orders resume cr_x.',
      ['Not finished. Run:', 'scrip orders resume cr_x.'],
    ],
    ['1 still open; run scrip orders resume', ['1 still open; run', 'scrip orders resume']],
    ['Everything: scrip wizard. scrip help all', ['Everything: scrip wizard.', 'scrip help all']],
  ])('keeps a command whole: %s', (text, lines) => {
    expect(wrapWords(text, 28)).toEqual(lines);
  });

  it('breaks a longer command so that a shell reads it as one', () => {
    const command = `scrip order ${ID} 25 --to 'ada lovelace@example.com' --yes --max-amount 25.38`;
    const lines = wrapWords(`Amazon.com 25 USD: ${command}`, 50);
    for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(50);
    const [, ...pasted] = lines;
    const words = (text: string) =>
      execFileSync('sh', ['-c', `scrip() { printf '<%s>' "$@"; }\n${text}`], { encoding: 'utf8' });
    expect(words(pasted.join('\n'))).toBe(words(command));
  });

  it('loses no word and exceeds no width that its words fit', () => {
    const word = fc.stringMatching(/^[a-z0-9:.,-]{1,12}$/);
    const text = fc.array(fc.oneof(word, fc.constantFrom('scrip', 'orders', 'show')));
    fc.assert(
      fc.property(text, fc.integer({ min: 16, max: 60 }), (words, columns) => {
        const lines = wrapWords(words.join(' '), columns);
        const isContinued = lines.some((line) => line.endsWith(' \\'));
        const whole = lines.map((line) => line.replace(/ \\$/, '').trim()).join(' ');
        expect(whole).toBe(words.join(' '));
        if (!isContinued) {
          for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(columns);
        }
      }),
    );
  });

  it('stays one line for a program', () => {
    const text = 'A sentence that is longer than the columns';
    expect(sentenceText(text, { isTerminal: false, columns: 20 })).toBe(`${text}\n`);
    expect(sentenceText(text, { isTerminal: true, columns: 20 }).split('\n')).toHaveLength(4);
  });
});

describe('what stands beside a label', () => {
  it('goes on below itself', () => {
    expect(besideLabel('enter it at the checkout', { margin: 6, columns: 24 })).toEqual([
      'enter it at the',
      '      checkout',
    ]);
  });

  it('stands below the label where a word is too long', () => {
    expect(besideLabel(`id ${ID}`, { margin: 20, columns: 50 })).toEqual(['', `  id ${ID}`]);
  });

  it('begins at the edge where a word is longer than the terminal', () => {
    expect(besideLabel('x'.repeat(60), { margin: 20, columns: 50 })).toEqual(['', 'x'.repeat(60)]);
  });
});

describe('help on a narrow terminal', () => {
  it('has what an option is for below it', () => {
    const what = 'where you are reached (default: settings)';
    expect(itemLines('  --email <email>', what, { margin: 27, columns: 50 })).toEqual([
      '  --email <email>',
      '    where you are reached (default: settings)',
    ]);
    expect(itemLines('  --email <email>', what, { margin: 27, columns: 80 })).toEqual([
      `  --email <email>          ${what}`,
    ]);
  });

  it('flows prose anew, and leaves what is indented in its lines', () => {
    const text = 'Prose that was written\nin lines.\n\n  $ scrip pay <id>      pays it\n  short';
    expect(reflowed(text, 80)).toBe(text);
    expect(reflowed(text, 24)).toBe(
      'Prose that was written\nin lines.\n\n  $ scrip pay <id>\n    pays it\n  short',
    );
  });
});
