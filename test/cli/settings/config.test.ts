import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runProgram } from '../../../src/cli/program.ts';
import { configText, NO_CONFIG, parseConfig } from '../../../src/cli/settings/config.ts';
import { type GlobalFlags, resolveSettings } from '../../../src/cli/settings/settings.ts';
import { SETTINGS } from '../../../src/cli/settings/table.ts';
import { ScripError } from '../../../src/domain/message/errors.ts';
import { capture, smallContext, smallHost } from '../../support/small-context.ts';

const FILE = '/home/ada/.config/scrip/config.json';

/** A command line with a settings file of its own; gives what was printed and what the file says then. */
async function run(words: readonly string[], before?: string, env: Record<string, string> = {}) {
  let text = before;
  const stdout = capture();
  const stderr = capture();
  const around = { env, home: '/home/ada', isInteractive: false };
  const host = {
    ...smallHost({}, { stdout, stderr }),
    open: async (flags: GlobalFlags, needs: { readonly isProfileOptional: boolean }) => {
      const readFile = () => text;
      return smallContext({
        io: { stdout, stderr },
        settings: resolveSettings(flags, { ...around, ...needs, readFile }),
        system: {
          machine: async () => ({
            platform: 'linux',
            home: around.home,
            env,
            program: { runtime: '/node', script: '/scrip' },
            resolve: (path) => (path.startsWith('/') ? path : `/here/${path}`),
            read: () => ({ path: '', target: '', text: undefined }),
            replace: () => undefined,
          }),
        },
        files: {
          configFile: {
            read: async () => text,
            replace: async (_expected, next) => {
              text = next;
            },
            rehearse: (next, profile) =>
              resolveSettings({ profile }, { ...around, env: {}, readFile: () => next }),
          },
        },
      });
    },
  };
  const exit = await runProgram([...words, '--json'], host);
  const printed = exit === 0 ? stdout.text() : stderr.text();
  return {
    exit,
    said: JSON.parse(printed),
    stdout: stdout.text(),
    file: text === undefined ? undefined : JSON.parse(text === '{' ? 'null' : text),
    text,
  };
}

const LIVE = JSON.stringify({
  profiles: { live: { checkout_url: 'https://host.example', country: 'de' }, play: {} },
});

