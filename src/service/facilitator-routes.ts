/** The facilitator over HTTP, with the three calls and bodies of x402 v2. */
import type { Hono } from 'hono';
import { firstFault } from '../contract/plain-issues.ts';
import { type FacilitatorRequest, facilitatorRequest } from '../contract/x402.ts';
import { isRefusal, type Refusal, refuse } from './errors.ts';
import type { Limits, ServiceOptions } from './options.ts';
import { jsonReply, PRIVATE_HEADERS } from './reply.ts';
import { answer, readJson } from './route.ts';

type Host = Pick<ServiceOptions, 'facilitator'> & { readonly limits: Limits };

/** Path of each call, for the router and for the index. */
export const FACILITATOR_PATHS = {
  supported: '/supported',
  verify: '/verify',
  settle: '/settle',
} as const;

export function facilitatorRoutes(app: Hono, host: Host): void {
  const { facilitator } = host;
  app.get(FACILITATOR_PATHS.supported, () =>
    answer(async () => jsonReply(await facilitator.supported())),
  );
  post(app, host, FACILITATOR_PATHS.verify, ({ paymentPayload, paymentRequirements }) =>
    facilitator.verify(paymentPayload, paymentRequirements),
  );
  post(app, host, FACILITATOR_PATHS.settle, ({ paymentPayload, paymentRequirements }) =>
    facilitator.settle(paymentPayload, paymentRequirements),
  );
}

/** A refusal by the facilitator is 200 with its reason, as in the reference; 400 is for bodies alone. */
function post(
  app: Hono,
  host: Host,
  path: string,
  call: (request: FacilitatorRequest) => Promise<unknown>,
): void {
  app.post(path, (context) =>
    answer(async () => {
      const request = await readRequest(context.req.raw, host.limits);
      if (isRefusal(request)) return request;
      return jsonReply(await call(request), 200, PRIVATE_HEADERS);
    }),
  );
}

async function readRequest(
  request: Request,
  limits: Limits,
): Promise<FacilitatorRequest | Refusal> {
  const body = await readJson(request, limits);
  if (isRefusal(body)) return body;
  const parsed = facilitatorRequest().safeParse(body.value);
  return parsed.success
    ? parsed.data
    : refuse('invalid_request', firstFault(facilitatorRequest(), body.value));
}
