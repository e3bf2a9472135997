/** The jobs of docs/automate/ci.md, run as the runners of GitHub and GitLab do. */
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { validateAction, validateWorkflow } from '@action-validator/core';
import { describe, expect, it } from 'vitest';
import { createKeyFile } from '../../src/wallet/key-file.ts';
import { sealSeed } from '../../src/wallet/keystore.ts';
import { secretOf } from '../../src/wallet/secret.ts';
import { encryptedKey } from '../../src/wallet/secret-text.ts';
import { type GitHubJob, type JobEnd, runGitHubJob, runGitLabJob } from '../support/ci-runner.ts';
import { inShell, makeHome, QUICK, SCRIP } from '../support/cli.ts';
import { ledgerAt } from '../support/ledger.ts';
import { random } from '../support/random.ts';
import { serveHere } from '../support/served-here.ts';
import { fundAt } from '../support/shop.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const ACTION = join(ROOT, 'packaging', 'action');
const [WORKFLOW = '', PIPELINE = ''] = [
  ...readFileSync(join(ROOT, 'docs/automate/ci.md'), 'utf8').matchAll(
    /^```yaml\n([\s\S]*?)^```$/gm,
  ),
].map(([, text]) => text);

const PASSPHRASE = 'sesame swordfish xyzzy';
const CART = 'brand,value,to\nAmazon,25,friend@example.com\nSteam,20,sister@example.com\n';

const shop = makeHome();
const { url } = await serveHere(shop);
/** Their money counts as real: no machine has a mark of them. A day's limit is for one of them. */
const [wallet, other] = [await newWallet('100'), await newWallet('100')];
const policy = JSON.stringify({
  hosts: { [new URL(url).host]: { payTo: 'any' } },
  nonInteractive: { enabled: true, perOrder: '50' },
});

const bin = join(shop.dir, 'bin');
program(bin, 'scrip', `exec ${inShell(SCRIP)} "$@"`);
program(bin, 'npm', 'echo "npm $*"');

async function newWallet(
  usdc: string,
): Promise<{ readonly text: string; readonly address: string }> {
  const pair = { seed: secretOf(randomBytes(32)), passphrase: secretOf(Buffer.from(PASSPHRASE)) };
  const key = encryptedKey(await sealSeed(pair, random, { N: 2 ** 14, p: 1 }));
  const path = join(shop.dir, `${key.address}.json`);
  createKeyFile(path, key);
  await fundAt(url, key.address, usdc);
  return { text: readFileSync(path, 'utf8'), address: key.address };
}

function program(folder: string, name: string, script: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, name), 0o755);
}

const payments = ({ address } = wallet) => ledgerAt(`${url}/rpc`).payments(address);
const here = (text: string): string =>
  text.replaceAll('https://host.example', url).replaceAll('https://rpc.example', `${url}/rpc`);

/** A repository of GitHub, whose runs have a fresh machine each. */
function repository() {
  const folder = mkdtempSync(join(shop.dir, 'github-'));
  const files = join(folder, 'repository');
  mkdirSync(join(files, '.github'), { recursive: true });
  writeFileSync(join(files, 'gifts.csv'), CART);
  writeFileSync(join(files, '.github', 'scrip-policy.json'), policy);
  const run = (attempt: number, more: Partial<GitHubJob> = {}): Promise<JobEnd> =>
    runGitHubJob({
      workflow: here(WORKFLOW).replace(/run: jq .*/, 'run: cat "$RESULT"'),
      folder,
      env: {
        PATH: `${bin}:${process.env.PATH}`,
        HOME: mkdtempSync(join(folder, 'home-')),
        ...QUICK,
      },
      secrets: { SCRIP_WALLET: wallet.text, SCRIP_PASSPHRASE: PASSPHRASE },
      github: {
        ...{ run_id: '1658821493', run_attempt: `${attempt}`, repository_id: '74' },
        event: { repository: { private: true } },
      },
      actions: { 'scrip-cli/scrip/packaging/action': ACTION },
      ...more,
    });
  return { folder, run };
}

interface Line {
  readonly code: string;
  readonly transaction: string;
  readonly already_bought: boolean;
}
const linesOf = ({ outputs }: JobEnd): readonly Line[] =>
  JSON.parse(readFileSync(`${outputs.gifts?.result}`, 'utf8'));

