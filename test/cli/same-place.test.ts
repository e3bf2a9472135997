import { describe, expect, it } from 'vitest';
import { inSamePlace } from '../../src/cli/same-place.ts';

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
    ['Run: scrip errors', ['order', ...AT], 'Run: scrip errors'],
    ['Run: scrip track cr_1', ['order', '--', ...AT], 'Run: scrip track cr_1'],
  ];
  it.each(cases)('%s after %j', (text, words, expected) => {
    expect(inSamePlace(text, words)).toBe(expected);
  });
});
