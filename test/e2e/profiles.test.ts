import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Home, isExecutable, makeHome } from '../support/cli.ts';

let home: Home;
beforeEach(() => {
  home = makeHome();
});

const at = (...path: readonly string[]): string => join(home.dir, ...path);
const config = (): string => at('.config', 'scrip', 'config.json');
const LIVE = ['--checkout-url', 'https://host.example', '--rpc-url', 'https://rpc.example'];

describe('profiles', () => {
  it('are kept in a file for their owner alone, with nothing else beside it', async () => {
    await home.json(['profile', 'add', 'live', ...LIVE]);
    await home.json(['config', 'set', 'country', 'de', '--profile', 'live']);
    await home.json(['profile', 'use', 'live']);
    expect(statSync(config()).mode & 0o777).toBe(0o600);
    expect(statSync(at('.config', 'scrip')).mode & 0o777).toBe(0o700);
    expect(readdirSync(at('.config', 'scrip'))).toEqual(['config.json']);
    expect(await home.json(['config', 'get', 'country'])).toMatchObject({ value: 'de' });
    expect((await home.run(['config', 'get', 'checkout_url'])).stdout).toBe(
      'https://host.example\n',
    );
  });

  it('are refused where others can change the file, its folder or a link to it', async () => {
    await home.json(['config', 'set', 'country', 'de']);
    for (const [path, mode] of [
      [config(), 0o620],
      [at('.config', 'scrip'), 0o777],
    ] as const) {
      chmodSync(path, mode);
      for (const words of [['doctor'], ['config', 'list'], ['config', 'set', 'country', 'at']]) {
        const { status, code, hint } = await home.failure(words);
        expect({ words, status, code, hint }).toEqual({
          ...{ words, status: 2, code: 'INPUT_INVALID' },
          hint: `Check what it says, then run: chmod go-w ${path}`,
        });
      }
      chmodSync(path, 0o700);
    }
    expect(await home.json(['config', 'get', 'country'])).toMatchObject({ value: 'de' });
  });

  it('are in the folder of XDG, and behind a link that the user made', async () => {
    mkdirSync(at('dotfiles'));
    mkdirSync(at('cfg', 'scrip'), { recursive: true });
    writeFileSync(at('dotfiles', 'scrip.json'), '{}');
    symlinkSync(at('dotfiles', 'scrip.json'), at('cfg', 'scrip', 'config.json'));
    const env = { XDG_CONFIG_HOME: at('cfg') };
    await home.json(['config', 'set', 'country', 'de'], { env });
    expect(JSON.parse(readFileSync(at('dotfiles', 'scrip.json'), 'utf8'))).toEqual({
      profiles: { sandbox: { country: 'de' } },
    });
    expect((await home.run(['config', 'path'], { env })).stdout).toBe(
      `${at('cfg', 'scrip', 'config.json')}\n`,
    );
  });
});

