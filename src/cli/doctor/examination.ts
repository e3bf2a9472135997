/** Runs every check: this machine, wallet, journal, host and chain. Changes nothing. */

import { SOLANA_MAINNET } from '../../contract/usdc.ts';
import { hostLabel, isOnThisMachine } from '../../domain/address/loopback.ts';
import { expected } from '../../domain/attempt.ts';
import { commandText } from '../../domain/message/command-text.ts';
import { joined, type Message, type Said, t } from '../../domain/message/message.ts';
import {
  closing,
  folderFault,
  isOpen,
  octal,
  openTo,
} from '../../domain/operator/folder-access.ts';
import type { RailHealth } from '../../rails/rail.ts';
import type { BuyerContext, FolderState, Footing, With } from '../context.ts';
import { type Finding, fail, failedBy, ok, warn } from './finding.ts';
import { journalChecks, policyCheck, strayCheck, walletCheck } from './journal-checks.ts';

/** Returns what the checks find. @throws {ScripError} INTERRUPTED */
export async function examine(context: BuyerContext): Promise<readonly Finding[]> {
  const {
    parts: { clock },
    system: { footing },
    settings,
    io: { progress },
  } = context;
  const { finding: wallet, signer } = await walletCheck(context);
  const state = await footing.folder(settings.journalDir);
  progress.step(t`Asking the service and the chain`);
  const [service, chain] = await Promise.all([serviceChecks(context), chainChecks(context)]);
  const time = service.timeMs ?? chain.health?.timeMs ?? null;
  const source = service.timeMs === null ? t`the chain` : t`the service`;
  return [
    nodeCheck(footing),
    ...environmentChecks(footing),
    ...(await networkChecks(context)),
    wallet,
    await policyCheck(context),
    ...folderChecks('state', settings.journalDir, state),
    ...diskCheck(settings.journalDir, state),
    ...(await journalChecks(context, signer?.address)),
    ...(signer === undefined ? [] : await strayCheck(context, signer)),
    ...service.findings,
    ...chain.findings,
    clockCheck(clock.now(), source, time),
  ];
}

const TIMEOUT_MS = 15_000;
const CAP_BYTES = 1024 * 1024;
/** Public, small, and part of the interface on every host. */
const MANIFEST_PATH = '/.well-known/x402.json';

/** A payment request is valid for 60 s: with a clock off by that much, none or every one looks expired. */
const CLOCK_FAILS_MS = 60_000;
/** The chain's newest finalized block is about 13 s old. */
const CLOCK_WARNS_MS = 30_000;

/** Whether the host answers, what its manifest says, and its time; null if it sends none. */
async function serviceChecks({
  settings,
  parts: { fetch, signal },
}: With<'settings' | 'parts'>): Promise<{
  readonly findings: readonly Finding[];
  readonly timeMs: number | null;
}> {
  const name = settings.isEmbedded ? t`the built-in sandbox` : settings.checkoutUrl;
  try {
    const { exchange } = await import('../../api/http/exchange.ts');
    const { status, headers, text } = await exchange({
      fetch,
      url: `${settings.checkoutUrl}${MANIFEST_PATH}`,
      init: { method: 'GET', headers: { accept: 'application/json' } },
      timeoutMs: TIMEOUT_MS,
      capBytes: CAP_BYTES,
      signal,
    });
    const timeMs = Date.parse(headers.get('date') ?? '');
    const findings =
      status >= 500
        ? [fail('service', t`${name} answers ${status}`, { code: 'MERCHANT_ERROR' })]
        : [ok('service', t`${name} answers`), await manifestCheck(name, { status, text })];
    return { findings, timeMs: Number.isNaN(timeMs) ? null : timeMs };
  } catch (error) {
    return { findings: [failedBy('service', error)], timeMs: null };
  }
}

/** Checks the manifest of the host's receiving wallets: a policy rule may accept only those. */
async function manifestCheck(
  name: Said,
  { status, text }: { readonly status: number; readonly text: string },
): Promise<Finding> {
  if (status === 404) return ok('manifest', t`${name} lists no receiving wallets`);
  const { hostManifest } = await import('../../contract/manifest.ts');
  const { recipientsIn } = await import('../../api/checkout/listed-recipients.ts');
  const { parseJson } = await import('../../domain/attempt.ts');
  const manifest = status === 200 ? hostManifest().safeParse(parseJson(text)).data : undefined;
  const fix = t`Ask the host, or remove payTo: manifest from its policy rules.`;
  if (manifest === undefined) {
    return warn('manifest', t`the receiving wallets that ${name} lists cannot be read`, fix);
  }
  const count = new Set(recipientsIn(manifest)).size;
  if (count === 0) return ok('manifest', t`${name} lists no receiving wallets`);
  return ok('manifest', t`receiving wallets that ${name} lists: ${count}`);
}

