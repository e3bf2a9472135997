/** Plugs the served sandbox together for `main.ts`, with what the operator chose. */
import type { Context } from './cli/context.ts';
import type { ServedSandbox } from './cli/serving/ports.ts';
import type { Fetch } from './contract/fetch.ts';
import type { Clock } from './domain/clock.ts';
import { ScripError } from './domain/errors.ts';
import type { FailPoint } from './domain/fail-points.ts';
import { isLoopbackHost } from './domain/loopback.ts';
import { readNamed } from './storage/user-files.ts';
import { sandboxTools } from './tool-serving.ts';

type ServeOptions = Parameters<Context['serveSandbox']>[0];

interface Parts {
  /** Where the service keeps its data, unless the operator names a folder. */
  readonly sandboxDir: string;
  readonly clock: Clock;
  readonly version: string;
  readonly network: Fetch;
  readonly failPoint: ((name: FailPoint) => void) | undefined;
  random(length: number): Uint8Array;
  report(error: unknown): void;
}

/**
 * The service of a data folder over HTTP.
 * @throws {ScripError} INPUT_INVALID for what the operator chose and cannot have
 */
export async function serveSandbox(
  parts: Parts,
  { port, host, dataDir, facilitatorUrl, ...more }: ServeOptions,
): Promise<ServedSandbox> {
  const isPrivateAllowed = more.areWebhooksPrivate ?? false;
  if (isPrivateAllowed && !isLoopbackHost(host)) {
    throw new ScripError('INPUT_INVALID', `private webhooks are refused on ${host}`, {
      hint: 'Leave --webhook-allow-private out, or bind 127.0.0.1.',
    });
  }
  const { serveSandbox: serve } = await import('./sandbox/serve.ts');
  const { createGuardedSend } = await import('./net/guarded-send.ts');
  const { readOperatorFiles } = await import('./sandbox/operator-files.ts');
  const { readRehearsal } = await import('./sandbox/faults/rehearsal.ts');
  const { clock, random, report, failPoint } = parts;
  const shared = { clock, random, report, failPoint };
  return serve({
    port,
    host,
    dataDir: dataDir ?? parts.sandboxDir,
    ...shared,
    ...readRehearsal(more, shared),
    webhooks: { send: createGuardedSend({ isPrivateAllowed }), isPrivateAllowed },
    ...agentParts(parts, more),
    ...(more.areLimitsStrict ? { traffic: {} } : {}),
    ...readOperatorFiles({
      catalog: readNamed(more.catalogFile),
      market: readNamed(more.marketFile),
      policy: readNamed(more.policyFile),
      paymentWindowMs: more.paymentWindowMs,
    }),
    ...(facilitatorUrl === undefined
      ? {}
      : { facilitator: { url: facilitatorUrl, fetch: parts.network } }),
  });
}

/** The guided purchase and the tool server, which ask their clients for one name. */
function agentParts(
  parts: Parts,
  {
    agentUserAgent,
    areLimitsStrict = false,
  }: Pick<ServeOptions, 'agentUserAgent' | 'areLimitsStrict'>,
) {
  const tools = sandboxTools(parts, { userAgent: agentUserAgent, isStrict: areLimitsStrict });
  return { tools, ...(agentUserAgent === undefined ? {} : { agentUserAgent }) };
}
