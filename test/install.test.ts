/** What a release holds, and what a person does with it: install, buy, uninstall. Of this machine's platform alone. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHash, generateKeyPairSync } from 'node:crypto';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliResult, collect, makeHome } from './support/cli.ts';
import { createPrivateCa } from './support/private-ca.ts';
import { amazonProducts, buy } from './support/shop.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
/** Half a gigabyte: not kept until the run is over. */
const folder = mkdtempSync(join(tmpdir(), 'scrip-install-'));
const emptyFolder = (): string => mkdtempSync(join(folder, 'home-'));
const release = join(folder, 'release');
const hasTool = (name: string): boolean => spawnSync(name, ['--version']).error === undefined;
const fileLike = (end: string): string => {
  const found = readdirSync(release).find((name) => name.endsWith(end));
  if (found === undefined) throw new Error(`the release has no ${end}`);
  return found;
};
const textOf = (name: string): string => readFileSync(join(release, name), 'utf8');
const sha256 = (path: string): string =>
  createHash('sha256').update(readFileSync(path)).digest('hex');

function writeKey(name: string): { readonly secret: string; readonly open: string } {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const [secret, open] = [join(folder, `${name}.pem`), join(folder, `${name}-public.pem`)];
  writeFileSync(secret, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  writeFileSync(open, publicKey.export({ type: 'spki', format: 'pem' }));
  return { secret, open };
}

const key = writeKey('key');

beforeAll(() => {
  const words = ['--dry-run', '--no-build', '--platforms', 'host', '--folder', release];
  const script = join(root, 'scripts', 'release.mjs');
  execFileSync(process.execPath, [script, ...words, '--key', key.secret], { stdio: 'pipe' });
}, 300_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the installer with nothing of this process but the tools of the system. */
async function installer(
  words: readonly string[],
  { home, from = release, env = {} }: { home: string; from?: string; env?: object },
): Promise<CliResult> {
  const shell = hasTool('dash') ? 'dash' : 'sh';
  const child = spawn(shell, [join(from, 'install.sh'), ...words], {
    ...{ cwd: folder, env: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: home, ...env } },
  });
  return collect(child);
}

const filesIn = (dir: string): string[] =>
  readdirSync(dir, { recursive: true, withFileTypes: true, encoding: 'utf8' })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(dir.length + 1))
    .toSorted();

it('a release is one folder, whose every file is named by its lists', () => {
  const names = readdirSync(release).filter((name) => !name.startsWith('SHA256SUMS'));
  const sums = names.toSorted().map((name) => `${sha256(join(release, name))}  ${name}\n`);
  expect(textOf('SHA256SUMS')).toBe(sums.join(''));
  const listed = names.filter((name) => !/\.intoto\.json$|^RELEASE-NOTES/.test(name));
  const { subject } = JSON.parse(textOf(`scrip-${version}.intoto.json`));
  expect(subject).toEqual(
    listed.toSorted().map((name) => ({ name, digest: { sha256: sha256(join(release, name)) } })),
  );
  const notes = textOf('RELEASE-NOTES.md');
  for (const name of listed) expect(notes).toContain(`| ${name} |`);
  expect(notes).toContain('### Buying\n- `scrip order amazon 25` buys');
  expect(textOf('scrip.rb')).toContain(`sha256 "${sha256(join(release, fileLike('.tar.gz')))}"`);
});

// The release itself fails unless it is valid SPDX.
it('the SBOM holds the bundle, the native parts and the runtime, and no tool of ours', () => {
  const { packages } = JSON.parse(textOf(`scrip-${version}.spdx.json`));
  const names = packages.map(({ name }: { name: string }) => name);
  expect(names).toEqual(
    expect.arrayContaining(['scrip-cli', 'zod', 'libsql', '@libsql/linux-x64-gnu', 'bun']),
  );
  expect(names).not.toContain('typescript');
});

it.skipIf(!hasTool('shellcheck'))('the installer has no fault that shellcheck knows', () => {
  execFileSync('shellcheck', [join(release, 'install.sh')]);
});

