import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inSamePlace } from '../../src/cli/same-place.ts';
import { shellWord } from '../../src/domain/message/command-text.ts';

const AT = ['--checkout-url', 'https://shop.example'];

describe('the next command', () => {
  const cases: readonly (readonly [text: string, words: readonly string[], expected: string])[] = [
    ['Run: scrip track cr_1', ['order', 'p'], 'Run: scrip track cr_1'],
    [
      'Run: scrip track cr_1',
      ['order', 'p', ...AT],
      'Run: scrip track cr_1 --checkout-url https://shop.example',
    ],
    [
      'Run: scrip orders resume',
      ['--profile=live', 'order'],
      'Run: scrip orders resume --profile live',
    ],
    [
      'To pay it: scrip pay 0b7d1ad6-8a3f-4c1c-9b07-9a1d7c1f2d11. Then wait.',
      ['order', '--api-url', 'https://a.example', '--keypair', 'my key.json'],
      "To pay it: scrip pay 0b7d1ad6-8a3f-4c1c-9b07-9a1d7c1f2d11 --api-url https://a.example --keypair 'my key.json'. Then wait.",
    ],
    [
      'Continue with: scrip wizard --resume --plain',
      ['wizard', '--profile', 'live'],
      'Continue with: scrip wizard --resume --profile live --plain',
    ],
    [
      'Continue with: scrip wizard --resume',
      ['wizard', '--lang=es'],
      'Continue with: scrip wizard --resume --lang es',
    ],
    [
      "scrip order 0b7d1ad6-8a3f-4c1c-9b07-9a1d7c1f2d11 --brand 'Kohl'",
      ['wizard', ...AT],
      "scrip order 0b7d1ad6-8a3f-4c1c-9b07-9a1d7c1f2d11 --checkout-url https://shop.example --brand 'Kohl'",
    ],
    ['Run: scrip track cr_1', ['order', 'p', '--lang', 'es'], 'Run: scrip track cr_1 --lang es'],
    [
      'Search for it: scrip brands --country us',
      ['order', 'p', '--profile', 'live'],
      'Search for it: scrip brands --profile live --country us',
    ],
    ['Run: scrip orders', ['order', ...AT], 'Run: scrip orders'],
    ['Run: scrip errors', ['order', ...AT], 'Run: scrip errors'],
    [
      'Run: scrip wallet new && scrip wallet fund',
      ['wizard', '--profile', 'other'],
      'Run: scrip wallet new --profile other && scrip wallet fund --profile other',
    ],
    ['Run: scrip track cr_1', ['order', '--', ...AT], 'Run: scrip track cr_1'],
    [
      'Ask: scrip doctor --repair --checkout-url <address of the host>',
      ['doctor', ...AT, '--lang', 'es'],
      'Ask: scrip doctor --repair --lang es --checkout-url <address of the host>',
    ],
  ];
  it.each(cases)('%s after %j', (text, words, expected) => {
    expect(inSamePlace(text, words)).toBe(expected);
  });
});

it('a shell reads every quoted word back as it was', () => {
  const word = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom(
      "Macy's",
      '~root',
      '=ls',
      '$HOME',
      '`id`',
      '-x',
      '',
      'a\\b',
      'a\\\\b\\',
      '*',
      '!!',
      '"',
    ),
  );
  const words = fc.array(
    word.map((text) => text.replaceAll('\0', '')),
    { maxLength: 40 },
  );
  fc.assert(
    fc.property(words, (all) => {
      const line = all.map(shellWord).join(' ');
      const { stdout } = spawnSync('sh', ['-c', `for w in ${line}; do printf '%s\\0' "$w"; done`]);
      expect(stdout.toString('utf8').split('\0').slice(0, -1)).toEqual(
        all.map((text) => Buffer.from(text).toString('utf8')),
      );
    }),
    { numRuns: 60 },
  );
});

it('a path of Windows is quoted as PowerShell reads it too', () => {
  expect(shellWord('C:\\Users\\Ada L\\key.json')).toBe("'C:\\Users\\Ada L\\key.json'");
});