/** Compares this machine's clock. @param timeMs the time of the service or the chain */
export function clockCheck(nowMs: number, source: Message, timeMs: number | null): Finding {
  if (timeMs === null) return ok('clock', t`no server time to compare with`);
  const offMs = Math.abs(nowMs - timeMs);
  const seconds = Math.round(offMs / 1_000);
  const detail =
    nowMs < timeMs ? t`${seconds} s behind ${source}` : t`${seconds} s ahead of ${source}`;
  const fix = t`Set the clock of this machine, such as by NTP.`;
  if (offMs > CLOCK_FAILS_MS) return fail('clock', detail, { code: 'MACHINE_UNFIT', fix });
  if (offMs > CLOCK_WARNS_MS) return warn('clock', detail, fix);
  return ok('clock', t`right, as compared with ${source}`);
}

/** Checks that the RPC can be reached and serves the right chain. */
async function chainChecks({ parts }: With<'parts'>): Promise<{
  readonly findings: readonly Finding[];
  readonly health: RailHealth | undefined;
}> {
  const strange: Finding[] = [];
  try {
    // A wallet of another profile keeps no node from being asked.
    const rail = await parts.rail().catch(
      expected((error) => {
        strange.push(failedBy('wallet', error));
        return parts.rail(SOLANA_MAINNET);
      }, 'WALLET_PROFILE_MISMATCH'),
    );
    const health = await rail.health();
    return {
      findings: [...strange, ...health.nodes.flatMap((node) => nodeFindings(node))],
      health,
    };
  } catch (error) {
    return { findings: [...strange, failedBy('rpc', error)], health: undefined };
  }
}

function nodeFindings(node: RailHealth['nodes'][number]): readonly Finding[] {
  const { name, problem, isNetwork, hasAsset, block } = node;
  if (problem !== null) {
    return [fail('rpc', t`${name}: ${problem}`, { code: 'CHAIN_UNREACHABLE' })];
  }
  const chain = isNetwork
    ? ok('rpc', t`${name} answers; newest block: ${block}`)
    : fail('rpc', t`${name} is of another chain than Solana mainnet`, {
        code: 'CHAIN_UNREACHABLE',
        fix: t`Name an RPC of Solana mainnet with --rpc-url, or the sandbox’s own.`,
      });
  const asset = hasAsset
    ? ok('usdc', t`${name} knows USDC`)
    : fail('usdc', t`${name} does not know USDC`, {
        code: 'CHAIN_UNREACHABLE',
        fix: t`Name another RPC with --rpc-url.`,
      });
  return [chain, asset];
}

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
    t`Keep it only for a host that you run, or for your company’s network.`,
  ],
  ['NODE_V8_COVERAGE', t`executed code is written to disk`, t`Unset it.`],
  ['SSLKEYLOGFILE', t`connection keys may be written to disk`, t`Unset it.`],
];

/** Shows names only: a value may hold a password. */
export function environmentChecks({ variable }: Pick<Footing, 'variable'>): readonly Finding[] {
  const isSet = (name: string): boolean => (variable(name) ?? '') !== '';
  const told = TELLING.filter(([name]) => isSet(name)).map(([name, what, fix]) =>
    warn('environment', t`${name} is set: ${what}`, fix),
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
  const findings = [...unverified, ...told];
  return findings.length > 0 ? findings : [ok('environment', t`nothing unusual is set`)];
}

/** Tries the proxy of each remote host, and reads the certificate authorities that hosts may need. */
async function networkChecks({
  settings,
  system: { footing },
}: With<'settings' | 'system'>): Promise<readonly Finding[]> {
  const remote = [settings.checkoutUrl, settings.apiUrl, settings.rpcUrl].filter(
    (url) => !isOnThisMachine(url),
  );
  if (remote.length === 0) return [];
  const hosts = [...new Map(remote.map((url) => [new URL(url).host, url])).values()];
  const proxies = await Promise.all(hosts.map((url) => proxyCheck(footing, url)));
  // One proxy that does not answer is told once, not for each host.
  const told = new Map(proxies.map((finding) => [String(finding.detail), finding]));
  return [
    ...told.values(),
    await checked('certificates', async () => {
      const places = await footing.authorities();
      return places.length === 0
        ? t`Node’s own authorities`
        : t`Node’s own authorities; if they do not vouch for a host, those of ${joined(places, ', ')}`;
    }),
  ];
}

function proxyCheck(footing: Footing, url: string): Promise<Finding> {
  return checked('proxy', async () => {
    const proxy = await footing.proxyTo(url);
    if (proxy === undefined) return t`none for ${hostLabel(url)}`;
    return t`${proxy.name} (${proxy.variable}) connects to ${hostLabel(url)}`;
  });
}

async function checked(check: string, look: () => Promise<Said>): Promise<Finding> {
  try {
    return ok(check, await look());
  } catch (error) {
    return failedBy(check, error);
  }
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