describe('install.sh', () => {
  const home = emptyFolder();
  const prefix = join(home, 'my programs');
  const installed = makeHome([join(prefix, 'bin', 'scrip')]);
  const program = ['bin/scrip', 'share/man/man1/scrip.1', 'share/doc/scrip/files'];

  it('installs what buys a card, over itself too', async () => {
    for (const _ of ['first', 'again']) {
      const { status, stdout } = await installer(['--prefix', prefix], { home });
      expect({ status, stdout }).toMatchObject({
        status: 0,
        stdout: expect.stringContaining(`scrip ${version} is installed: ${prefix}/bin/scrip`),
      });
    }
    expect(filesIn(prefix)).toEqual(expect.arrayContaining(program));
    expect(filesIn(prefix)).toHaveLength(8);
    expect(await installed.run(['--version'])).toMatchObject({ stdout: `${version}\n` });
    expect((await installed.run(['order', '--help'])).stdout).toMatch(/^Usage: scrip order/);
    await installed.json(['wallet', 'new']);
    await installed.json(['wallet', 'fund', '--usdc', '50']);
    expect(await buy(installed, amazonProducts().fixed.product_id, [])).toMatchObject({
      status: 'completed',
      deliveries: [{ voucher_code: expect.stringMatching(/^TEST-/) }],
    });
    await installed.json(['config', 'set', 'country', 'us']);
    await installed.failure(['orders', 'show', 'cr_none']);
  });

  it('uninstalls all but wallets and purchases, and says so', async () => {
    const before = filesIn(installed.dir);
    const words = ['--uninstall', '--prefix', prefix];
    const { status, stdout } = await installer(words, { home: installed.dir });
    expect(status).toBe(0);
    expect(readdirSync(prefix)).toEqual([]);
    const kept = /^\.local\/(share\/scrip\/(wallets|play)|state\/scrip\/journal)\//;
    expect(filesIn(installed.dir)).toEqual(before.filter((path) => kept.test(path)));
    expect(before.filter((path) => !kept.test(path)).length).toBeGreaterThan(3);
    expect(stdout).toContain(`wallets    ${installed.dir}/.local/share/scrip\n`);
    expect(stdout).toContain(`purchases  ${installed.dir}/.local/state/scrip/journal\n`);
  });

  const changed = (name: string, change: (dir: string) => void): string => {
    const dir = join(folder, name);
    mkdirSync(dir);
    for (const file of readdirSync(release)) {
      const isSmall = /^(install\.sh|SHA256SUMS.*)$/.test(file);
      if (isSmall) cpSync(join(release, file), join(dir, file));
      else symlinkSync(join(release, file), join(dir, file));
    }
    change(dir);
    return dir;
  };
  const edit = (dir: string, name: string, from: RegExp, to: string): void =>
    writeFileSync(join(dir, name), readFileSync(join(dir, name), 'utf8').replace(from, to));

  it.each([
    [
      'a changed archive',
      (dir: string) => {
        cpSync(join(release, fileLike('.tar.gz')), join(dir, 'real'));
        appendFileSync(join(dir, 'real'), 'x');
        execFileSync('mv', ['-f', 'real', fileLike('.tar.gz')], { cwd: dir });
      },
      'checksum',
    ],
    [
      'a changed list',
      (dir: string) => edit(dir, 'SHA256SUMS', /^[0-9a-f]/, 'f0'),
      'the signature of SHA256SUMS is wrong',
    ],
    [
      'a list that somebody else signed',
      (dir: string) => {
        const words = ['dgst', '-sha256', '-sign', writeKey('other').secret, '-out'];
        execFileSync('openssl', [...words, 'SHA256SUMS.sig', 'SHA256SUMS'], { cwd: dir });
      },
      'the signature of SHA256SUMS is wrong',
    ],
    [
      'an unsigned release',
      (dir: string) => edit(dir, 'install.sh', /^KEY='[^']+'/m, "KEY=''"),
      'not signed',
    ],
    [
      'another version’s installer',
      (dir: string) => edit(dir, 'install.sh', /^VERSION='[^']+'/m, "VERSION='9.9.9'"),
      'this release has no scrip-9.9.9',
    ],
  ])('installs nothing of %s', async (name, change, said) => {
    const from = changed(name, change);
    const place = emptyFolder();
    const { status, stderr } = await installer([], { home: place, from });
    expect(status).toBe(1);
    expect(stderr).toContain(said);
    expect(filesIn(place)).toEqual([]);
  });

  it('leaves the program of another installation alone', async () => {
    const place = emptyFolder();
    mkdirSync(join(place, '.local', 'bin'), { recursive: true });
    writeFileSync(join(place, '.local', 'bin', 'scrip'), 'npm’s');
    for (const [words, said] of [
      [[], 'is of another installation'],
      [['--uninstall'], 'has no installation by this script'],
    ] as const) {
      const { status, stderr } = await installer(words, { home: place });
      expect({ status, stderr }).toMatchObject({
        status: 1,
        stderr: expect.stringContaining(said),
      });
    }
    expect(filesIn(place)).toEqual(['.local/bin/scrip']);
  });

  describe.skipIf(!hasTool('curl'))('from an address', () => {
    const ca = createPrivateCa();
    const server = createServer({ ...ca.issue('127.0.0.1') }, ({ url = '/' }, response) => {
      const path = join(release, url);
      if (existsSync(path)) response.end(readFileSync(path));
      else response.writeHead(404).end();
    });
    beforeAll(() => new Promise<void>((done) => void server.listen(0, '127.0.0.1', done)));
    afterAll(() => void server.close());
    const alone = join(folder, 'alone');
    const get = (base: string, place: string): Promise<CliResult> => {
      mkdirSync(alone, { recursive: true });
      cpSync(join(release, 'install.sh'), join(alone, 'install.sh'));
      writeFileSync(join(folder, 'ca.pem'), ca.cert);
      const env = { CURL_CA_BUNDLE: join(folder, 'ca.pem') };
      return installer(['--from', base], { home: place, from: alone, env });
    };
    const address = (): string => {
      const { port } = server.address() as { port: number };
      return `https://127.0.0.1:${port}`;
    };

    it('installs over https, and takes nothing without it', async () => {
      const place = emptyFolder();
      const plain = await get(address().replace('https', 'http'), place);
      expect(plain).toMatchObject({ status: 1, stderr: expect.stringContaining('only https') });
      const missing = await get(`${address()}/elsewhere`, place);
      expect(missing).toMatchObject({ status: 1, stderr: expect.stringContaining('cannot be') });
      expect(filesIn(place)).toEqual([]);
      expect(await get(address(), place)).toMatchObject({ status: 0, stderr: '' });
      const scrip = join(place, '.local', 'bin', 'scrip');
      expect(execFileSync(scrip, ['--version'], { encoding: 'utf8' })).toBe(`${version}\n`);
    });
  });
});

it.skipIf(!hasTool('dpkg-deb'))('the Debian package holds program, manual and completions', () => {
  const place = emptyFolder();
  execFileSync('dpkg-deb', ['--extract', join(release, fileLike('.deb')), place]);
  expect(filesIn(place)).toEqual([
    'usr/bin/scrip',
    'usr/share/bash-completion/completions/scrip',
    'usr/share/doc/scrip/THIRD-PARTY-NOTICES.txt',
    'usr/share/doc/scrip/changelog.gz',
    'usr/share/doc/scrip/copyright',
    'usr/share/fish/vendor_completions.d/scrip.fish',
    'usr/share/lintian/overrides/scrip',
    'usr/share/man/man1/scrip.1.gz',
    'usr/share/zsh/vendor-completions/_scrip',
  ]);
  const scrip = join(place, 'usr', 'bin', 'scrip');
  expect(execFileSync(scrip, ['--version'], { encoding: 'utf8' })).toBe(`${version}\n`);
  const field = ['--field', join(release, fileLike('.deb')), 'Version'];
  expect(execFileSync('dpkg-deb', field, { encoding: 'utf8' })).toBe(`${version}\n`);
});
