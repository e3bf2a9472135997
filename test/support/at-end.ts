/** What is opened for a test is closed at its end. */
import { createServer, Server as HttpServer, type RequestListener } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { afterAll, onTestFinished } from 'vitest';

/** At the end of the test that runs, else of the file or the block that is read. What a hook begins, it ends itself. */
export function atEnd(end: () => unknown): void {
  const ended = async (): Promise<void> => {
    await end();
  };
  try {
    onTestFinished(ended);
  } catch {
    afterAll(ended);
  }
}

/** Listens on a free port of loopback until the end; returns the address. */
export async function listenOn(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(() => {
    if (server instanceof HttpServer) server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export const hostThat = (answer: RequestListener): Promise<string> =>
  listenOn(createServer(answer));
