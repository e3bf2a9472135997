/** A word that other tools use is answered with the command that does it here; nothing is opened or done. */
import { describe, expect, it } from 'vitest';
import { buildTree } from '../../../src/cli/command-tree.ts';
import { otherName } from '../../../src/cli/parsing/other-names.ts';
import { runProgram } from '../../../src/cli/program.ts';
import { smallHost } from '../../support/small-context.ts';

const FUND =
  'For a phone: scrip wizard --type mobile_topup. Money for the wallet: scrip wallet fund';
const ACCOUNT =
  'There are no accounts and nothing to log in to: your wallet pays. To see it: scrip wallet';
const HINTS: readonly (readonly [line: string, hint: string])[] = [
  ['buy amazon 25', 'Did you mean scrip order amazon 25?'],
  ['buy', 'Did you mean scrip order?'],
  ['purchase steam 20 --to a@example.com', 'Did you mean scrip order steam 20 --to a@example.com?'],
  ["send 'it is'", "Did you mean scrip order ''\\''it' 'is'\\'''?"],
  ['checkout', 'Did you mean scrip order?'],
  ['pay amazon 25', 'Did you mean scrip order amazon 25?'],
  ['balance', 'Did you mean scrip wallet balance?'],
  ['fund 100', 'Did you mean scrip wallet fund?'],
  ['deposit', 'Did you mean scrip wallet fund?'],
  ['history', 'Did you mean scrip orders?'],
  ['ls', 'Did you mean scrip orders?'],
  ['topup +12025550123', FUND],
  ['recharge', FUND],
  ['find steam', 'Did you mean scrip search steam?'],
  ['products', 'Did you mean scrip catalog?'],
  ['quote amazon 25', 'Did you mean scrip price amazon 25?'],
  ['status cr_1', 'Did you mean scrip track cr_1?'],
  ['redeem cr_1', 'Did you mean scrip open cr_1?'],
  ['invoice cr_1', 'Did you mean scrip orders show cr_1?'],
  ['retry', 'Did you mean scrip orders resume?'],
  ['refund cr_1', 'Did you mean scrip orders refund cr_1?'],
  ['repair', 'Did you mean scrip doctor --repair?'],
  ['demo', 'Did you mean scrip wizard?'],
  ['trigger', 'Did you mean scrip sandbox trigger?'],
  ['webhooks', 'Did you mean scrip listen?'],
  ['settings', 'Did you mean scrip config list?'],
  ['limits', 'Did you mean scrip policy show?'],
  ['version', 'Did you mean scrip --version?'],
  ['help buy', 'Did you mean scrip order?'],
  ['login', ACCOUNT],
  ['auth login', ACCOUNT],
  ['help signup', ACCOUNT],
];

async function refused(words: readonly string[]) {
  const host = smallHost({});
  const exit = await runProgram(words, host);
  return { exit, stdout: host.stdout.text(), stderr: host.stderr.text(), opened: host.opened };
}

describe('another word for a command', () => {
  it.each(HINTS)('%s: exit 2, nothing opened, and %s', async (line, hint) => {
    const { exit, stdout, stderr, opened } = await refused(line.split(' '));
    expect({ exit, stdout, opened }).toEqual({ exit: 2, stdout: '', opened: [] });
    expect(stderr).toContain(`\nhint: ${hint}\n`);
  });

  it('names the host that was named, once', async () => {
    const { stderr } = await refused('buy amazon --checkout-url https://shop.example'.split(' '));
    expect(stderr).toContain(
      'Did you mean scrip order --checkout-url https://shop.example amazon?',
    );
  });

  it('is -v alone for the version, which the letter means elsewhere', async () => {
    const { exit, stderr } = await refused(['-v']);
    expect({ exit, stderr }).toEqual({
      exit: 2,
      stderr: "error[USAGE]: Unknown option '-v'\nhint: Did you mean scrip --version?\n",
    });
  });

  it('is the name of no command, and proposes one that is there', async () => {
    const program = await buildTree('1.2.3', async () => undefined);
    const verbs = program.commands.map((command) => command.name());
    const words = HINTS.map(([line]) => line.split(' ')[0] ?? '').filter((word) => word !== 'help');
    for (const word of words.filter((one) => one !== 'pay')) {
      expect(verbs).not.toContain(word);
      const hint = String(otherName(word, [word]));
      const [, verb = '', child] = /scrip ([a-z]+)(?: ([a-z]+))?/.exec(hint) ?? [];
      const found = program.commands.find((command) => command.name() === verb);
      expect([hint, found !== undefined || hint.includes('scrip --')]).toEqual([hint, true]);
      if (child !== undefined) {
        expect(found?.commands.map((one) => one.name())).toContain(child);
      }
    }
  });
});
