/** Homes of all kinds: a purchase is made once where files can be written, and elsewhere refused with exit 13. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { makeHome, type RunOptions } from '../support/cli.ts';
import { ledgerAt } from '../support/ledger.ts';
import { serveHere } from '../support/served-here.ts';
import { fundedWallet, type OrderDocument } from '../support/shop.ts';

const home = makeHome();
const { url, flags } = await serveHere(home);
const STEAM = ['order', 'steam', '20', '--country', 'us', '--to', 'friend@example.com'] as const;
const AGREED = ['--email', 'you@example.com', '--yes', '--max-amount', '21'] as const;

/** NFS without a lock service: every lock of a part of a file is refused. */
const NO_LOCKS = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#define REFUSE(name) int name(int file, int command, ...) { \\
  va_list rest; va_start(rest, command); void *argument = va_arg(rest, void *); va_end(rest); \\
  if (command == F_SETLK || command == F_SETLKW) { errno = ENOLCK; return -1; } \\
  int (*real)(int, int, ...) = dlsym(RTLD_NEXT, #name); return real(file, command, argument); }
REFUSE(fcntl)
REFUSE(fcntl64)
`;
const library = join(home.dir, 'no-locks.so');
const canCompile =
  process.platform === 'linux' &&
  spawnSync('cc', ['-shared', '-fPIC', '-o', library, '-x', 'c', '-', '-ldl'], { input: NO_LOCKS })
    .status === 0;

async function buysOnce(dir: string, more: RunOptions['env'] = {}): Promise<void> {
  const payer = await fundedWallet({ ...home, dir }, flags);
  const words = [...STEAM, ...AGREED, '--idempotency-key', 'k', ...flags];
  const options = { env: { HOME: dir, ...more } };
  const orders = [
    await home.json<OrderDocument>(words, options),
    await home.json<OrderDocument>(words, options),
  ];
  expect(orders.map(({ order_id }) => order_id)).toEqual(Array(2).fill(orders[0]?.order_id));
  expect(await ledgerAt(`${url}/rpc`).payments(payer)).toEqual([orders[0]?.transaction]);
}

describe('a purchase is made once', () => {
  it.each([
    ['with spaces', 'a b  c'],
    ['in another script', '家 族'],
    ['with quotes and a dollar', `q'"$x`],
    ['that does not exist', 'absent/below'],
  ])('in a home %s', (_what, name) => buysOnce(join(home.dir, name)));

  it('in a home that is a link', async () => {
    mkdirSync(join(home.dir, 'real'));
    symlinkSync('real', join(home.dir, 'link'));
    await buysOnce(join(home.dir, 'link'));
  });

  it('on NFS that loses the answers to links', async () => {
    const preload = fileURLToPath(new URL('../support/lost-links.cjs', import.meta.url));
    await buysOnce(join(home.dir, 'nfs'), { NODE_OPTIONS: `--require=${preload}` });
  });

  it.skipIf(!canCompile)('on NFS without locks, which the embedded service needs', async () => {
    const env = { LD_PRELOAD: library };
    await buysOnce(join(home.dir, 'unlocked'), env);
    const { status, stderr } = await home.run(['brands', '--country', 'us'], {
      env: { HOME: join(home.dir, 'other'), ...env },
    });
    expect([status, stderr]).toEqual([13, expect.stringContaining('error[STORE_UNUSABLE]')]);
  });
});

writeFileSync(join(home.dir, 'file'), '');
const HOMES = ['/proc', '/sys', '/dev/null', join(home.dir, 'file')].filter((path) =>
  existsSync(path),
);
describe.each(HOMES)('in the home %s no folder can be made, which', (HOME) => {
  it.each([
    ['brands --country us', 'STORE_UNUSABLE'],
    ['config set country us', 'STORE_UNUSABLE'],
    ['wallet new', 'WALLET_UNSAFE'],
  ])('is an error of %s', async (line, code) => {
    const { status, stderr } = await home.run(line.split(' '), { env: { HOME }, isProcess: true });
    expect([status, stderr]).toEqual([13, expect.stringContaining(`error[${code}]`)]);
  });
});
