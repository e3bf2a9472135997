/** docs/operate/rehearsal.md: its commands, typed into a shell as they stand, with each database. */
import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  type CliResult,
  collect,
  FINAL_SOON,
  type Home,
  inShell,
  makeHome,
  QUICK,
  SCRIP,
} from '../support/cli.ts';
import { freePorts } from '../support/free-ports.ts';
import { createDatabase } from '../support/postgres-server.ts';

const OPERATE = join(import.meta.dirname, '../../docs/operate');
const PAGE = readFileSync(join(OPERATE, 'rehearsal.md'), 'utf8');
const SCRIPT = [...PAGE.matchAll(/^```sh rehearsal\n([\s\S]*?)^```$/gm)].map(([, text]) => text);
const [, DATABASE_LINE = ''] = /^```json\n( +"database".*\n)```$/m.exec(PAGE) ?? [];
const PORTS = ['4021', '4030', '4040', '8899'];
const DATA_DIR = '  "data_dir": "data",\n';

const TOOLS = ['bash', 'curl', 'openssl'];
const hasTools = TOOLS.every((tool) => spawnSync(tool, ['--version']).error === undefined);

interface Purchase {
  readonly voucher?: { readonly voucher_code: string };
}

describe.skipIf(!hasTools)('a rehearsed shop', { concurrent: true }, () => {
  it('sells, gives back and is killed, with its records in SQLite', ({ signal }) =>
    expectRehearsed(signal));

  it('does the same with PostgreSQL', async ({ signal }) => {
    const database = await createDatabase();
    await expectRehearsed(signal, database.address);
    const [counted] = await database.run('select count(*) as orders from partner_orders');
    expect(counted).toEqual({ orders: '2' });
  });
});

async function expectRehearsed(signal: AbortSignal, database?: string): Promise<void> {
  const home = makeHome();
  const { status, stdout, stderr } = await rehearse(home, signal, database);
  const read = (name: string) => readFileSync(join(home.dir, name), 'utf8');
  expect(status, `${stdout}\n${stderr}`).toBe(0);
  expect(stdout).toContain('>Delivered</h1>');
  const ends = ['ended with 11', '102.00', '24.75', '124.25', 'release.refuse'];
  for (const end of ends) expect(stdout).toContain(end);
  // Each buyer got the code that the supplier sold for it, once.
  const purchases: readonly Purchase[] = read('purchases.jsonl')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const [ann, bob, eve, refused] = purchases.map(({ voucher }) => voucher?.voucher_code);
  expect([purchases.length, refused]).toEqual([4, undefined]);
  expect(stdout).toContain(ann);
  expect(read('bob.json')).toContain(bob);
  expect(read('eve.json')).toContain(eve);
}

async function rehearse(
  home: Home,
  signal: AbortSignal,
  database: string | undefined,
): Promise<CliResult> {
  copyFileSync(join(OPERATE, 'sample-supplier.mjs'), join(home.dir, 'sample-supplier.mjs'));
  const bin = join(home.dir, 'bin');
  mkdirSync(bin);
  // A process of its own, so that the script kills the program and not a shell around it.
  writeFileSync(join(bin, 'scrip'), `#!/bin/sh\nexec ${inShell(SCRIP)} "$@"\n`, { mode: 0o755 });
  const shell = spawn('bash', ['-c', await scriptFor(database)], {
    cwd: home.dir,
    signal,
    env: {
      PATH: `${bin}:${process.env.PATH}`,
      HOME: home.dir,
      ...QUICK,
      ...FINAL_SOON,
      ...(database === undefined ? {} : { SHOP_DATABASE: database }),
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  return collect(shell);
}

/** What the page says, on free ports. It ends at the first command that fails, and ends what it started. */
async function scriptFor(database: string | undefined): Promise<string> {
  expect(SCRIPT.join('')).toContain(DATA_DIR);
  expect(DATABASE_LINE).not.toBe('');
  const config = database === undefined ? DATA_DIR : DATA_DIR + DATABASE_LINE;
  const free = await freePorts(PORTS.length);
  const typed = PORTS.reduce(
    (text, port, at) => text.replaceAll(port, String(free[at])),
    SCRIPT.join('').replace(DATA_DIR, config),
  );
  return `set -e\ntrap 'kill -9 $(jobs -p) 2> ended.txt || true' EXIT\n${typed}`;
}