describe('the action of GitHub', () => {
  it('and the workflow that uses it follow the published schemas', () => {
    const text = readFileSync(join(ACTION, 'action.yml'), 'utf8');
    expect(validateAction(text).errors).toEqual([]);
    expect(validateAction(text.replace('shell: bash', 'shel: bash')).errors).not.toEqual([]);
    expect(validateWorkflow(WORKFLOW).errors).toEqual([]);
  });

  it('pays each line once in a run, also when it is run again and its cache is lost', async () => {
    const { run, folder } = repository();
    const first = await run(1);
    expect(first).toMatchObject({
      isSuccess: true,
      outputs: { gifts: { lines: '2', bought: '2' } },
    });
    const bought = linesOf(first);
    const paid = await payments();
    expect(new Set(paid)).toEqual(new Set(bought.map(({ transaction }) => transaction)));

    // Secrets of every line are in the file that a later step printed, and not in the log.
    expect(bought.map(({ code }) => code)).toEqual([expect.any(String), expect.any(String)]);
    for (const text of [first.log, first.summary]) {
      for (const { code } of bought) expect(text).not.toContain(code);
    }
    expect(first.log).toContain('"code":"***"');
    expect(first.summary).toContain('| Amazon.com | 25 | completed | 25.25 |');
    expect(first.summary).toContain(`| Total | ${first.outputs.gifts?.total} |`);
    expect(first.summary).not.toContain('example');

    const again = await run(2);
    const codes = (lines: readonly Line[]) => lines.map(({ code }) => code);
    expect(linesOf(again).every((line) => line.already_bought)).toBe(true);
    expect(codes(linesOf(again))).toEqual(codes(bought));
    expect(again.summary).toContain('&#40;by an earlier run&#41;');
    expect(existsSync(join(folder, 'caches', 'scrip-journal-Linux-1658821493-2-gifts'))).toBe(true);

    rmSync(join(folder, 'caches'), { recursive: true });
    const cacheless = await run(3);
    expect([cacheless.isSuccess, codes(linesOf(cacheless))]).toEqual([true, codes(bought)]);
    expect(await payments()).toEqual(paid);
  });

  it('tells a failure without having paid, leaves no key and caches nothing of a public repository', async () => {
    const { run, folder } = repository();
    const end = await run(1, {
      workflow: here(WORKFLOW).replace("max-total: '60'", "max-total: '6'"),
      github: { run_id: '2', run_attempt: '1', repository_id: '74', event: {} },
    });
    expect([end.isSuccess, end.outputs.gifts?.bought]).toEqual([false, '0']);
    expect(end.log).toMatch(/^::error::\w+: /m);
    const left = `${end.outputs.gifts?.result}`.replace('result.json', 'wallet.json');
    expect([existsSync(left), existsSync(join(folder, 'caches', 'scrip-journal'))]).toEqual([
      false,
      false,
    ]);
  });

  it.each([
    ['9 0', 'processing', 2],
    ['8 8 8', 'processing', 3],
    ['12 0', 'unpaid', 2],
    ['12', 'invalid', 1],
    ['6', 'open', 1],
  ])('the ends %s of lines that are %s take %s runs by one key', async (ends, status, times) => {
    const { run, folder } = repository();
    const fake = join(folder, 'fake');
    const log = join(folder, 'runs');
    const line = `[{"line":2,"status":"${status}","amount":null}]`;
    const nth = `set -- "$*" ${ends}; shift "$(wc -l < '${log}')"; exit "$1"`;
    program(fake, 'scrip', `echo "$*" >> '${log}'; echo '${line}'; ${nth}`);
    const env = { PATH: `${fake}:${process.env.PATH}`, HOME: folder, PAUSE_MS: '0' };
    const end = await run(1, { env });
    expect(end.isSuccess).toBe(ends.endsWith('0'));
    const runs = readFileSync(log, 'utf8').trim().split('\n');
    expect([runs.length, new Set(runs).size]).toEqual([times, 1]);
  });

  it('installs the version that it belongs to where there is none', async () => {
    const { run, folder } = repository();
    program(join(folder, 'bare'), 'npm', 'echo "npm $*"');
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    const folders = [join(folder, 'bare'), join(process.execPath, '..'), '/usr/bin', '/bin'];
    const { log } = await run(1, { env: { PATH: folders.join(':'), HOME: folder } });
    expect(log).toContain(`npm install --global scrip-cli@${version}`);
  });
});

describe('the job of GitLab', () => {
  it('pays each line once in a pipeline, also when it is retried and its cache is lost', async () => {
    const folder = mkdtempSync(join(shop.dir, 'gitlab-'));
    mkdirSync(join(folder, 'project'));
    writeFileSync(join(folder, 'project', 'gifts.csv'), CART);
    const run = () =>
      runGitLabJob({
        pipeline: here(PIPELINE),
        folder,
        files: { SCRIP_WALLET: other.text, SCRIP_POLICY: policy },
        variables: {
          ...{ PATH: `${bin}:${process.env.PATH}`, SCRIP_PASSPHRASE: PASSPHRASE, ...QUICK },
          ...{ CI_PROJECT_ID: '7', CI_PIPELINE_ID: '4711', PAUSE: '0' },
        },
      });
    const ends = [await run(), await run()];
    rmSync(join(folder, 'cache'), { recursive: true });
    rmSync(join(folder, 'project', '.scrip-journal'), { recursive: true });
    ends.push(await run());
    const results = ends.map(
      ({ home }) => JSON.parse(readFileSync(join(home, 'result.json'), 'utf8')) as Line[],
    );
    const [first = []] = results;
    for (const { status, stdout } of ends) {
      expect(status).toBe(0);
      for (const { code } of first) expect(stdout).not.toContain(code);
    }
    const codes = results.map((lines) => lines.map(({ code }) => code));
    expect(codes).toEqual([codes[0], codes[0], codes[0]]);
    const transactions = new Set(first.map(({ transaction }) => transaction));
    expect(await payments(other)).toEqual([...transactions]);
  });
});
