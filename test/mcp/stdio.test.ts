/** `scrip mcp` as a raw process: lines of JSON-RPC and nothing else, and an end when its input ends. */
import { describe, expect, it } from 'vitest';
import { makeHome } from '../support/cli.ts';
import { INITIALIZE, message } from '../support/tool-world.ts';

const home = makeHome();

const GREETING = [INITIALIZE, message('notifications/initialized', undefined, null)];
const say = (lines: readonly string[], args: readonly string[] = []) =>
  home.run(['mcp', ...args], { input: `${lines.join('\n')}\n` });
const linesOf = (
  stdout: string,
): { jsonrpc: string; id?: number | null; error?: { code: number } }[] =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('the process', () => {
  it('answers everything that it was asked before its input ended, and ends', async () => {
    const { status, stdout, stderr } = await say([
      ...GREETING,
      message('tools/list', {}, 2),
      message('tools/call', { name: 'getCurrencies', arguments: {} }, 3),
      message('tools/call', { name: 'listBrands', arguments: { country_code: 'nope' } }, 4),
      message('prompts/list', {}, 5),
    ]);
    const answers = linesOf(stdout);
    expect(answers.map(({ jsonrpc }) => jsonrpc)).toEqual(answers.map(() => '2.0'));
    expect(answers.map(({ id }) => id).toSorted()).toEqual([1, 2, 3, 4, 5]);
    expect([status, stderr]).toEqual([0, '']);
  });

  it('ends at once when its input is empty', async () => {
    const { status, stdout } = await home.run(['mcp']);
    expect([status, stdout]).toEqual([0, '']);
  });

  it.each([['--json'], ['--verbose'], ['--allow-pay']])('keeps %s off its output', async (flag) => {
    const { status, stdout } = await say([...GREETING, message('ping', {}, 2)], [flag]);
    expect(linesOf(stdout).map(({ id }) => id)).toEqual([1, 2]);
    expect(status).toBe(0);
  });

  it('goes on after a line that is no message', async () => {
    const batch = `[${message('ping', {}, 3)}]`;
    const lines = ['no JSON', '{"a":1}', batch, ...GREETING, message('ping', {}, 2)];
    const { stdout } = await say(lines);
    const answers = linesOf(stdout);
    const refused = answers.filter(({ id }) => id === null).map(({ error }) => error?.code);
    expect(refused).toEqual([-32700, -32600, -32600]);
    expect(answers.flatMap(({ id }) => id ?? [])).toEqual([1, 2]);
  });

  it('answers a last line without its end, cut or whole', async () => {
    const whole = message('ping', {}, 2);
    for (const [last, answer] of [
      [whole, { id: 2, result: {} }],
      [whole.slice(0, -5), { id: null, error: expect.objectContaining({ code: -32700 }) }],
    ] as const) {
      const { status, stdout } = await home.run(['mcp'], {
        input: [...GREETING, last].join('\n'),
      });
      expect(status).toBe(0);
      expect(linesOf(stdout)).toContainEqual(expect.objectContaining(answer));
    }
  });

  it('does not wait for a request that was canceled', async () => {
    const canceled = message('notifications/cancelled', { requestId: 2 }, null);
    const { status } = await say([...GREETING, message('ping', {}, 2), canceled]);
    expect(status).toBe(0);
  });

  it('refuses a port without --http', async () => {
    const { status, stderr } = await home.run(['mcp', '--port', '1']);
    expect([status, stderr]).toEqual([2, expect.stringContaining('--http')]);
  });
});
