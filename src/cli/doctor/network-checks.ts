/** Checks of the checkout host, the chain, and this machine's clock against them. */
import { type Message, type Said, t } from '../../domain/message.ts';
import type { RailHealth } from '../../rails/rail.ts';
import type { With } from '../context.ts';
import { type Finding, fail, failedBy, ok, warn } from './finding.ts';

const TIMEOUT_MS = 15_000;
const CAP_BYTES = 1024 * 1024;
/** Public, small, and part of the interface on every host. */
const MANIFEST_PATH = '/.well-known/x402.json';

/** A payment request is valid for 60 s: with a clock off by that much, none or every one looks expired. */
const CLOCK_FAILS_MS = 60_000;
/** The chain's newest finalized block is about 13 s old. */
const CLOCK_WARNS_MS = 30_000;

/** Whether the host answers, what its manifest says, and its time; null if it sends none. */
export async function serviceChecks({
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
  const { parseJson } = await import('../../api/http/exchange.ts');
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
export async function chainChecks({ parts }: With<'parts'>): Promise<{
  readonly findings: readonly Finding[];
  readonly health: RailHealth | undefined;
}> {
  try {
    const health = await (await parts.rail()).health();
    return { findings: health.nodes.flatMap((node) => nodeFindings(node)), health };
  } catch (error) {
    return { findings: [failedBy('rpc', error)], health: undefined };
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
