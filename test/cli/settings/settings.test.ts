import { describe, expect, it } from 'vitest';
import type { Settings } from '../../../src/cli/settings/settings.ts';
import {
  checkWalletFits,
  type GlobalFlags,
  resolveSettings,
  type Surroundings,
} from '../../../src/cli/settings/settings.ts';
import { ScripError } from '../../../src/domain/message/errors.ts';

const CONFIG = JSON.stringify({
  profiles: {
    live: { checkout_url: 'https://shop.example/', keypair: '/keys/live.json' },
    play: {},
  },
});

function settings(flags: GlobalFlags = {}, around: Partial<Surroundings> = {}): Settings {
  return resolveSettings(flags, {
    env: {},
    home: '/home/ada',
    isInteractive: true,
    readFile: (path) => (path === '/home/ada/.config/scrip/config.json' ? CONFIG : undefined),
    ...around,
  });
}

function codeOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof ScripError) return error.code;
    throw error;
  }
  return 'none';
}

describe('settings', () => {
  it.each([
    [{ LOCALAPPDATA: 'D:\\Local' }, 'D:\\Local\\scrip\\state\\journal'],
    [{}, 'C:\\Users\\Ada\\AppData\\Local\\scrip\\state\\journal'],
    [{ XDG_STATE_HOME: 'E:/state/' }, 'E:/state\\scrip\\journal'],
    [{ XDG_STATE_HOME: '/state' }, 'C:\\Users\\Ada\\AppData\\Local\\scrip\\state\\journal'],
  ])('with the variables %j of Windows have the journal at %s', (env, journalDir) => {
    expect(settings({}, { env, home: 'C:\\Users\\Ada' })).toMatchObject({ journalDir });
  });

  it('are the embedded service with state under the home folder by default', () => {
    expect(settings()).toEqual({
      profile: 'sandbox',
      profileSource: 'default',
      sources: {},
      completionPath: '/home/ada/.cache/scrip/completion-sandbox.json',
      configPath: '/home/ada/.config/scrip/config.json',
      homeDir: '/home/ada',
      isLiveKey: false,
      partnerId: 'scrip-cli',
      proposedCountry: 'us',
      updateNotice: 'on',
      updatePath: '/home/ada/.cache/scrip/latest-version',
      lang: 'en',
      isEmbedded: true,
      checkoutUrl: 'http://embedded.scrip.localhost',
      apiUrl: 'http://embedded.scrip.localhost',
      mcpUrl: 'http://embedded.scrip.localhost',
      siteUrl: 'http://embedded.scrip.localhost',
      rpcUrl: 'http://embedded.scrip.localhost/rpc',
      rpcs: {
        'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp': {
          url: 'http://embedded.scrip.localhost/rpc',
          isNamed: false,
        },
        'eip155:8453': {
          url: 'http://embedded.scrip.localhost/rpc/base',
          isNamed: false,
        },
      },
      keypairPath: '/home/ada/.local/share/scrip/wallets/sandbox.json',
      passphrase: {},
      isSandboxKey: true,
      playMarksDir: '/home/ada/.local/share/scrip/play',
      sandboxDir: '/home/ada/.local/state/scrip/sandbox',
      journalDir: '/home/ada/.local/state/scrip/journal',
      errorLogPath: '/home/ada/.local/state/scrip/recent-errors.ndjson',
      draftPath: '/home/ada/.local/state/scrip/wizard-sandbox.json',
      approvalsPath: '/home/ada/.local/state/scrip/approvals-sandbox.json',
      output: { format: 'text' },
      policyPath: '/home/ada/.config/scrip/policy.json',
      isJson: false,
      mayPrompt: true,
      isVerbose: false,
    });
  });

  const cases: readonly (readonly [
    what: string,
    flags: GlobalFlags,
    env: Record<string, string>,
    expected: Partial<Settings>,
  ])[] = [
    [
      'a host on this machine serves everything, its chain included',
      { checkoutUrl: 'http://127.0.0.1:4020' },
      {},
      {
        isEmbedded: false,
        apiUrl: 'http://127.0.0.1:4020',
        mcpUrl: 'http://127.0.0.1:4020',
        rpcUrl: 'http://127.0.0.1:4020/rpc',
      },
    ],
    [
      'a host elsewhere is paid on mainnet',
      { checkoutUrl: 'https://shop.example' },
      {},
      { rpcUrl: 'https://api.mainnet-beta.solana.com', apiUrl: 'https://shop.example' },
    ],
    [
      'a base path and a trailing slash are kept and dropped',
      { checkoutUrl: 'https://shop.example/x402/' },
      {},
      { checkoutUrl: 'https://shop.example/x402', apiUrl: 'https://shop.example' },
    ],
    [
      'a profile is named by the environment too',
      {},
      { SCRIP_PROFILE: 'live' },
      { profile: 'live', checkoutUrl: 'https://shop.example', isSandboxKey: false },
    ],
    [
      'a profile without a host is an embedded service of its own',
      { profile: 'play' },
      {},
      {
        isEmbedded: true,
        sandboxDir: '/home/ada/.local/state/scrip/sandbox-play',
        keypairPath: '/home/ada/.local/share/scrip/wallets/play.json',
      },
    ],
    [
      'each address can be named alone',
      {
        rpcUrl: 'https://rpc.example',
        apiUrl: 'https://api.example',
        mcpUrl: 'https://mcp.example',
      },
      {},
      {
        isEmbedded: true,
        rpcUrl: 'https://rpc.example',
        apiUrl: 'https://api.example',
        mcpUrl: 'https://mcp.example',
      },
    ],
    [
      'the folders of XDG are used where they are absolute',
      {},
      { XDG_STATE_HOME: '/state/', XDG_DATA_HOME: 'relative' },
      {
        sandboxDir: '/state/scrip/sandbox',
        keypairPath: '/home/ada/.local/share/scrip/wallets/sandbox.json',
      },
    ],
    [
      'a program signs where it is named nearer than a key file',
      { signerCommand: '/usr/bin/signer' },
      { SCRIP_KEYPAIR: '/env.json' },
      { signer: { command: ['/usr/bin/signer'], address: undefined }, isSandboxKey: false },
    ],
    [
      'a program is named with its arguments as a JSON array, and its address by the way',
      {},
      { SCRIP_SIGNER_COMMAND: '["/usr/bin/signer","--slot","1 2"]', SCRIP_SIGNER_ADDRESS: 'A' },
      { signer: { command: ['/usr/bin/signer', '--slot', '1 2'], address: 'A' } },
    ],
    [
      'a program with spaces in its path is one word',
      { signerCommand: '/opt/my signer/sign' },
      {},
      { signer: { command: ['/opt/my signer/sign'], address: undefined } },
    ],
    [
      'the passphrase is in a descriptor before it is in a file',
      { passphraseFd: '3', passphraseFile: 'p' },
      {},
      { passphrase: { fd: 3 } },
    ],
    [
      'the passphrase is in the file of the flag before that of the environment',
      { passphraseFile: '-' },
      { SCRIP_PASSPHRASE_FILE: 'p' },
      { passphrase: { file: '-' } },
    ],
    ['--no-input forbids questions', { input: false }, {}, { mayPrompt: false }],
    [
      '--json and --verbose are taken over',
      { json: true, verbose: true },
      {},
      { isJson: true, isVerbose: true },
    ],
  ];
  it.each(cases)('%s', (_what, flags, env, expected) => {
    expect(settings(flags, { env })).toMatchObject(expected);
  });

  it.each([
    ['a key file and a program at one place', { keypair: '/k', signerCommand: '/s' }],
    ['a program that is a bare name', { signerCommand: 'signer' }],
    ['a program that is a relative path', { signerCommand: './signer' }],
    ['a program that is no list of words', { signerCommand: '["/usr/bin/signer",1]' }],
    ['a program that is no JSON', { signerCommand: '["/usr/bin/signer"' }],
    ['no program', { signerCommand: '[]' }],
    ['a shell’s line in place of a program', { signerCommand: 'sh -c "sign"' }],
    ['a descriptor that is written to', { passphraseFd: '2' }],
    ['a descriptor that is no number', { passphraseFd: 'three' }],
    ['a descriptor beyond those there are', { passphraseFd: '1024' }],
  ])('refuse %s', (_what, flags) => {
    expect(codeOf(() => settings(flags))).toBe('INPUT_INVALID');
  });

  it('allow no question where there is no terminal', () => {
    expect(settings({}, { isInteractive: false }).mayPrompt).toBe(false);
  });

  it.each([
    'shop.example',
    'ftp://shop.example',
    'http://shop.example',
    'http://127.0.0.1.evil.example',
    'https://user:secret@shop.example',
    'https://shop.example/?a=1',
    'https://shop.example/#x',
  ])('refuse the address %s', (checkoutUrl) => {
    expect(codeOf(() => settings({ checkoutUrl }))).toBe('INPUT_INVALID');
  });

  it.each(['http://localhost:1', 'http://[::1]:4020', 'http://127.1.2.3', 'http://0x7f.1:80'])(
    'take plain http of this machine: %s',
    (checkoutUrl) => {
      expect(settings({ checkoutUrl }).rpcUrl).toMatch(/\/rpc$/);
    },
  );

  it('refuse a profile that is not there, and name those that are', () => {
    try {
      settings({ profile: 'nope' });
      expect.unreachable();
    } catch (error) {
      expect(error).toMatchObject({
        code: 'PROFILE_UNKNOWN',
        details: { profiles: ['sandbox', 'live', 'play'] },
      });
    }
  });

  it.each(['../x', 'a/b', ' ', 'x'.repeat(41)])('refuse the profile name "%s"', (profile) => {
    expect(codeOf(() => settings({ profile }))).toBe('INPUT_INVALID');
  });
});

describe('the sandbox wallet', () => {
  it.each([
    ['is used with the embedded service', {}, 'none'],
    ['is used with a sandbox on this machine', { checkoutUrl: 'http://127.0.0.1:4020' }, 'none'],
    [
      'is refused with any other host',
      { checkoutUrl: 'https://shop.example' },
      'WALLET_PROFILE_MISMATCH',
    ],
    [
      'is another one where a key file is named',
      { checkoutUrl: 'https://shop.example', keypair: '/k.json' },
      'none',
    ],
    ['is another one in another profile', { profile: 'live' }, 'none'],
  ] as const)('%s', (_what, flags, code) => {
    expect(codeOf(() => checkWalletFits(settings(flags)))).toBe(code);
  });
});
