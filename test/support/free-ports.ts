/** Ports of loopback that nobody has, for those who must know theirs before they listen. */
import { type AddressInfo, createServer } from 'node:net';

export async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  const ports: number[] = [];
  // All are open at once, so that no two are the same.
  for (const server of servers) {
    if (!server.listening) await new Promise((resolve) => server.once('listening', resolve));
    ports.push((server.address() as AddressInfo).port);
  }
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

export async function freePort(): Promise<number> {
  const [port = 0] = await freePorts(1);
  return port;
}