describe('precedence', () => {
  /** A value for each place: of the flag, the environment and the profile. */
  const VALUES: Readonly<Record<string, readonly [string, string, string]>> = {
    checkout_url: ['https://flag.example', 'https://env.example', 'https://file.example'],
    api_url: ['https://flag.example', 'https://env.example', 'https://file.example'],
    mcp_url: ['https://flag.example', 'https://env.example', 'https://file.example'],
    site_url: ['https://flag.example', 'https://env.example', 'https://file.example'],
    rpc_url: ['https://flag.example', 'https://env.example', 'https://file.example'],
    rpc_url_2: ['https://flag.example', 'https://env.example', 'https://file.example'],
    base_rpc_url: ['https://flag.example', 'https://env.example', 'https://file.example'],
    network: ['', 'base', 'solana'],
    keypair: ['/flag.json', '/env.json', '/file.json'],
    signer_command: ['/bin/flag', '/bin/env', '/bin/file'],
    signer_address: [
      '',
      'EnvEnvEnvEnvEnvEnvEnvEnvEnvEnvEnvEnv',
      'Fi1eFi1eFi1eFi1eFi1eFi1eFi1eFi1e',
    ],
    passphrase_file: ['/flag', '/env', '/file'],
    key_since: ['1d', '2d', '3d'],
    partner_id: ['flag', 'env', 'file'],
    partner_secret_file: ['', '/env', '/file'],
    ca_file: ['', '/env.pem', '/file.pem'],
    country: ['', 'fr', 'de'],
    email: ['', 'env@example.com', 'file@example.com'],
    to: ['', '+14155550123', 'file@example.com'],
    update_notice: ['', 'off', 'on'],
    lang: ['en', 'es', 'en'],
  };
  const shown = (key: string, value: string) =>
    key === 'signer_command' ? JSON.stringify([value]) : value;

  it('has a row in this table for every setting', () => {
    expect(Object.keys(VALUES)).toEqual(SETTINGS.map(({ key }) => key));
  });

  it.each(SETTINGS.map((row) => [row.key, row] as const))(
    'of %s is flag, environment, profile, default',
    async (key, row) => {
      const [flag, env, file] = VALUES[key] ?? ['', '', ''];
      // An address is that of a signer command.
      const signer = key === 'signer_address' ? { signer_command: '/bin/signer' } : {};
      const text = JSON.stringify({ profiles: { mine: { [key]: file, ...signer } } });
      const get = ['config', 'get', key, '--profile', 'mine'];
      const variable = { [row.variable]: env };
      if (row.flag !== undefined) {
        const { said } = await run([...get, row.flag, flag], text, variable);
        expect(said).toMatchObject({ value: shown(key, flag), source: 'flag' });
      }
      expect((await run(get, text, variable)).said).toMatchObject({
        value: shown(key, env),
        source: 'environment',
      });
      for (const blank of [{}, { [row.variable]: '' }]) {
        expect((await run(get, text, blank)).said).toMatchObject({
          value: shown(key, file),
          source: 'profile',
        });
      }
      const { said } = await run(['config', 'get', key]);
      expect(said.source).toBe('default');
      // There are two values alone: one of them is the default.
      if (key === 'lang' || key === 'update_notice') return;
      expect([shown(key, flag), shown(key, env), shown(key, file)]).not.toContain(said.value);
    },
  );

  it.each([
    [['--profile', 'one'], { SCRIP_PROFILE: 'two' }, 'one', 'flag'],
    [[], { SCRIP_PROFILE: 'two' }, 'two', 'environment'],
    [[], { SCRIP_PROFILE: '' }, 'three', 'file'],
  ])('of the profile, by %j and %j, is %s', async (flags, env, value, source) => {
    const text = JSON.stringify({ profile: 'three', profiles: { one: {}, two: {}, three: {} } });
    const { said } = await run(['config', 'get', 'profile', ...flags], text, env);
    expect(said).toMatchObject({ value, source });
  });

  it('is told for every setting by config list', async () => {
    const { said } = await run(['config', 'list']);
    expect(said.map(({ key }: { key: string }) => key)).toEqual([
      'profile',
      ...SETTINGS.map(({ key }) => key),
    ]);
  });
});

