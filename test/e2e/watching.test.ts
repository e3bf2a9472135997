/** Orders that are followed by the real process: all at once, and with a command on delivery. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeHome } from '../support/cli.ts';
import { serveSandbox } from '../support/served-sandbox.ts';
import { amazonProducts, buy, fundedWallet, HERE, orderOf } from '../support/shop.ts';

const home = makeHome();

interface Tracked {
  readonly order_id: string;
  readonly surface: string;
  readonly host: string;
  readonly status: string;
  readonly ended: boolean;
  readonly error: string | null;
}

const PARTNER = ['--via', 'partner', ...HERE, '--email', 'you@example.com', '--yes'] as const;

async function partnerOrder(to: string, means: readonly string[]): Promise<string> {
  const words = ['order', product, ...PARTNER, '--to', to, ...means];
  return (await home.json<{ order_id: string }>(words)).order_id;
}

await fundedWallet(home, [], '500');
const served = await serveSandbox(home, ['--data', join(home.dir, 'shop')]);
await home.json(['wallet', 'fund', '--usdc', '500', ...served.flags]);
const product = amazonProducts().fixed.product_id;
const delivered = (await buy(home, product, [])).order_id;

const saving = (name: string): string =>
  JSON.stringify([process.execPath, '-e', SAVE, join(home.dir, name)]);
const SAVE = `let text = ''; process.stdin.on('data', (d) => { text += d; }).on('end', () => {
  const { SCRIP_ORDER_ID: id, SCRIP_ORDER_STATE: state, SCRIP_PASSPHRASE: secret } = process.env;
  require('fs').appendFileSync(process.argv[1], JSON.stringify({ id, state, secret, order: JSON.parse(text) }) + '\\n');
})`;

function saved(name: string): { id: string; state: string; secret?: string; order: unknown }[] {
  const text = readFileSync(join(home.dir, name), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

describe('scrip track --all', () => {
  it('has nothing to do where every order has ended', async () => {
    const { status, stdout, stderr } = await home.run(['track', '--all']);
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
    expect(stderr).toBe('No order of this machine is open.\n');
    expect(await home.json(['track', '--all'])).toEqual([]);
  });

  it('follows both sides and both hosts to their ends, a line for each change, and runs the command', async () => {
    const more = ['--no-wait', '--json'];
    const here = JSON.parse((await home.run(orderOf(product, more))).stdout).order_id;
    const there = JSON.parse((await home.run(orderOf(product, [...more, ...served.flags]))).stdout);
    const paying = ['--pay', '--no-wait', '--max-amount', '60'];
    const paid = await partnerOrder('three@example.com', paying);
    const { status, stdout, stderr } = await home.run(
      ['track', '--all', '--ndjson', '--exec', saving('all.ndjson')],
      { env: { SCRIP_PASSPHRASE: 'canary' } },
    );
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const lines: Tracked[] = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const ends = lines.filter(({ ended }) => ended);
    const wanted = [
      { order_id: here, surface: 'checkout', host: 'embedded:sandbox', status: 'completed' },
      { order_id: there.order_id, surface: 'checkout', host: served.url, status: 'completed' },
      { order_id: paid, surface: 'partner', host: 'embedded:sandbox', status: 'Done' },
    ];
    expect(ends).toHaveLength(wanted.length);
    for (const one of wanted)
      expect(ends).toContainEqual(expect.objectContaining({ ...one, error: null }));
    const told = saved('all.ndjson');
    expect(told.map(({ id }) => id).toSorted()).toEqual(
      wanted.map((one) => one.order_id).toSorted(),
    );
    expect(told.every(({ secret }) => secret === undefined)).toBe(true);
    expect(JSON.stringify(told)).not.toContain('TEST-');
    expect(await home.json(['track', '--all'])).toEqual([]);
    const revealed = await home.run(['orders', 'reveal', there.order_id]);
    expect(revealed.stdout).toContain('TEST-');
  });

  it('ends with the worst of what it found, and says which', async () => {
    const means = ['--coin', 'BTC', '--network', 'Mainnet'];
    const unpaid = await partnerOrder('four@example.com', means);
    const canceled = await partnerOrder('five@example.com', means);
    await home.json(['sandbox', 'cancel', canceled]);
    const worst = await home.failure(['track', '--all', '--timeout', '0s']);
    expect(JSON.parse(worst.stdout)).toMatchObject([
      { order_id: unpaid, ended: false, error: 'ORDER_PENDING' },
      { order_id: canceled, ended: true, error: 'ORDER_CANCELED' },
    ]);
    const message = 'not delivered: 2 of 2 orders';
    expect(worst).toMatchObject({ status: 10, code: 'ORDER_CANCELED', message });
    const text = await home.run(['track', '--all', '--timeout', '0s']);
    expect(text.status).toBe(8);
    expect(text.stdout.trimEnd().split('\t').slice(1)).toEqual([
      unpaid,
      'unpaid (Waiting for the payment)',
      expect.stringContaining('Amazon.com'),
    ]);
  });
});

describe('scrip track --exec', () => {
  it('that fails ends with 13, and the order is printed all the same', async () => {
    const failed = await home.failure(['track', delivered, '--exec', 'no-such-program-here']);
    expect(JSON.parse(failed.stdout)).toMatchObject({ order_id: delivered, status: 'completed' });
    expect(failed).toMatchObject({
      ...{ status: 13, code: 'EXEC_FAILED', funds_at_risk: 'none' },
      details: { order_id: delivered },
    });
  });

  it('leaves standard output to the order', async () => {
    const loud = JSON.stringify([process.execPath, '-e', 'console.log("from the command")']);
    const { stdout, stderr } = await home.run(['track', delivered, '--exec', loud]);
    expect(stdout).not.toContain('from the command');
    expect(stderr).toContain('from the command');
  });
});
