/** The order in which a payment leaves the machine, as the kernel saw it. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeHome, SCRIP } from '../support/cli.ts';
import { serveSandbox } from '../support/served-sandbox.ts';
import { amazonProducts, fundedWallet, orderOf } from '../support/shop.ts';

const home = makeHome();

/** Tracing needs the program and the right to use it; many containers have neither. */
const canTrace = spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0;

describe('a payment leaves the machine', () => {
  it.skipIf(!canTrace)(
    'when its record is synced, linked, and the folder is synced (skipped where strace may not run)',
    { timeout: 180_000 },
    async () => {
      const sandbox = await serveSandbox(home);
      try {
        await fundedWallet(home, sandbox.flags);
        const { fixed } = amazonProducts();
        const log = join(home.dir, 'trace');
        const calls = 'trace=fsync,link,linkat,write,writev,sendto,sendmsg,openat,open';
        const traced = spawnSync(
          'strace',
          ['-f', '-y', '-s', '4096', '-e', calls, '-o', log, ...SCRIP].concat(
            orderOf(fixed.product_id, sandbox.flags),
          ),
          {
            env: { PATH: process.env.PATH ?? '', HOME: home.dir },
            cwd: home.dir,
            timeout: 180_000,
          },
        );
        expect(traced.status).toBe(0);
        const lines = readFileSync(log, 'utf8').split('\n');
        const linked = lines.findIndex((line) => /\blink(at)?\(.*attempt-1\.rec"/.test(line));
        const sent = lines.findIndex((line) => /payment-signature/i.test(line));
        expect([linked > 0, sent > linked]).toEqual([true, true]);
        const temporary = /"([^"]*\.[0-9a-f-]+\.tmp)"/.exec(lines[linked] ?? '')?.[1] ?? 'none';
        const synced = lines.findLastIndex(
          (line, at) => at < linked && line.includes('fsync(') && line.includes(temporary),
        );
        expect(synced).toBeGreaterThan(0);
        const folder = temporary.slice(0, temporary.lastIndexOf('/'));
        const folderSynced = lines.findIndex(
          (line, at) => at > linked && line.includes('fsync(') && line.includes(`<${folder}>`),
        );
        expect(folderSynced).toBeGreaterThan(linked);
        expect(folderSynced).toBeLessThan(sent);
      } finally {
        await sandbox.stop();
      }
    },
  );
});
