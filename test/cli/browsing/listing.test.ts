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
});
