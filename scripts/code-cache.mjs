// Runs usual commands in a home of their own and keeps what the engine compiled for them, so that
// they start without compiling. The cache is of this machine's Node; another one compiles as ever.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const RECORDER = fileURLToPath(new URL('./record.cjs', import.meta.url));

/** One after the other: each adds what it uses to what is there. */
const USUAL = [
  'wallet new',
  'wallet fund --usdc 50',
  'brands --country us --json',
  'brands --country us --search amazon --csv',
  'catalog --country us --brand Amazon.com --ndjson',
  'orders list --json',
];

/** The embedded catalog gives these goods the same id on every machine. */
const GOODS =
  'order 75735efd-8e6a-8e93-acbf-9dcb174eb7e9 --country us --brand Amazon.com --to you@example.com --email you@example.com';
const AGREED = '--yes --max-amount 20 --allow-duplicate --json';

/** Purchases load chunks of their own; the one that builds transactions is as large as the program. */
const PURCHASES = [
  `${GOODS} ${AGREED}`,
  `${GOODS} ${AGREED} --via partner --coin USDC --network Solana --pay`,
];
/** The pack that every command reads is kept short: it has no code that a purchase alone needs. */
const KEPT_SHORT = 'usual.js';

/** A build is not held up by it, whatever happens. */
const PATIENCE_MS = 20_000;

export function writeCodeCache() {
  const home = mkdtempSync(join(tmpdir(), 'scrip-cache-'));
  try {
    const runs = [
      ...USUAL.map((line) => ({ line, kept: '' })),
      ...PURCHASES.map((line) => ({ line, kept: KEPT_SHORT })),
    ];
    for (const { line, kept } of runs) {
      const { status, stderr } = spawnSync(process.execPath, [RECORDER, ...line.split(' ')], {
        env: { PATH: process.env.PATH, HOME: home, RECORD_KEPT: kept },
        encoding: 'utf8',
        timeout: PATIENCE_MS,
        killSignal: 'SIGKILL',
      });
      // Faster starts are a courtesy: the program is whole without them.
      if (status !== 0) console.warn(`no code cache of scrip ${line}: ${stderr?.trim()}`);
    }
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
