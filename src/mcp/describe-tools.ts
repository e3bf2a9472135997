/** The tool manifest, which a client can read before it connects. */
import { purchaseElicitation } from '../contract/agent.ts';
import {
  ANALYTICS_EVENTS,
  TOOL_MANIFEST_VERSION,
  TOOL_SERVER_PATHS,
  type WireToolManifest,
} from '../contract/tool-manifest.ts';
import { PURCHASE_PROMPT } from './prompt.ts';
import type { Tool } from './tools.ts';

export const SERVER_NAME = 'scrip';

export function describeTools(tools: readonly Tool[]): WireToolManifest {
  return {
    name: SERVER_NAME,
    version: TOOL_MANIFEST_VERSION,
    description: 'Buys gift cards, mobile top-ups and eSIMs with cryptocurrency.',
    paths: [...TOOL_SERVER_PATHS],
    tools: tools.map(({ run: _, ...told }) => told),
    prompts: [PURCHASE_PROMPT],
    wizard: { tool: purchaseElicitation.name, method: 'POST', path: purchaseElicitation.path },
    analytics: { session_tracking: true, events: [...ANALYTICS_EVENTS] },
  };
}
