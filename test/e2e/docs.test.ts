/**
 * The commands of README and docs that are more than one run of the program, typed into a shell as they
 * stand. What they leave open, such as `<order_id>`, is taken from what an earlier one has printed, as
 * a reader would take it. The other commands are run by examples.test.ts.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { afterAll, describe, expect, it } from 'vitest';
import { inShell, makeHome, SCRIP } from '../support/cli.ts';
import { docBlocks, scripLine } from '../support/doc-commands.ts';
import { serveSandbox } from '../support/served-sandbox.ts';
import { amazonProducts, fundedWallet } from '../support/shop.ts';

/** What is not run, and why. */
const NOT_RUN: Readonly<Record<string, string>> = {
  'npm ci && npm run demo': 'it installs and builds this very folder',
  'npm ci && npm test': 'it installs and builds this very folder, and runs this test',
  'cp -r "$(npm root -g)/scrip-cli/skills/scrip" ~/.claude/skills/':
    'it needs a global installation; test/pack.test.ts holds that the skill is in the package',
  'npm run test:faults': 'it takes a quarter of an hour; test/faults/slice.test.ts runs a part',
  'FAULT_SEED=20261 npm run test:faults': 'as the line before it',
  'FAULT_DRAWN=5000 FAULT_LANES=4 npm run test:faults': 'as the line before it',
  'FAULT_ONLY=reserved npm run test:faults': 'as the line before it',
  "FAULT_ONLY='on Base: ' npm run test:faults": 'as the line before it',
};

/** What each command prints, by how it begins. What is not here prints nothing. */
const PRINTED: Readonly<Record<string, RegExp>> = {
  'curl -s http://127.0.0.1:4020/mcp': /"tools":\[.*"createOrder"/,
  'curl -s $api/v5/orders/validations': /"coin_amount":"0\.0\d+".*"problems":\[\]/,
  'curl -s $api/v5/orders -H': /"wallet_address":"bc1.*"coin_amount":"0\.0\d+"/,
  'curl -s $api/v5/orders/<order_id>': /"order_state":"WaitingForPayment"/,
  'curl -s -X POST $api/sandbox/orders': /"payment_state":"PaymentStarted"/,
  'curl -si http://127.0.0.1:4020/v1/orders': /^HTTP\/1\.1 402 .*payment-required: .*"accepts":/is,
  "printf 'amazon": /"order_id":/,
  "ask '{}'": /"status":"continue".*"session_token":/,
  'ask \'{"session_token":"<session_token>","answer"': /country/,
  'ask \'{"session_token":"<session_token>","action"': /"options":\["giftcard"/,
  'ask \'{"session_token":"<session_token>"}\'': /"options":\["giftcard"/,
};
/** What ends otherwise, and how. */
const STATUS: Readonly<Record<string, number>> = { 'SCRIP_TEST=1': 137 };

const BLOCKS = docBlocks()
  .map(({ page, commands }) => ({
    page,
    commands: commands.filter(
      (command) => scripLine(command) === undefined && NOT_RUN[command] === undefined,
    ),
  }))
  .filter(({ commands }) => commands.length > 0);
const STARTED = 'scrip sandbox --port 4020 &';

const shells: ChildProcess[] = [];

const home = makeHome();
await fundedWallet(home);
const productId = amazonProducts().fixed.product_id;
const served = await serveSandbox(home, ['--data', `${home.dir}/served`]);
afterAll(async () => {
  for (const shell of shells) {
    const ended = new Promise((resolve) => shell.once('close', resolve));
    shell.stdin?.end();
    await ended;
  }
  await served.stop();
});

/** A shell that is typed into. What runs in its background ends with it. */
function openShell() {
  const shell = spawn('bash', ['--norc'], {
    cwd: home.dir,
    env: { PATH: process.env.PATH ?? '', HOME: home.dir },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  shells.push(shell);
  let said = '';
  let hear: () => void = () => undefined;
  shell.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
    hear();
  });
  let warned = '';
  shell.stderr.setEncoding('utf8').on('data', (text: string) => {
    warned += text;
    hear();
  });
  /** What is printed up to a pattern, and the pattern's groups. */
  async function readTo(pattern: RegExp): Promise<{ before: string; groups: string[] }> {
    for (;;) {
      const end = pattern.exec(said);
      if (end) {
        const before = said.slice(0, end.index);
        said = said.slice(end.index + end[0].length);
        return { before, groups: end.slice(1) };
      }
      // A server that does not start prints nothing to wait for.
      const error = /^error.*\n/m.exec(warned);
      if (error) throw new Error(error[0]);
      await new Promise<void>((resolve) => {
        hear = resolve;
      });
    }
  }
  const type = (line: string) => shell.stdin.write(`${line}\n`);
  type("trap 'kill $(jobs -p) 2> /dev/null' EXIT; shopt -s expand_aliases");
  type(`alias scrip="${inShell(SCRIP)}"`);
  return {
    async run(command: string): Promise<{ stdout: string; status: number }> {
      // What is typed next is none of its input.
      type(`{ ${command}\n} < /dev/null`);
      type("printf '\\n:%s:\\n' $?");
      const { before, groups } = await readTo(/\n:(\d+):\n/);
      return { stdout: before, status: Number(groups[0]) };
    },
    /** Types what goes on in the background, and gives the address that it serves. */
    async serve(command: string): Promise<string> {
      type(command);
      const { groups } = await readTo(/(http:\/\/127\.0\.0\.1:\d+)[\s\S]*--checkout-url.*\n/);
      return groups[0] ?? '';
    },
  };
}

function startOf<T>(table: Readonly<Record<string, T>>, command: string): T | undefined {
  return Object.entries(table).find(([start]) => command.startsWith(start))?.[1];
}

describe.skipIf(spawnSync('curl', ['--version']).error !== undefined)('the commands of', () => {
  it.each(BLOCKS)('$page: $commands', async ({ commands }) => {
    const shell = openShell();
    let { url } = served;
    let last = '';
    for (const command of commands) {
      if (command === STARTED) {
        url = await shell.serve(command.replace('4020', '0'));
        continue;
      }
      const filled = command
        .replaceAll('http://127.0.0.1:4020', url)
        .replaceAll('<product_id>', productId)
        .replace(/<(\w+)>/g, (_, name) => new RegExp(`"${name}":"([^"]+)"`).exec(last)?.[1] ?? '');
      const { stdout, status } = await shell.run(filled);
      expect({ command, status }).toEqual({ command, status: startOf(STATUS, command) ?? 0 });
      expect(stdout).toMatch(startOf(PRINTED, command) ?? /^$/);
      if (stdout.includes('"order_id"') || stdout.includes('"session_token"')) last = stdout;
    }
  });
});

it('what is named here is in the docs', () => {
  const all = docBlocks().flatMap(({ commands }) => commands);
  expect(Object.keys(NOT_RUN).filter((command) => !all.includes(command))).toEqual([]);
  const starts = [...Object.keys(PRINTED), ...Object.keys(STATUS), STARTED];
  expect(starts.filter((start) => !all.some((command) => command.startsWith(start)))).toEqual([]);
});
