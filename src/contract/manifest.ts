/** The documents that a host publishes about itself; no standard defines the first one's content. */
import { z } from 'zod';
import { endpoint, type Infer, lazy } from './endpoint.ts';
import { object } from './object.ts';

/** Only the payment wallets are read: real hosts list one or several (x402 v2 defines no field for them). */
export const hostManifest = lazy(() =>
  z.looseObject({
    payTo: z.union([z.string(), z.array(z.string()), z.looseObject({})]).optional(),
    accepts: z.array(z.looseObject({ payTo: z.string().optional() })).optional(),
  }),
);

export type WireHostManifest = Infer<typeof hostManifest>;

export const getManifest = endpoint({
  name: 'getManifest',
  method: 'GET',
  path: '/.well-known/x402.json',
  summary: 'Terms of payment',
  input: object(() => ({})),
  output: hostManifest,
});

/** Documents about the host for programs that look for one; their forms are others' (docs/automate/discovery.md). */
export const DOCUMENT_PATHS = {
  openApi: '/openapi.json',
  resources: '/.well-known/x402',
  card: '/.well-known/agent-card.json',
  llms: '/llms.txt',
} as const;