describe('play money and real money', () => {
  it('are kept apart', async () => {
    await home.json(['wallet', 'new']);
    await home.json(['wallet', 'new', '--keypair', at('live.json')]);
    await home.json(['profile', 'add', 'live', ...LIVE, '--keypair', at('live.json')]);
    await home.json(['profile', 'add', 'play']);
    const sandbox = at('.local', 'share', 'scrip', 'wallets', 'sandbox.json');
    symlinkSync(sandbox, at('other-name.json'));
    const here = ['--checkout-url', 'http://127.0.0.1:9', '--rpc-url', 'http://127.0.0.1:9/rpc'];
    const mismatched: readonly (readonly string[])[] = [
      ['wallet', 'address', ...LIVE],
      ['wallet', 'address', ...LIVE, '--keypair', sandbox],
      ['wallet', 'address', '--profile', 'live', '--keypair', sandbox],
      ['wallet', 'address', '--profile', 'play', ...LIVE],
      ['wallet', 'address', '--rpc-url', 'https://rpc.example'],
      ['wallet', 'address', '--api-url', 'https://api.example'],
      ['profile', 'add', 'mixed', ...LIVE, '--keypair', at('other-name.json')],
      ['config', 'set', 'keypair', sandbox, '--profile', 'live'],
      ['wallet', 'fund', '--profile', 'live', ...here],
    ];
    for (const words of mismatched) {
      const { stdout, code } = await home.failure(words);
      expect([words, stdout, code]).toEqual([words, '', 'WALLET_PROFILE_MISMATCH']);
    }
    const own = ['--keypair', at('live.json')];
    // Named on purpose: the chain of this machine is asked, and nobody is there.
    const away = await home.failure(['wallet', 'fund', '--profile', 'live', ...here, ...own]);
    expect(away.code).toBe('CHAIN_UNREACHABLE');
    await home.json(['wallet', 'address', '--profile', 'live']);
    await home.json(['wallet', 'address']);
    await home.json(['wallet', 'fund', ...own, '--usdc', '1', '--sol', '0']);
    // Where there is no key yet it is refused as well, and for what it is.
    await home.json(['profile', 'add', 'bare', ...LIVE]);
    for (const profile of ['live', 'bare']) {
      expect(await home.failure(['wallet', 'fund', '--profile', profile])).toMatchObject({
        ...{ status: 2, code: 'INPUT_INVALID' },
        message: expect.stringContaining('is not a sandbox: its money is real'),
        hint: expect.stringContaining('Test money exists only in the sandbox'),
      });
    }
  });
});

describe('the folder that one stands in', () => {
  it('changes nothing, whatever lies there', async () => {
    const before = await home.json(['config', 'list']);
    const evil = {
      profile: 'evil',
      profiles: { evil: { checkout_url: 'https://evil.example', country: 'zz' } },
      scrip: { checkout_url: 'https://evil.example' },
    };
    const text = JSON.stringify(evil);
    for (const name of [
      ...['config.json', '.scriprc', '.scriprc.json', 'scrip.json', 'scrip.config.json'],
      ...['package.json', '.npmrc'],
    ]) {
      writeFileSync(at(name), name === '.npmrc' ? 'scrip=evil\n' : text);
    }
    writeFileSync(
      at('.env'),
      'SCRIP_CHECKOUT_URL=https://evil.example\nSCRIP_PROFILE=evil\nSCRIP_COUNTRY=zz\n',
    );
    // Of the engine that the executable holds: a program that it would run first.
    writeFileSync(at('bunfig.toml'), 'preload = ["./first.js"]\n');
    writeFileSync(at('first.js'), `require('node:fs').writeFileSync('pwned', '')`);
    mkdirSync(at('scrip'));
    writeFileSync(at('scrip', 'config.json'), text);
    mkdirSync(at('node_modules', '.bin'), { recursive: true });
    for (const name of ['scrip', 'node', 'less', 'xdg-open']) {
      writeFileSync(at('node_modules', '.bin', name), `#!/bin/sh\ntouch ${at('pwned')}\n`, {
        mode: 0o755,
      });
    }
    mkdirSync(at('node_modules', 'commander'), { recursive: true });
    writeFileSync(
      at('node_modules', 'commander', 'index.js'),
      `require('node:fs').writeFileSync(${JSON.stringify(at('pwned'))}, '')`,
    );
    expect(await home.json(['config', 'list'])).toEqual(before);
    expect(await home.json(['config', 'list'], { env: { XDG_CONFIG_HOME: '.' } })).toEqual(before);
    expect(readdirSync(home.dir)).not.toContain('pwned');
  });

  it.each(['', '.', 'here'])('is where a HOME of "%s" would have the settings', async (said) => {
    const { status, stdout } = await home.run(['config', 'path'], { env: { HOME: said } });
    expect(stdout).not.toContain(home.dir);
    // The executable's engine knows no home but HOME: there it is refused.
    if (isExecutable && said !== '') expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    else expect(stdout).toMatch(/^\//);
  });
});
