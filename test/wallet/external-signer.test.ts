import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifySignature } from '../../src/rails/solana/ed25519.ts';
import { externalSigner, type SignerDeps } from '../../src/wallet/external-signer.ts';
import { failureOf } from '../support/failure.ts';
import { manualClock } from '../support/manual-clock.ts';
import { makeSignerCommand, type SignerCommand } from '../support/signer-command.ts';

let program: SignerCommand;
beforeAll(async () => {
  program = await makeSignerCommand();
});
afterAll(() => program.remove());

const MESSAGE = Buffer.from('a message of a transaction');

function signer(manner: string, deps: Partial<SignerDeps> = {}) {
  return externalSigner({
    command: program.command(manner),
    env: { PATH: process.env.PATH },
    clock: manualClock(),
    signal: new AbortController().signal,
    isHeard: false,
    ...deps,
  });
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('a signer command', () => {
  it.each(['well', 'base64'])('signs for the address that it names: %s', async (manner) => {
    const { address, sign } = await signer(manner);
    expect(address).toBe(program.address);
    expect(verifySignature(address, MESSAGE, await sign(MESSAGE))).toBe(true);
  });

  it('is given the message and the address, one line, and one more word', async () => {
    const { sign } = await signer('well');
    await sign(MESSAGE);
    const lines = program.given().trim().split('\n').slice(-2);
    const [run, request] = lines.map((line) => JSON.parse(line));
    expect(run.argv).toEqual(['sign']);
    expect(request).toEqual({
      version: 1,
      address: program.address,
      message: MESSAGE.toString('base64'),
    });
  });

  it('is given the environment that it is to have', async () => {
    const { sign } = await signer('well', { env: { PATH: process.env.PATH, MARK: 'given' } });
    await sign(MESSAGE);
    const [run = ''] = program.given().trim().split('\n').slice(-2);
    expect(JSON.parse(run).env).toMatchObject({ MARK: 'given' });
    expect(JSON.parse(run).env.HOME).toBeUndefined();
  });

  it('is not asked for an address that is known', async () => {
    const runs = program.given().split('\n').length;
    expect((await signer('well', { address: program.address })).address).toBe(program.address);
    expect(program.given().split('\n')).toHaveLength(runs);
  });

  it.each([
    ['another-key', 'SIGNER_FAILED', 'its signature is not that of'],
    ['another-message', 'SIGNER_FAILED', 'its signature is not that of'],
    ['no-signature', 'SIGNER_FAILED', 'its reply is not a signature of 64 or 65 bytes'],
    ['silent', 'SIGNER_FAILED', 'its reply is not a signature of 64 or 65 bytes'],
    ['longest', 'SIGNER_FAILED', 'its reply is not a signature of 64 or 65 bytes'],
    ['too-long', 'SIGNER_FAILED', 'it answered with more than 4096 characters'],
    ['fails', 'SIGNER_FAILED', 'it ended with status 3'],
    ['killed', 'SIGNER_FAILED', 'it was ended by SIGKILL'],
    ['declines', 'DECLINED', 'The signer command declined'],
  ])('that is %s is refused: %s, %s', async (manner, code, why) => {
    const { sign } = await signer(manner, { address: program.address });
    const error = await failureOf(sign(MESSAGE));
    expect({ code: error.code, risk: error.fundsAtRisk }).toEqual({ code, risk: 'none' });
    expect(error.message).toContain(why);
    // What a program wrote is nothing to repeat.
    expect(error.message).not.toContain('xxx');
    expect(error.message).not.toContain('hello');
  });

  it('that signs for another address than is known is refused', async () => {
    const { sign } = await signer('well', {
      address: '7JZic8gYkssMLbrqaiFgxWSU7QAicTvyBMmofQihg68x',
    });
    expect((await failureOf(sign(MESSAGE))).code).toBe('SIGNER_FAILED');
  });

  it.each([
    ['has no address', 'no-address', {}],
    ['is not there', 'well', { command: ['/nowhere/signer'] }, '(ENOENT)'],
    ['is no program', 'well', { command: ['/etc/passwd'] }],
    ['is a bare name', 'well', { command: ['node'] }],
    ['is a relative path', 'well', { command: ['./signer'] }],
    ['is nothing', 'well', { command: [] }],
  ])('that %s is refused', async (_what, manner, deps, why = '') => {
    const error = await failureOf(signer(manner, deps));
    expect(error).toMatchObject({ code: 'SIGNER_FAILED', message: expect.stringContaining(why) });
  });

  it.each([true, false])('may write to the user or not: %s', async (isHeard) => {
    const { sign } = await signer('well', { address: program.address, isHeard });
    await sign(MESSAGE);
    const [run = ''] = program.given().trim().split('\n').slice(-2);
    expect(JSON.parse(run).isHeard).toBe(isHeard);
  });

  it('that does not answer is given up after a minute, and ended', async () => {
    const clock = manualClock();
    const runs = program.given().split('\n').length;
    const { sign } = await signer('never', { clock, address: program.address });
    const signing = failureOf(sign(MESSAGE));
    await expect.poll(() => program.given().split('\n').length).toBe(runs + 1);
    const { pid } = JSON.parse(program.given().trim().split('\n').at(-1) ?? '');
    clock.advance(59_999);
    expect(clock.sleepers()).toBe(1);
    clock.advance(1);
    const error = await signing;
    expect({ code: error.code, message: error.message }).toEqual({
      code: 'SIGNER_FAILED',
      message: expect.stringContaining('60 s'),
    });
    await expect.poll(() => isAlive(pid)).toBe(false);
  });

  it('is left alone when the user stops', async () => {
    const stop = new AbortController();
    const { sign } = await signer('never', { signal: stop.signal });
    const signing = failureOf(sign(MESSAGE));
    stop.abort();
    const error = await signing;
    expect({ code: error.code, risk: error.fundsAtRisk }).toEqual({
      code: 'INTERRUPTED',
      risk: 'none',
    });
  });
});
