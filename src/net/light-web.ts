/**
 * The web's `Request`, `Response` and `Headers` without Node's own, which bring a whole HTTP client:
 * some 60 ms before the first answer of a service that is in this very process.
 */
import { LightHeaders } from './light-headers.ts';
import { LightRequest, LightResponse } from './light-message.ts';

/**
 * Puts light ones in place of the global ones. They have what our service, its framework and our
 * client use, and no more: not for a process that serves the network.
 */
export function lightenWeb(scope: object): void {
  const light = { Headers: LightHeaders, Request: LightRequest, Response: LightResponse };
  for (const [name, value] of Object.entries(light)) {
    Object.defineProperty(scope, name, { value, configurable: true, writable: true });
  }
}
