/** An operator's own files, given to the served sandbox. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { SANDBOX_POLICY } from '../../src/sandbox/partner-policy-data.ts';
import { makeHome } from '../support/cli.ts';
import { serveSandbox } from '../support/served-sandbox.ts';

const home = makeHome();
afterAll(() => home.remove());

function file(name: string, content: unknown): string {
  const path = join(home.dir, name);
  writeFileSync(path, JSON.stringify(content));
  return path;
}

describe('scrip sandbox', () => {
  it('takes rates, suspensions and rules from files', async () => {
    const market = file('market.json', { suspended_coins: ['BTC'] });
    const policy = file('policy.json', { ...SANDBOX_POLICY, coupons: [] });
    const sandbox = await serveSandbox(home, ['--market', market, '--policy', policy]);
    try {
      const flags = ['--api-url', sandbox.url, ...sandbox.flags];
      const coins = await home.json<{ name: string; is_suspended: boolean }[]>([
        'currencies',
        ...flags,
      ]);
      expect(coins.find(({ name }) => name === 'BTC')?.is_suspended).toBe(true);
    } finally {
      await sandbox.stop();
    }
  });

  it.each(['--market', '--policy', '--catalog'])(
    'refuses a broken file of %s before it listens',
    async (flag) => {
      const broken = file('broken.json', { colour: 'red' });
      const result = await home.run(['sandbox', '--port', '0', flag, broken, '--json']);
      expect(result.status).toBe(2);
      expect(result.stdout).toBe('');
      expect(JSON.parse(result.stderr).error.message).toMatch(/invalid|not valid/);
    },
  );
});
