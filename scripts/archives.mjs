// Writes the archive and the Debian package of one standalone executable. The same files give the same bytes:
// times, owners, modes and the order of entries are fixed.
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { root, version } from './bundle.mjs';
import { run } from './platforms.mjs';

const { homepage } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const TAR_OWNER = ['--owner=0', '--group=0', '--numeric-owner', '--mode=u=rwX,go=rX'];
/** As Debian names them. The native parts need nothing newer than glibc 2.18. */
const DEBIAN = { 'linux-x64': 'amd64', 'linux-arm64': 'arm64' };
const MAINTAINER = 'scrip authors <scrip-cli@users.noreply.github.com>';

/** The name of a platform's Debian package, if it has one. */
export function debOf(platform) {
  const arch = DEBIAN[platform];
  return arch && `scrip_${version}_${arch}.deb`;
}

/** Copies all that belongs to an executable. @param built folder of scripts/binary.mjs */
function stage(built, tree, zshFolder) {
  rmSync(tree, { recursive: true, force: true });
  const files = {
    'bin/scrip': join(built, 'scrip'),
    'share/man/man1/scrip.1': join(root, 'docs', 'scrip.1'),
    'share/bash-completion/completions/scrip': join(root, 'completions', 'scrip.bash'),
    [`share/zsh/${zshFolder}/_scrip`]: join(root, 'completions', '_scrip'),
    'share/fish/vendor_completions.d/scrip.fish': join(root, 'completions', 'scrip.fish'),
    'share/doc/scrip/THIRD-PARTY-NOTICES.txt': join(built, 'THIRD-PARTY-NOTICES.txt'),
    'share/doc/scrip/LICENSE': join(root, 'LICENSE'),
  };
  for (const [to, from] of Object.entries(files)) {
    cpSync(from, join(tree, to));
    chmodSync(join(tree, to), to === 'bin/scrip' ? 0o755 : 0o644);
  }
}

/** @returns the path of scrip-<version>-<platform>.tar.gz */
export function writeArchive({ built, platform, folder, epoch }) {
  const name = `scrip-${version}-${platform}`;
  stage(built, join(built, name), 'site-functions');
  const tar = join(built, `${name}.tar`);
  const fixed = ['--sort=name', `--mtime=@${epoch}`, '--format=ustar', ...TAR_OWNER];
  run('tar', [...fixed, '-cf', tar, '-C', built, name]);
  run('gzip', ['-n', '-6', '-f', tar]);
  cpSync(`${tar}.gz`, join(folder, `${name}.tar.gz`));
}

/** Writes scrip_<version>_<arch>.deb. */
export function writeDeb({ built, platform, folder, epoch }) {
  const tree = join(built, 'deb');
  stage(built, join(tree, 'usr'), 'vendor-completions');
  const doc = join(tree, 'usr', 'share', 'doc', 'scrip');
  const put = (path, text, mode = 0o644) => {
    mkdirSync(dirname(join(tree, path)), { recursive: true });
    writeFileSync(join(tree, path), text);
    chmodSync(join(tree, path), mode);
  };
  rmSync(join(doc, 'LICENSE'));
  put('usr/share/doc/scrip/copyright', copyright());
  put('usr/share/doc/scrip/changelog', changelog(epoch));
  run('gzip', ['-n9', join(doc, 'changelog'), join(tree, 'usr/share/man/man1/scrip.1')]);
  put('usr/share/lintian/overrides/scrip', OVERRIDES);
  const size = Math.ceil(statSync(join(tree, 'usr/bin/scrip')).size / 1024) + 500;
  put('DEBIAN/control', control(DEBIAN[platform], size));
  put('DEBIAN/postrm', POSTRM, 0o755);
  const sums = run('sh', ['-c', 'find usr -type f | LC_ALL=C sort | xargs md5sum'], tree);
  put('DEBIAN/md5sums', sums);
  run('chmod', ['-R', 'u=rwX,go=rX', tree]);
  const env = { ...process.env, SOURCE_DATE_EPOCH: String(epoch) };
  const words = [
    '--root-owner-group',
    '-Zgzip',
    '-z6',
    '--build',
    tree,
    join(folder, debOf(platform)),
  ];
  run('dpkg-deb', words, root, env);
}

const control = (arch, size) => `Package: scrip
Version: ${version}
Architecture: ${arch}
Maintainer: ${MAINTAINER}
Installed-Size: ${size}
Depends: libc6 (>= 2.18), libgcc-s1
Section: utils
Priority: optional
Homepage: ${homepage}
Description: buy gift cards, mobile top-ups and eSIMs with USDC
 Pays with USDC on Solana or Base from your own key (x402): signed here, paid
 once, delivered as a code. A test shop with chains of its own is built in.
`;

const copyright = () => `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: scrip
Source: ${homepage}
Comment: what the program includes of others: THIRD-PARTY-NOTICES.txt beside this file

Files: *
Copyright: 2026 The scrip authors
License: Expat
${readFileSync(join(root, 'LICENSE'), 'utf8')
  .split('\n\n')
  .slice(2)
  .join('\n\n')
  .trim()
  .split('\n')
  .map((line) => ` ${line || '.'}`)
  .join('\n')}
`;

function changelog(epoch) {
  const date = new Date(epoch * 1000).toUTCString().replace('GMT', '+0000');
  return `scrip (${version}) unstable; urgency=medium

  * Release ${version}: see ${homepage}

 -- ${MAINTAINER}  ${date}
`;
}

const POSTRM = `#!/bin/sh
set -e
if [ "$1" = remove ] || [ "$1" = purge ]; then
  echo 'scrip: each user keeps wallets (~/.local/share/scrip) and purchases (~/.local/state/scrip)'
fi
`;

/** The executable is the compiler's runtime, as it comes, with the program in it; stripping would damage it. */
const OVERRIDES = `scrip: unstripped-binary-or-object [usr/bin/scrip]
scrip: embedded-library * [usr/bin/scrip]
scrip: hardening-no-pie [usr/bin/scrip]
scrip: hardening-no-relro [usr/bin/scrip]
`;
