// P6: a purchase through the library, journal and all, beside a bare script that asks, signs, writes twice to disk and
// pays; in one process, time on its processor. `purchase.mjs <url> <folder> <pairs>` measures.
import { spawnSync } from 'node:child_process';
import { closeSync, fsyncSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { median } from './measure.mjs';
import { buyer } from './purchases.mjs';
import { startSandbox } from './reads.mjs';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const BOUGHT = 10;
const BUDGET = 1.5;
/** The usual limits stop after ten purchases. */
const LIMITS = { perDay: '1000000', perMerchantPerDay: '1000000' };

/** What some work takes, on the clock and of this process on the processor; what it leaves to be ended is not counted. */
async function timeOf(work) {
  let wallMs = 0;
  let cpuUs = 0;
  for (let index = 0; index < BOUGHT; index += 1) {
    const cpu = process.cpuUsage();
    const started = performance.now();
    const end = await work();
    wallMs += performance.now() - started;
    const { user, system } = process.cpuUsage(cpu);
    cpuUs += user + system;
    await end?.();
  }
  return { wallMs: wallMs / BOUGHT, cpuMs: cpuUs / 1_000 / BOUGHT };
}

async function measure(url, folder, pairs) {
  const { createScrip } = await import(at('../dist/library.js'));
  mkdirSync(folder, { recursive: true });
  const bare = await buyer(url);
  const keyFile = join(folder, 'key.json');
  bare.saveKey(keyFile);
  const file = openSync(join(folder, 'floor'), 'a');
  const bareBuy = async () => {
    const beforePaying = () => {
      for (let sync = 0; sync < 2; sync += 1) {
        writeSync(file, 'x'.repeat(1_000));
        fsyncSync(file);
      }
    };
    await bare.buy(1, { beforePaying });
  };
  const scrip = await createScrip({
    ...{ checkoutUrl: url, rpcUrl: `${url}/rpc`, journal: join(folder, 'journal') },
    wallet: { keyFile },
    policy: {
      hosts: { [new URL(url).host]: { payTo: 'any' } },
      nonInteractive: { enabled: true },
      ...LIMITS,
    },
  });
  const [product] = await scrip.find('amazon', { country: 'us' });
  let count = 0;
  const buy = async () => {
    count += 1;
    const outcome = await scrip.order(
      { productId: product.id, value: '10', to: 'friend@example.com', email: 'me@example.com' },
      { idempotencyKey: `bench-${count}`, waitMs: 0, allowDuplicate: true, confirm: () => true },
    );
    if (outcome.orderId === null) throw new Error(`not bought: ${outcome.reason}`);
    return async () => {
      for await (const { isFinal } of scrip.track(outcome.orderId)) if (isFinal) return;
    };
  };
  await timeOf(buy);
  await timeOf(bareBuy);
  const runs = [];
  for (let pair = 0; pair < pairs; pair += 1) runs.push([await timeOf(buy), await timeOf(bareBuy)]);
  await scrip.close();
  closeSync(file);
  const ratioOf = (name) => median(runs.map(([one, other]) => one[name] / other[name]));
  return {
    figureMs: median(runs.map(([one]) => one.wallMs)),
    floorMs: median(runs.map(([, other]) => other.wallMs)),
    wall: ratioOf('wallMs'),
    cpu: ratioOf('cpuMs'),
  };
}

/** @param tell told of the figure: milliseconds of it and of the floor, ratios, budget */
export async function measurePurchase({ folder, pairs, tell }) {
  const served = await startSandbox(join(folder, 'purchase'));
  try {
    const words = [at('purchase.mjs'), served.url, join(folder, 'buyer'), String(pairs)];
    const { stdout, status, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' });
    if (status !== 0) throw new Error(`the purchases ended with ${status}: ${stderr}`);
    tell('a purchase, to its first status', JSON.parse(stdout), BUDGET);
  } finally {
    served.child.kill();
  }
}

const [, self, url, folder, pairs] = process.argv;
if (self === at('purchase.mjs') && url) {
  process.stdout.write(JSON.stringify(await measure(url, folder, Number(pairs))));
}
