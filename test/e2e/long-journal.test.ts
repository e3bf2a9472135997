/** A wallet that has bought for long buys as quickly as one that has not: by the files that it reads. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, it } from 'vitest';
import { type Home, makeHome } from '../support/cli.ts';
import { buyLongAgo, reserveLongAgo } from '../support/old-purchases.ts';

const COUNTER = fileURLToPath(new URL('../support/files-read.cjs', import.meta.url));
const WEEK_MS = 7 * 86_400_000;
const ORDER = [
  ...['order', '--brand', 'Amazon.com', '--country', 'us', '--value', '25'],
  ...['--to', 'friend@example.com', '--max-amount', '30', '--yes', '--json'],
];

let home: Home;
beforeAll(() => {
  home = makeHome();
});

async function filesRead(dir: string, words: readonly string[]): Promise<number> {
  const told = join(home.dir, 'files-read');
  const env = { NODE_OPTIONS: `--require "${COUNTER}"`, FILES_BELOW: dir, FILES_READ: told };
  const { status, stderr } = await home.run(words, { env });
  expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' });
  return Number(readFileSync(told, 'utf8'));
}

it('a purchase reads no more files of the journal after 300 others than after 100', async () => {
  const { address: payer } = await home.json<{ address: string }>(['wallet', 'new']);
  expect((await home.run(['wallet', 'fund'])).status).toBe(0);
  const dir = join(home.dir, '.local/state/scrip/journal');
  const atMs = Date.now() - WEEK_MS;
  const books = { dir, payer };
  const look = [...ORDER, '--dry-run'];

  await buyLongAgo(books, { from: 1, to: 100, atMs });
  await reserveLongAgo(books, { count: 100, atMs });
  expect((await home.run(ORDER)).status).toBe(0);
  await filesRead(dir, look);
  const few = await filesRead(dir, look);

  await buyLongAgo(books, { from: 101, to: 300, atMs });
  expect(await filesRead(dir, look)).toBeGreaterThan(300);
  const many = await filesRead(dir, look);

  expect(many).toBeGreaterThan(0);
  expect(many).toBeLessThanOrEqual(few);
});