describe('scrip config set', () => {
  it('keeps a value in the profile and leaves the others', async () => {
    const words = ['config', 'set', 'rpc_url', 'https://rpc.example', '--profile', 'live'];
    const { exit, file } = await run(words, LIVE);
    expect(exit).toBe(0);
    expect(file).toEqual({
      profiles: {
        live: {
          checkout_url: 'https://host.example',
          rpc_url: 'https://rpc.example',
          country: 'de',
        },
        play: {},
      },
    });
  });

  it('names files by their whole path', async () => {
    const words = ['config', 'set', 'keypair', 'k.json', '--profile', 'live'];
    const { file } = await run(words, LIVE);
    expect(file.profiles.live.keypair).toBe('/here/k.json');
  });

  it('chooses the profile for all commands', async () => {
    const { file } = await run(['config', 'set', 'profile', 'live'], LIVE);
    expect(file.profile).toBe('live');
    const after = await run(['config', 'unset', 'profile'], JSON.stringify(file));
    expect(after.file.profile).toBeUndefined();
  });

  it('is undone by unset', async () => {
    const { file } = await run(['config', 'set', 'country', 'fr']);
    expect(file).toEqual({ profiles: { sandbox: { country: 'fr' } } });
    const after = await run(['config', 'unset', 'country'], JSON.stringify(file));
    expect(after.file).toEqual({ profiles: {} });
    expect(after.said.value).toBeNull();
  });

  const SECRET = '5'.repeat(88);
  it.each([
    ['a key that there is none of', ['coutry', 'de'], 'INPUT_INVALID'],
    ['a key of every object', ['constructor', 'de'], 'INPUT_INVALID'],
    ['an address that is not https', ['checkout_url', 'http://x.example'], 'INPUT_INVALID'],
    ['an address with a password', ['api_url', 'https://a:b@x.example'], 'INPUT_INVALID'],
    ['a country that there is none of', ['country', 'atlantis'], 'COUNTRY_UNKNOWN'],
    ['an e-mail that is none', ['email', 'nowhere'], 'EMAIL_INVALID'],
    ['nothing', ['rpc_url', ''], 'INPUT_INVALID'],
    ['a program by a bare name', ['signer_command', 'signer'], 'INPUT_INVALID'],
    ['an address that is none', ['signer_address', 'x'], 'INPUT_INVALID'],
    ['a path of two lines', ['keypair', '/a\nb'], 'INPUT_INVALID'],
    ['a key in place of its file', ['keypair', SECRET], 'INPUT_INVALID'],
    ['a key as the address', ['signer_address', SECRET], 'INPUT_INVALID'],
    ['a key in place of a partner id', ['partner_id', SECRET], 'INPUT_INVALID'],
    [
      'the wallet of the sandbox for a live host',
      ['keypair', '/home/ada/.local/share/scrip/wallets/sandbox.json'],
      'WALLET_PROFILE_MISMATCH',
    ],
  ])('refuses %s and changes nothing', async (_what, words, code) => {
    const { exit, said, text } = await run(['config', 'set', ...words, '--profile', 'live'], LIVE);
    expect([exit === 0, said.error.code]).toEqual([false, code]);
    expect(text).toBe(LIVE);
    expect(JSON.stringify(said)).not.toContain(SECRET);
  });

  it.each(SETTINGS.map((row) => [row.key, row.isHarmless] as const))(
    'of %s in the sandbox is allowed only where it moves no money: %s',
    async (key, isHarmless) => {
      const values: Readonly<Record<string, string>> = {
        country: 'de',
        update_notice: 'off',
        lang: 'es',
        email: 'a@example.com',
        to: 'a@example.com',
      };
      const value = values[key] ?? 'x';
      const { exit, text } = await run(['config', 'set', key, value]);
      expect([exit, text !== undefined]).toEqual(isHarmless ? [0, true] : [2, false]);
    },
  );

  it.each([
    ['config', 'set', 'country', 'de'],
    ['config', 'unset', 'country'],
    ['config', 'list'],
    ['profile', 'add', 'new'],
    ['profile', 'use', 'sandbox'],
    ['profile', 'remove', 'live'],
    ['profile', 'list'],
  ])('leaves a damaged file as it is: %s %s', async (...words) => {
    for (const damaged of ['{', '{"profiles":{"live":{"rpc":"https://x.example"}}}']) {
      const { said, text } = await run(words, damaged);
      expect(said.error.code).toBe('INPUT_INVALID');
      expect(text).toBe(damaged);
    }
  });

  it('tells the path even of a damaged file', async () => {
    expect((await run(['config', 'path'], '{')).said).toEqual({ path: FILE });
  });
});

