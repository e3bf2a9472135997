/** Connects the tool server (MCP) for `main.ts`: in a served sandbox, or as `scrip mcp`. */
import type { ToolServer } from '../cli/serving/ports.ts';
import type { Clock } from '../domain/clock.ts';
import { RATE_LIMITS, type RateLimit } from '../domain/rate-limit.ts';
import type { OpenTools } from '../service/http/serving.ts';

/** What every server is given by the process. */
export interface ServerParts {
  readonly clock: Clock;
  readonly version: string;
  random(length: number): Uint8Array;
}

/** Factor for the rate limits: scripts test against the sandbox faster than a user would. */
const GENEROUS_FACTOR = 1_000;
const LOOPBACK = '127.0.0.1';
const KEY_BYTES = 32;

/** The tool server of a served sandbox or shop. */
export function serviceTools(
  parts: ServerParts,
  { userAgent, isStrict }: { readonly userAgent: string | undefined; readonly isStrict: boolean },
): OpenTools {
  return async (home) => {
    const { createServiceTools } = await import('../mcp/service-tools.ts');
    return createServiceTools({
      ...parts,
      ...home,
      userAgent,
      rate: isStrict ? RATE_LIMITS.toolRequestsByAddress : generous(),
    });
  };
}

function generous(): RateLimit {
  const { count, windowMs } = RATE_LIMITS.toolRequestsByAddress;
  return { count: count * GENEROUS_FACTOR, windowMs };
}

interface Streams {
  /** A function, because `process.stdin` opens when it is read. */
  readonly input: () => NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly interrupted: AbortSignal;
}

/** The tool server of `scrip mcp`. */
export function localToolServer(parts: ServerParts, streams: Streams): ToolServer {
  const { clock, version, random } = parts;
  return {
    async manifest(options) {
      const { describeTools } = await import('../mcp/describe-tools.ts');
      const { localTools } = await import('../mcp/local-tools.ts');
      return describeTools(localTools(options));
    },
    async serveStdio(options) {
      const { localServer } = await import('../mcp/local-tools.ts');
      const { serveStdio } = await import('../mcp/stdio.ts');
      const input = streams.input();
      await serveStdio({
        ...localServer({ ...options, version, stateKey: random(KEY_BYTES) }),
        clock,
        ...streams,
        input,
      });
    },
    async serveHttp({ port, ...options }) {
      const { localServer } = await import('../mcp/local-tools.ts');
      const { createToolEndpoint } = await import('../mcp/http.ts');
      const { listen } = await import('../service/http/node.ts');
      const { uuid } = await import('../domain/uuid.ts');
      // A client that may pay spends money, and codes are worth money: both need a token.
      const isGuarded = options.mayPay || options.areCodesShown;
      const token = isGuarded ? Buffer.from(random(KEY_BYTES)).toString('hex') : undefined;
      const open = (baseUrl: string) =>
        createToolEndpoint({
          ...localServer({ ...options, version, stateKey: random(KEY_BYTES) }),
          baseUrl,
          userAgent: options.agentUserAgent,
          authorization: token === undefined ? undefined : `Bearer ${token}`,
          clock,
          rate: generous(),
          newSessionId: () => uuid(random(16)),
          ownerOf: () => '',
          backendFor: () => options.backend,
        });
      let endpoint: ReturnType<typeof open> | undefined;
      const server = await listen({
        handler: async (request, { address = '' }) =>
          (await endpoint?.handle(request, address)) ?? new Response(null, { status: 404 }),
        port,
        host: LOOPBACK,
      });
      endpoint = open(server.url);
      return {
        url: server.url,
        token,
        async close() {
          await endpoint?.close();
          await server.close();
        },
      };
    },
  };
}
