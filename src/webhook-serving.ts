/** Connects webhooks for `main.ts`: receiving, forwarding and their secrets. */
import type { WebhookParts } from './cli/serving/ports.ts';
import { isOwnAddress } from './domain/public-address.ts';

/** Receives on this machine only. */
const HOST = '127.0.0.1';

/**
 * Connects the parts.
 * @param environmentSecret SCRIP_WEBHOOK_SECRET, which `main.ts` removed from the environment
 */
export function webhookParts(environmentSecret: string | undefined): WebhookParts {
  return {
    environmentSecret,
    async receive({ port, handler }) {
      const { listen } = await import('./service/node.ts');
      const { url, close } = await listen({ port, host: HOST, handler });
      return { url, close };
    },
    async sender({ isAnywhere }) {
      const { createGuardedSend } = await import('./net/guarded-send.ts');
      const rules = isAnywhere ? {} : { isAddressAllowed: isOwnAddress };
      return createGuardedSend({ isPrivateAllowed: true, ...rules });
    },
    async sandboxSecrets(dataDir) {
      const { openSecrets } = await import('./sandbox/secrets.ts');
      const { createWebhookKeys, signedHeaders } = await import('./service/webhook-signature.ts');
      const keys = createWebhookKeys(openSecrets(dataDir)('webhooks'));
      return { ...keys, headersOf: (message) => signedHeaders(keys, message) };
    },
  };
}
