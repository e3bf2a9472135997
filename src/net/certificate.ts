/** When the certificate ends that an https address shows to clients. */

import { isIP } from 'node:net';
import { connect } from 'node:tls';

const TIMEOUT_MS = 10_000;
const HTTPS_PORT = 443;

/** Undefined where nothing answers; now for one that clients refuse for its name or its issuer. */
export function certificateEndsAtMs(url: string, nowMs: number): Promise<number | undefined> {
  const { hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const servername = isIP(host) === 0 ? host : '';
  return new Promise((resolve) => {
    const place = { host, port: Number(port || HTTPS_PORT), servername };
    const socket = connect({ ...place, rejectUnauthorized: false });
    const end = (atMs: number | undefined) => {
      socket.destroy();
      resolve(atMs);
    };
    socket.setTimeout(TIMEOUT_MS, () => end(undefined));
    socket.once('error', () => end(undefined));
    socket.once('secureConnect', () => {
      const endsAtMs = Date.parse(socket.getPeerCertificate().valid_to);
      end(socket.authorized ? endsAtMs : Math.min(endsAtMs, nowMs));
    });
  });
}
