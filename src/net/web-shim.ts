/**
 * Replaces the global `Request`, `Response` and `Headers`. Node's own load a whole HTTP client: about 60 ms
 * before the first response of a service in this process.
 */
import { ShimHeaders } from './web-headers.ts';
import { ShimRequest, ShimResponse } from './web-messages.ts';

/**
 * Replaces the global classes with small ones that support only what our service, its framework and our
 * client use. Not for a process that serves the network.
 */
export function installWebShim(scope: object): void {
  const light = { Headers: ShimHeaders, Request: ShimRequest, Response: ShimResponse };
  for (const [name, value] of Object.entries(light)) {
    Object.defineProperty(scope, name, { value, configurable: true, writable: true });
  }
}
