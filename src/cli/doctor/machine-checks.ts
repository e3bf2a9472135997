/** Checks of Node, the environment, the folders that this program writes to, and the disk. */

import { commandText } from '../../domain/command-text.ts';
import { closing, folderFault, isOpen, octal, openTo } from '../../domain/folder-access.ts';
import { type Message, t } from '../../domain/message.ts';
import type { FolderState, Footing } from '../context.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

/** From `engines` in package.json. */
const LEAST_NODE = [20, 19] as const;
/** A purchase writes a few kilobytes; with less free space than this, other programs soon fill the disk. */
const LITTLE_BYTES = 64 * 1024 * 1024;
const TOO_FEW_BYTES = 1024 * 1024;

export function nodeCheck({ nodeVersion }: Pick<Footing, 'nodeVersion'>): Finding {
  const [major = 0, minor = 0] = nodeVersion.split('.').map(Number);
  const [leastMajor, leastMinor] = LEAST_NODE;
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) {
    return ok('node', nodeVersion);
  }
  const fix = commandText`Install Node ${LEAST_NODE.join('.')} or newer.`;
  return fail('node', t`${nodeVersion} is too old`, { code: 'MACHINE_UNFIT', fix });
}

/** Variables that change what code runs, who is trusted, or where requests go. */
const TELLING: readonly (readonly [name: string, what: Message, fix: Message])[] = [
  ['NODE_OPTIONS', t`other code or settings may be loaded before scrip`, t`Unset it for scrip.`],
  [
    'NODE_EXTRA_CA_CERTS',
    t`more certificate authorities are trusted`,
    t`Keep it only for a host that you run.`,
  ],
  ['NODE_V8_COVERAGE', t`executed code is written to disk`, t`Unset it.`],
  ['SSLKEYLOGFILE', t`connection keys may be written to disk`, t`Unset it.`],
];
const PROXIES = [
  'HTTPS_PROXY',
  'https_proxy',
  'HTTP_PROXY',
  'http_proxy',
  'ALL_PROXY',
  'all_proxy',
];

/** Shows names only: a value may hold a password. */
export function environmentChecks({ variable }: Pick<Footing, 'variable'>): readonly Finding[] {
  const isSet = (name: string): boolean => (variable(name) ?? '') !== '';
  const told = TELLING.filter(([name]) => isSet(name)).map(([name, what, fix]) =>
    warn('environment', t`${name} is set: ${what}`, fix),
  );
  const proxies = PROXIES.filter(isSet).map((name) =>
    warn(
      'environment',
      t`${name} is set, but scrip connects directly and ignores it`,
      t`None is needed.`,
    ),
  );
  const unverified =
    variable('NODE_TLS_REJECT_UNAUTHORIZED') === '0'
      ? [
          fail('environment', t`NODE_TLS_REJECT_UNAUTHORIZED=0 turns certificate checks off`, {
            code: 'MACHINE_UNFIT',
            fix: t`Unset it; name a private authority with NODE_EXTRA_CA_CERTS.`,
          }),
        ]
      : [];
  const findings = [...unverified, ...told, ...proxies];
  return findings.length > 0 ? findings : [ok('environment', t`nothing unusual is set`)];
}

/**
 * Checks one of our folders.
 * @param what names the folder
 * @param state undefined when the folder does not exist yet
 */
export function folderChecks(
  what: string,
  path: string,
  state: FolderState | undefined,
): readonly Finding[] {
  if (state === undefined) return [ok(what, t`${path} does not exist yet`)];
  if (!state.isFolder) {
    const fix = t`Move it away: scrip needs a folder there.`;
    return [fail(what, t`${path} is not a folder`, { code: 'MACHINE_UNFIT', fix })];
  }
  return [modeCheck(what, path, state)];
}

function modeCheck(what: string, path: string, access: FolderState): Finding {
  const fault = folderFault(path, access);
  if (fault !== undefined) {
    return fail(what, fault.problem, { code: 'MACHINE_UNFIT', fix: fault.fix });
  }
  const { mode } = access;
  if (isOpen(mode)) return warn(what, openTo(path, mode), closing(path));
  if ((mode & 0o055) !== 0) {
    return warn(what, t`others may read ${path} (mode ${octal(mode)})`, closing(path));
  }
  return ok(what, t`only you can use ${path} (mode ${octal(mode)})`);
}

/**
 * Checks the free space of the folder where payments are recorded; skipped if the folder does not exist yet.
 */
export function diskCheck(path: string, state: FolderState | undefined): readonly Finding[] {
  if (state === undefined || !state.isFolder) return [];
  const { freeBytes } = state;
  const detail = t`${sizeText(freeBytes)} free at ${path}`;
  const fix = t`Free disk space: scrip pays only after the payment is recorded on disk.`;
  if (freeBytes >= LITTLE_BYTES) return [ok('disk', detail)];
  return [
    freeBytes < TOO_FEW_BYTES
      ? fail('disk', detail, { code: 'MACHINE_UNFIT', fix })
      : warn('disk', detail, fix),
  ];
}

const GIGABYTE = 1e9;
const MEGABYTE = 1e6;

function sizeText(bytes: number): string {
  if (bytes >= GIGABYTE) return `${(bytes / GIGABYTE).toFixed(1)} GB`;
  return bytes >= MEGABYTE
    ? `${(bytes / MEGABYTE).toFixed(1)} MB`
    : `${Math.floor(bytes / 1_000)} kB`;
}
