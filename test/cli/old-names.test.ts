/** Commands that stand under another today: the old name prints and refuses the same, and is listed nowhere. */
import { beforeAll, describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/commands.ts';
import { type CliResult, type Home, makeHome } from '../support/cli.ts';

let home: Home;
beforeAll(() => {
  home = makeHome();
});

const PAIRS: readonly (readonly [old: string, now: string])[] = [
  ['currencies', 'vias coins'],
  ['spend', 'policy spend'],
  ['errors', 'help errors'],
  ['errors wallet_missing USAGE', 'help errors wallet_missing USAGE'],
  ['schema', 'help schema'],
  ['schema wallet balance', 'help schema wallet balance'],
  ['context', 'help context'],
  ['context --format json', 'help context --format json'],
];

/** Without the time of day that the last 24 hours are counted from. */
function steady({ stdout, ...rest }: CliResult) {
  return { ...rest, stdout: stdout.replace(/T\d\d:\d\d:\d\d\.\d{3}Z/g, '') };
}

describe('an old name', () => {
  it.each(PAIRS)('%s prints what %s prints, in every form', async (old, now) => {
    for (const form of [[], ['--json']]) {
      const before = await home.run([...old.split(' '), ...form]);
      expect(before.status).toBe(0);
      expect(before.stdout).not.toBe('');
      const after = await home.run([...now.split(' '), ...form]);
      expect(steady(after)).toEqual(steady(before));
    }
  });

  it.each([
    ['errors NO_SUCH', 'help errors NO_SUCH'],
    ['schema no such', 'help schema no such'],
    ['context --format html', 'help context --format html'],
    ['spend --no-such', 'policy spend --no-such'],
  ])('%s is refused as %s is', async (old, now) => {
    const before = await home.run([...old.split(' '), '--json']);
    expect(before.status).toBe(2);
    expect(await home.run([...now.split(' '), '--json'])).toEqual(before);
  });

  it('debug bundle collects what doctor --bundle does', async () => {
    const fields = (text: string) => Object.keys(JSON.parse(text));
    const old = await home.run(['debug', 'bundle', '--json']);
    const now = await home.run(['doctor', '--bundle', '--json']);
    expect([old.status, now.status]).toEqual([0, 0]);
    expect(fields(now.stdout)).toEqual(fields(old.stdout));
    const file = `${home.dir}/bundle.json`;
    expect((await home.run(['doctor', '--bundle', '--output', file])).status).toBe(0);
    // A file that is there is not written over, by either name.
    for (const words of [
      ['debug', 'bundle'],
      ['doctor', '--bundle'],
    ]) {
      expect((await home.run([...words, '--output', file])).status).not.toBe(0);
    }
  });

  it.each([
    [['doctor', '--output', 'x.json'], '--output works only with --bundle'],
    [['doctor', '--bundle', '--repair'], 'Use either --bundle or --repair, not both'],
  ])('has flags that go together alone: %j', async (words, message) => {
    const { status, stdout, stderr } = await home.run([...words, '--json']);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(JSON.parse(stderr).error.message).toBe(message);
  });

  it('keeps its schema, and its help names the one of today', async () => {
    for (const { verb, now } of COMMANDS.filter((entry) => entry.now !== undefined)) {
      const path = verb === 'debug' ? ['debug', 'bundle'] : [verb];
      const schema = await home.json<{ command: string }>(['schema', ...path]);
      expect(schema.command).toBe(path.join(' '));
      const help = await home.run([...path, '--help']);
      expect(help.status).toBe(0);
      expect(help.stdout).toContain(`$ scrip ${now?.join(' ')}`);
    }
  });

  it('is in no list of commands', async () => {
    const old = COMMANDS.filter(({ now }) => now !== undefined).map(({ verb }) => verb);
    const { stdout: all } = await home.run(['--help']);
    const guide = await home.json<{ commands: { path: string }[] }>(['help', 'context']);
    for (const verb of old) {
      expect(all).not.toMatch(new RegExp(`^  ${verb} `, 'm'));
      expect(guide.commands.map(({ path }) => path)).not.toContain(verb);
    }
  });
});
