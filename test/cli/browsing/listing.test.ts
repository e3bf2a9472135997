import { beforeAll, describe, expect, it } from 'vitest';
import { type Home, makeHome } from '../../support/cli.ts';

let home: Home;
beforeAll(() => {
  home = makeHome();
});

interface Brand {
  readonly brand_name: string;
  readonly family: string;
  readonly min?: string;
  readonly max?: string;
}

describe.each([
  ['the checkout host', []],
  ['the partner API', ['--via', 'partner']],
])('a catalog of %s', (_what, via) => {
  it('is filtered by kind and value, sorted and cut', async () => {
    const words = ['brands', '--country', 'us', '--kind', 'mobile_topup', '--min', '20', ...via];
    const all = await home.json<readonly Brand[]>([...words, '--sort', 'max']);
    expect(all.length).toBeGreaterThan(2);
    expect(new Set(all.map(({ family }) => family))).toEqual(new Set(['Mobile Recharge']));
    const most = all.map(({ max }) => Number(max));
    expect(most).toEqual(most.toSorted((one, other) => one - other));
    expect(Math.min(...most)).toBeGreaterThanOrEqual(20);
    const few = await home.run([...words, '--sort', 'max', '--limit', '2']);
    expect(few.stdout.trim().split('\n')).toHaveLength(2);
    expect(few.stderr).toContain(`2 of ${all.length} shown`);
  });

  it('has the products within bounds', async () => {
    const words = ['catalog', '--country', 'us', '--brand', 'Steam', '--min', '20', '--max', '50'];
    const { stdout, status } = await home.run([...words, '--sort', 'min', ...via]);
    expect(status).toBe(0);
    expect(stdout.split('\n').map((line) => line.split('\t')[2])).toEqual([
      '20 USD',
      '50 USD',
      undefined,
    ]);
  });

  it('has the products of a family that a text finds', async () => {
    const words = ['catalog', '--country', 'us', '--family', 'Gift Cards', '--search', 'steam 50'];
    const { stdout, status } = await home.run([...words, ...via]);
    expect([status, stdout.split('\n').map((line) => line.split('\t')[2])]).toEqual([
      0,
      ['50 USD', undefined],
    ]);
    const streamed = await home.run([...words, '--ndjson', ...via]);
    expect(streamed.stdout.trim().split('\n')).toHaveLength(1);
  });

  it.each(['brands', 'catalog'])('of %s has nothing between bounds that cross', async (verb) => {
    const place = ['--country', 'us', ...(verb === 'catalog' ? ['--brand', 'Steam'] : [])];
    for (const form of ['--json', '--ndjson']) {
      const bounds = ['--min', '50', '--max', '20', form];
      const { status, stdout, stderr } = await home.run([verb, ...place, ...bounds, ...via]);
      expect([status, stdout, JSON.parse(stderr).error.code]).toEqual([2, '', 'INPUT_INVALID']);
    }
  });

  it.each([
    ['--min', 'ten', 'AMOUNT_INVALID'],
    ['--limit', '0', 'INPUT_INVALID'],
    ['--sort', 'colour', 'USAGE'],
    ['--kind', 'car', 'USAGE'],
    ['--category', 'cars', 'INPUT_INVALID'],
  ])('refuses %s %s', async (flag, value, code) => {
    const words = ['brands', '--country', 'us', flag, value, '--json', ...via];
    const { status, stdout, stderr } = await home.run(words);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(JSON.parse(stderr).error.code).toBe(code);
  });
});