describe('scrip profile', () => {
  it('is added with what the command line says, chosen, listed and removed', async () => {
    const added = await run([
      ...['profile', 'add', 'live', '--checkout-url', 'https://host.example'],
      ...['--rpc-url', 'https://rpc.example', '--keypair', 'k.json', '--country', 'de'],
    ]);
    expect(added.said).toMatchObject({ name: 'live', money: 'real', keypair: '/here/k.json' });
    const used = await run(['profile', 'use', 'live'], added.text);
    const { said } = await run(['profile', 'list'], used.text);
    expect(said).toMatchObject([
      { name: 'sandbox', is_current: false, money: 'play' },
      { name: 'live', is_current: true, money: 'real', checkout_url: 'https://host.example' },
    ]);
    const removed = await run(['profile', 'remove', 'live'], used.text);
    expect(removed.said).toMatchObject({ wallet_kept: '/here/k.json', was_in_use: true });
    expect(removed.file).toEqual({ profiles: {} });
  });

  it('may be added while it is the one that is named', async () => {
    const env = { SCRIP_PROFILE: 'mine' };
    expect((await run(['profile', 'add', 'mine'], undefined, env)).file).toEqual({
      profiles: { mine: {} },
    });
  });

  it('shows what it comes to, whatever is said around it', async () => {
    const env = { SCRIP_RPC_URL: 'https://other.example', SCRIP_COUNTRY: 'fr' };
    const { said } = await run(['profile', 'show', 'live'], LIVE, env);
    const rows: { key: string; value: string; source: string }[] = said;
    expect(rows.find(({ key }) => key === 'country')).toMatchObject({
      value: 'de',
      source: 'profile',
    });
    expect(rows.find(({ key }) => key === 'rpc_url')?.source).toBe('default');
  });

  it.each([
    ['a name that is taken', ['add', 'live', '--checkout-url', 'https://x.example']],
    ['the name of the sandbox', ['add', 'sandbox']],
    ['a name that is a path', ['add', '../x']],
    ['a host with the sandbox’s wallet', withSandboxWallet()],
    ['the removal of the sandbox', ['remove', 'sandbox']],
    ['the removal of what is not there', ['remove', 'nope']],
    ['the use of what is not there', ['use', 'nope']],
    ['the show of what is not there', ['show', 'nope']],
  ])('refuses %s', async (_what, words) => {
    const { exit, text } = await run(['profile', ...words], LIVE);
    expect(exit).not.toBe(0);
    expect(text).toBe(LIVE);
  });
});

function withSandboxWallet(): string[] {
  const wallet = '/home/ada/.local/share/scrip/wallets/sandbox.json';
  return ['add', 'x', '--checkout-url', 'https://x.example', '--keypair', wallet];
}

describe('a settings file', () => {
  it('is read back as it was written', () => {
    const name = fc.stringMatching(/^[A-Za-z0-9_-]{1,12}$/).filter((text) => text !== 'sandbox');
    const profile = fc.record(
      {
        checkoutUrl: fc.webUrl({ validSchemes: ['https'] }),
        keypair: fc.stringMatching(/^\/[a-z ]{1,20}$/),
        country: fc.stringMatching(/^[a-z]{2}$/),
        partnerId: fc.stringMatching(/^[!-~]{1,20}$/),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(name, profile), { maxLength: 4 }), (entries) => {
        const profiles = new Map(entries);
        const [chosen] = profiles.keys();
        const config = { profiles, ...(chosen === undefined ? {} : { profile: chosen }) };
        expect(parseConfig(configText(config), FILE)).toEqual(config);
      }),
    );
  });

  it('of any other form is refused with INPUT_INVALID', () => {
    const text = fc.oneof(
      fc.string(),
      fc.json(),
      fc.json().map((json) => `{"profiles":${json}}`),
    );
    fc.assert(
      fc.property(text, (document) => {
        try {
          parseConfig(document, FILE);
        } catch (error) {
          expect(error).toBeInstanceOf(ScripError);
          expect(error).toMatchObject({ code: 'INPUT_INVALID' });
        }
      }),
    );
  });

  it('may begin with a byte order mark', () => {
    expect(parseConfig(`\uFEFF${configText(NO_CONFIG)}`, FILE)).toEqual(NO_CONFIG);
  });

  it.each([
    ['a chosen profile that is not there', '{"profile":"live"}'],
    ['a chosen profile that is no text', '{"profile":1}'],
    ['a name that is a path', '{"profiles":{"../x":{}}}'],
    ['a wallet in the sandbox', '{"profiles":{"sandbox":{"keypair":"/k"}}}'],
    ['a host in the sandbox', '{"profiles":{"sandbox":{"checkout_url":"https://x.example"}}}'],
    ['a file by a path from somewhere', '{"profiles":{"live":{"keypair":"k.json"}}}'],
    ['a profile twice', '{"profiles":{"live":{},"live":{}}}'],
    ['a key twice', '{"profiles":{"live":{"to":"a@example.com","to":"b@example.com"}}}'],
    ['a key file and a program', '{"profiles":{"l":{"keypair":"/k","signer_command":"/s"}}}'],
    ['an address without https', '{"profiles":{"live":{"rpc_url":"http://x.example"}}}'],
  ])('is refused with %s', (_what, document) => {
    expect(() => parseConfig(document, FILE)).toThrow(ScripError);
  });
});
