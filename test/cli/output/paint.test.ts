/** Colours of our own: legible on a black background and on a white one. */
import { expect, it } from 'vitest';
import { paintFor } from '../../../src/cli/output/paint.ts';

const ESCAPE = String.fromCharCode(27);
/** Bold, dim, red, green, blue, magenta: no white, nothing bright, and neither yellow nor cyan. */
const LEGIBLE = [1, 2, 31, 32, 34, 35];

it('nothing vanishes on white', async () => {
  const { tone, ...styles } = await paintFor({ hasColor: true });
  const tones = (['good', 'open', 'bad'] as const).map((one) => tone('x', one));
  for (const text of [...tones, ...Object.values(styles).map((style) => style('x'))]) {
    const [begin = ''] = text.split('x');
    expect(begin.startsWith(`${ESCAPE}[`)).toBe(true);
    expect(LEGIBLE).toContain(Number.parseInt(begin.slice(2), 10));
  }
});

it('nothing is coloured where there is no colour', async () => {
  const { tone, ...styles } = await paintFor({ hasColor: false });
  expect([tone('x', 'open'), ...Object.values(styles).map((style) => style('x'))]).toEqual([
    ...['x', 'x', 'x', 'x'],
  ]);
});
