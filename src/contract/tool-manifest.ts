/** Surface C, the tool manifest (interface: Versioning 4, Events 3, Agent tool server). */
import { z } from 'zod';
import { type Infer, lazy } from './endpoint.ts';
import { strictObject } from './object.ts';

/** Interface: Versioning, 4. */
export const TOOL_MANIFEST_VERSION = '2025-06-18';

/** Interface: Events, 3. */
export const ANALYTICS_EVENTS = [
  'product_viewed',
  'order_started',
  'payment_initiated',
  'order_completed',
] as const;

/** Two paths of one server (ours: the interface names only the wizard's path). */
export const TOOL_SERVER_PATHS = ['/mcp', '/mcp/http'] as const;
export const TOOL_MANIFEST_PATH = '/mcp/manifest.json';

/** Interface: prompt `purchaseGiftCard`; all arguments are strings and required. */
export const PROMPT_NAME = 'purchaseGiftCard';
export const PROMPT_ARGUMENTS = ['brand', 'amount', 'country', 'coin', 'network', 'email'] as const;
export type PromptArgument = (typeof PROMPT_ARGUMENTS)[number];

/** What a client may assume of a tool; all hints are always set. */
export const toolAnnotations = strictObject(() => ({
  title: z.string(),
  readOnlyHint: z.boolean(),
  destructiveHint: z.boolean(),
  idempotentHint: z.boolean(),
  openWorldHint: z.boolean(),
}));
export type WireToolAnnotations = Infer<typeof toolAnnotations>;

/** A JSON Schema of draft 7 for an object. */
const objectSchema = lazy(() => z.looseObject({ type: z.literal('object') }));

export const toolManifest = strictObject(() => ({
  name: z.string(),
  version: z.literal(TOOL_MANIFEST_VERSION),
  description: z.string(),
  /** Paths that serve MCP over Streamable HTTP. */
  paths: z.array(z.string()),
  tools: z.array(
    z.strictObject({
      name: z.string(),
      title: z.string(),
      description: z.string(),
      inputSchema: objectSchema(),
      outputSchema: objectSchema(),
      annotations: toolAnnotations(),
    }),
  ),
  prompts: z.array(
    z.strictObject({
      name: z.string(),
      title: z.string(),
      description: z.string(),
      arguments: z.array(
        z.strictObject({
          name: z.enum(PROMPT_ARGUMENTS),
          description: z.string(),
          required: z.boolean(),
        }),
      ),
    }),
  ),
  wizard: z.strictObject({ tool: z.string(), method: z.literal('POST'), path: z.string() }),
  analytics: z.strictObject({
    session_tracking: z.boolean(),
    events: z.array(z.enum(ANALYTICS_EVENTS)),
  }),
}));
export type WireToolManifest = Infer<typeof toolManifest>;
