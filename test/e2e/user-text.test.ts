/** Carts from pipes and from files without an end, by the real process. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeHome } from '../support/cli.ts';
import { amazonProducts, fundedWallet } from '../support/shop.ts';

const home = makeHome();
await fundedWallet(home);
const productId = amazonProducts().fixed.product_id;
const fifo = join(home.dir, 'cart.fifo');
spawnSync('mkfifo', [fifo]);

const cart = (path: string) => [
  ...['order', '--cart', path, '--email', 'you@example.com'],
  ...['--country', 'us', '--brand', 'Amazon.com', '--yes', '--max-total', '60'],
];

describe('a cart', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    'from a pipe that nobody writes to is left at %s',
    async (signal) => {
      const child = home.start(cart(fifo));
      const ended = once(child, 'close');
      // Once it reads, the other end can be opened without waiting for a reader.
      const writer = createWriteStream(fifo);
      await once(writer, 'open');
      child.kill(signal);
      const [status] = await ended;
      writer.destroy();
      expect(status).toBe(130);
    },
  );

  it('from a pipe is bought when its writer is done', async () => {
    const writer = createWriteStream(fifo);
    const bought = home.run([...cart(fifo), '--json']);
    writer.end(`${productId},friend@example.com\n`);
    const { status, stdout, stderr } = await bought;
    expect(status, stderr).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject([{ status: 'completed' }]);
  });

  it.each(['/dev/zero', '-'])('without an end is refused (%s)', async (path) => {
    const child = home.start(cart(path));
    let said = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    const pour = (): void => {
      while (child.stdin?.writable && child.stdin.write('x\n'.repeat(32_768)));
    };
    child.stdin?.on('drain', pour).on('error', () => undefined);
    if (path === '-') pour();
    const [status] = await once(child, 'close');
    expect([status, said]).toEqual([2, expect.stringContaining('holds more than 16 MiB')]);
  });
});
