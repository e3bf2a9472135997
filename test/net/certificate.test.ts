/** When the certificate of an https address ends. */
import { createServer as createTcpServer } from 'node:net';
import { createServer } from 'node:tls';
import { expect, it } from 'vitest';
import { certificateEndsAtMs } from '../../src/net/certificate.ts';
import { listenOn } from '../support/at-end.ts';
import { createPrivateCa } from '../support/private-ca.ts';

const NOW_MS = Date.UTC(2026, 0, 1);

it('of an issuer that clients do not trust has ended', async () => {
  const url = await listenOn(createServer(createPrivateCa().issue('127.0.0.1')));
  expect(await certificateEndsAtMs(url.replace('http', 'https'), NOW_MS)).toBe(NOW_MS);
});

it('is unknown where nothing answers, or something else', async () => {
  expect(await certificateEndsAtMs('https://127.0.0.1:1', NOW_MS)).toBeUndefined();
  const url = await listenOn(createTcpServer((socket) => socket.end('no\n')));
  expect(await certificateEndsAtMs(url.replace('http', 'https'), NOW_MS)).toBeUndefined();
});
