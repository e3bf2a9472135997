/** Connects the parts of a served sandbox for `main.ts`, with the operator's options. */

import type { SandboxServing } from '../cli/serving/ports.ts';
import type { Fetch } from '../contract/fetch.ts';
import { readNamed } from '../disk/user-files.ts';
import { isLoopbackHost } from '../domain/address/loopback.ts';
import type { FailPoint } from '../domain/journal/fail-points.ts';
import { ScripError } from '../domain/message/errors.ts';
import { t } from '../domain/message/message.ts';
import type { ServedSandbox } from '../domain/operator/operator.ts';
import type { SandboxOptions } from '../sandbox/sandbox.ts';
import { type ServerParts, serviceTools } from './tool-serving.ts';

interface Parts extends ServerParts {
  /** The service's data folder, unless the operator names another. */
  readonly sandboxDir: string;
  readonly network: Fetch;
  readonly failPoint: ((name: FailPoint) => void) | undefined;
  readonly finalSlots: number | undefined;
  report(error: unknown): void;
}

/**
 * Serves a sandbox over HTTP from a data folder.
 * @throws {ScripError} INPUT_INVALID for invalid options of the operator
 */
export async function serveSandbox(
  parts: Parts,
  { port, host, dataDir, database, ...more }: SandboxServing,
): Promise<ServedSandbox> {
  const isPrivateAllowed = more.areWebhooksPrivate ?? false;
  if (isPrivateAllowed && !isLoopbackHost(host)) {
    throw new ScripError('INPUT_INVALID', t`Private webhooks are refused on ${host}`, {
      hint: t`Leave --webhook-allow-private out, or bind 127.0.0.1.`,
    });
  }
  const { serveSandbox: serve } = await import('../sandbox/serve.ts');
  const { createGuardedSend } = await import('../net/guarded-send.ts');
  const { readRehearsal } = await import('../sandbox/faults/rehearsal.ts');
  const { clock, random, report, failPoint, finalSlots } = parts;
  const { agentUserAgent: userAgent } = more;
  const shared = { clock, random, report, failPoint };
  return serve({
    port,
    host,
    dataDir: dataDir ?? parts.sandboxDir,
    database,
    ...shared,
    finalSlots,
    ...readRehearsal(more, shared),
    webhooks: { send: createGuardedSend({ isPrivateAllowed }), isPrivateAllowed },
    // The guided purchase and the tool server refuse clients without the configured User-Agent.
    tools: serviceTools(parts, { userAgent, isStrict: more.areLimitsStrict ?? false }),
    ...(userAgent === undefined ? {} : { agentUserAgent: userAgent }),
    ...(more.areLimitsStrict ? { traffic: {} } : {}),
    trustedProxies: more.trustedProxies,
    ...(await catalogPart(readNamed(more.catalogFile))),
    partner: { paymentWindowMs: more.paymentWindowMs },
    ...(more.chainRpcUrl === undefined
      ? {}
      : { chainRpc: { url: more.chainRpcUrl, fetch: parts.network } }),
    ...(await settlingParts(parts, more)),
  });
}

/** @throws {ScripError} CATALOG_INVALID */
async function catalogPart(text: string | undefined) {
  if (text === undefined) return {};
  const { loadCatalogFile } = await import('../service/catalog/catalog-file.ts');
  const { sandboxRates } = await import('../sandbox/rates.ts');
  return { catalog: loadCatalogFile(text, sandboxRates) };
}

/** Serves only the embedded chain. */
export async function serveChain(
  { sandboxDir, ...parts }: Pick<Parts, 'sandboxDir' | 'clock' | 'finalSlots' | 'report'>,
  { port, host, dataDir = sandboxDir }: Pick<SandboxServing, 'port' | 'host' | 'dataDir'>,
): Promise<Pick<ServedSandbox, 'url' | 'close'>> {
  const { serveChain: serve } = await import('../sandbox/serve.ts');
  return serve({ port, host, dataDir, ...parts });
}

/**
 * Which facilitator settles payments.
 * @throws {ScripError} INPUT_INVALID, WALLET_UNSAFE for a token file that other users can read
 */
async function settlingParts(
  { network, clock }: Parts,
  { facilitatorUrl, facilitatorTokenFile, feePayerFloor }: Partial<SandboxServing>,
): Promise<Pick<SandboxOptions, 'facilitator' | 'feePayerFloor'>> {
  if (facilitatorUrl !== undefined) {
    const token =
      facilitatorTokenFile === undefined
        ? undefined
        : (await import('../wallet/token-file.ts')).readToken(facilitatorTokenFile);
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const { createFacilitatorClient } = await import('../rails/facilitator-http.ts');
    const address = { url: facilitatorUrl, headers, fetch: network, clock };
    return { facilitator: createFacilitatorClient(address) };
  }
  return { feePayerFloor };
}
