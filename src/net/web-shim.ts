/**
 * The web's `Request`, `Response` and `Headers` without Node's own, which bring a whole HTTP client:
 * some 60 ms before the first answer of a service that is in this very process.
 */
import { ShimHeaders } from './web-headers.ts';
import { ShimRequest, ShimResponse } from './web-messages.ts';

/**
 * Replaces the global classes with these light ones. They have what our service, its framework and our
 * client use, and no more: not for a process that serves the network.
 */
export function installWebShim(scope: object): void {
  const light = { Headers: ShimHeaders, Request: ShimRequest, Response: ShimResponse };
  for (const [name, value] of Object.entries(light)) {
    Object.defineProperty(scope, name, { value, configurable: true, writable: true });
  }
}
