import { describe, expect, it } from 'vitest';
import { runUserProgram } from '../../src/net/user-program.ts';

const NODE = process.execPath;
const call = {
  input: '',
  env: { PATH: process.env.PATH },
  isHeard: false,
  timeoutMs: 20_000,
  signal: new AbortController().signal,
};
const run = (script: string, more: Partial<typeof call> = {}, words: readonly string[] = []) =>
  runUserProgram({ ...call, ...more, command: [NODE, '-e', script, ...words] });

describe('a program of the user', () => {
  it('reads its input to the end', async () => {
    const script =
      'let n = 0; process.stdin.on("data", (d) => { n += d.length; }).on("end", () => process.exit(n === 1000000 ? 0 : 3))';
    expect(await run(script, { input: 'x'.repeat(1_000_000) })).toEqual({ status: 0 });
  });

  it('is given its words as they are: no shell is asked', async () => {
    const script = 'process.exit(process.argv[1] === "$HOME; exit 9" ? 0 : 3)';
    expect(await run(script, {}, ['$HOME; exit 9'])).toEqual({ status: 0 });
  });

  it('sees the variables that it is given, and no other', async () => {
    const script =
      'process.exit(process.env.SCRIP_ORDER_ID === "cr_1" && process.env.HOME === undefined ? 0 : 3)';
    expect(await run(script, { env: { ...call.env, ...{ SCRIP_ORDER_ID: 'cr_1' } } })).toEqual({
      status: 0,
    });
  });

  it('may leave its input unread, and ends with its own status', async () => {
    expect(await run('process.exit(4)', { input: 'x'.repeat(1_000_000) })).toEqual({ status: 4 });
  });

  it('that is not there is a failure with the code of the system', async () => {
    const missing = await runUserProgram({ ...call, command: ['no-such-program-here'] });
    expect(missing).toEqual({ failure: 'it cannot be run (ENOENT)' });
  });

  it('that does not end is ended when its time is over', async () => {
    const late = await run('setInterval(() => 0, 1000)', { timeoutMs: 300 });
    expect(late).toEqual({ failure: 'it did not end within 0.3 s' });
  });

  it('is ended with the one who runs it', async () => {
    const stopped = await run('setInterval(() => 0, 1000)', { signal: AbortSignal.abort() });
    expect(stopped).toEqual({ failure: 'it was ended by SIGKILL' });
  });
});
