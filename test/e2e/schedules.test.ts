/** The examples of docs/automate/schedules.md as they are run there: by cron and by systemd. */
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type CliResult, collect, inShell, makeHome, SCRIP } from '../support/cli.ts';
import { judge } from '../support/embedded-service.ts';
import { encryptedWallet } from '../support/encrypted-wallet.ts';
import { fund, type OrderDocument } from '../support/shop.ts';

const PAGE = fileURLToPath(new URL('../../docs/automate/schedules.md', import.meta.url));
const PASSPHRASE = 'sesame swordfish xyzzy';
const blocks = (language: string): readonly string[] =>
  [...readFileSync(PAGE, 'utf8').matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].flatMap(
    ([, name, text = '']) => (name === language ? [text] : []),
  );

const home = makeHome();
const payer = await encryptedWallet(home, PASSPHRASE);
await fund(home, payer);
const bin = join(home.dir, 'bin');
for (const folder of [bin, join(home.dir, 'keys')]) mkdirSync(folder);
writeFileSync(join(bin, 'scrip'), `#!/bin/sh\nexec ${inShell(SCRIP)} "$@"\n`);
chmodSync(join(bin, 'scrip'), 0o755);
writeFileSync(join(home.dir, 'keys', 'passphrase'), `${PASSPHRASE}\n`, { mode: 0o600 });

/** The page's own places, as they are here. */
const here = (text: string): string =>
  text.replaceAll('/usr/local/bin', bin).replaceAll('/home/me', home.dir);

const shell = (
  words: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<CliResult> => collect(spawn('/bin/sh', words, { cwd: home.dir, env }));

function settingsIn(lines: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    lines.flatMap((line) => {
      const [, name, value] = /^(\w+)=(.*)$/.exec(line) ?? [];
      return name === undefined || value === undefined ? [] : [[name, value]];
    }),
  );
}

const payments = () => judge(home, (ledger) => ledger.payments(payer));

/** All examples buy by the key of this month: the first pays, the others are told what it bought. */
let first: OrderDocument | undefined;
async function expectOneGift(stdout: string): Promise<void> {
  const order = JSON.parse(stdout) as OrderDocument;
  expect(order).toMatchObject({ status: 'completed', payer });
  first ??= order;
  expect(order.order_id).toBe(first.order_id);
  expect(await payments()).toEqual([first.transaction]);
}

describe('the line of the crontab', () => {
  const [crontab = ''] = blocks('crontab');
  const lines = crontab.trim().split('\n');
  const [, when = '', command = ''] = /^((?:\S+ ){5})(.*)$/.exec(lines.at(-1) ?? '') ?? [];

  it('is run on the first of the month, more than once', () => {
    expect(when.trim()).toBe('0 9-12 1 * *');
  });

  it('buys in the bare environment of cron, and pays nothing when it is run again', async () => {
    // Cron takes a percent sign for the end of the line, unless it is escaped.
    expect(command.replaceAll('\\%', '')).not.toContain('%');
    const given = {
      HOME: home.dir,
      LOGNAME: 'me',
      SHELL: '/bin/sh',
      ...settingsIn(lines.map(here)),
    };
    for (let run = 0; run < 2; run += 1) {
      const { status, stdout, stderr } = await shell(['-c', command.replaceAll('\\%', '%')], given);
      expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' });
      await expectOneGift(readFileSync(join(home.dir, 'gift.json'), 'utf8'));
    }
  });
});

describe('the units of systemd', () => {
  const [service = '', timer = ''] = blocks('ini');
  const settingOf = (unit: string, name: string): string =>
    new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1] ?? '';

  it('have the sections and settings of their kind', () => {
    const sections = (unit: string) => unit.match(/^\[\w+\]$/gm);
    expect(sections(service)).toEqual(['[Unit]', '[Service]']);
    expect(sections(timer)).toEqual(['[Unit]', '[Timer]', '[Install]']);
    expect(settingOf(service, 'Type')).toBe('oneshot');
    expect(settingOf(timer, 'OnCalendar')).toBe('*-*-01 09:00');
  });

  const canVerify = spawnSync('systemd-analyze', ['--version']).status === 0;
  it.skipIf(!canVerify)('are taken by systemd', () => {
    const folder = join(home.dir, 'units');
    mkdirSync(folder);
    writeFileSync(join(folder, 'gift.service'), service);
    writeFileSync(join(folder, 'gift.timer'), timer);
    const files = ['gift.service', 'gift.timer'].map((name) => join(folder, name));
    const words = ['--user', '--man=no', 'verify', ...files];
    const env = { PATH: process.env.PATH ?? '', HOME: home.dir, XDG_RUNTIME_DIR: folder };
    const { status, stderr } = spawnSync('systemd-analyze', words, { env, encoding: 'utf8' });
    expect([status, stderr.split('\n').filter((line) => line.includes('gift.'))]).toEqual([0, []]);
    const calendar = spawnSync('systemd-analyze', ['calendar', settingOf(timer, 'OnCalendar')]);
    expect(calendar.status).toBe(0);
  });

  it('buy by the command that systemd starts', async () => {
    expect(settingOf(service, 'LoadCredential')).toBe('passphrase:%h/keys/passphrase');
    const environment = [...service.matchAll(/^Environment=(.*)$/gm)].map(([, text = '']) =>
      here(text).replaceAll('%h', home.dir),
    );
    const [, command = ''] = /^\/bin\/sh -c '(.*)'$/.exec(settingOf(service, 'ExecStart')) ?? [];
    // A specifier and a variable of systemd begin like this, unless they are doubled.
    expect(command.replaceAll('%%', '').replaceAll('$$', '')).not.toMatch(/[%$]/);
    const typed = command.replaceAll('%%', '%').replaceAll('$$', () => '$');
    const run = await shell(['-c', typed], {
      ...{ HOME: home.dir, CREDENTIALS_DIRECTORY: join(home.dir, 'keys') },
      ...settingsIn(environment),
    });
    expect([run.status, run.stderr]).toEqual([0, '']);
    await expectOneGift(run.stdout);
  });

  it('are started again on 4, 8 and 9 alone', () => {
    const listed = settingOf(service, 'RestartPreventExitStatus').split(' ').map(Number);
    const codes = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13];
    expect(codes.filter((code) => !listed.includes(code))).toEqual([4, 8, 9]);
  });
});
