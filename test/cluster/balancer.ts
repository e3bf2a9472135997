/** Round-robin over TCP, as the simplest load balancer does: who does not take a connection is passed over. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export type Balancer = Awaited<ReturnType<typeof openBalancer>>;

export async function openBalancer() {
  let ports: readonly number[] = [];
  let next = 0;
  let cuts = 0;
  const open = new Set<Socket>();
  const server = createServer({ noDelay: true }, async (client) => {
    open.add(client);
    client.once('close', () => open.delete(client));
    client.on('error', () => client.destroy());
    const backend = await connectToOne(ports, next++);
    if (backend === undefined || client.destroyed) {
      client.destroy();
      backend?.destroy();
      return;
    }
    open.add(backend);
    backend.once('close', () => open.delete(backend));
    backend.on('error', () => {
      cuts += 1;
      client.destroy();
    });
    client.once('close', () => backend.destroy());
    client.pipe(backend).pipe(client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Servers that get new connections from now on; those that are open stay. */
    use: (known: readonly number[]) => {
      ports = known;
    },
    /** Connections to a server that ended by a reset. */
    cuts: () => cuts,
    async close() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}

async function connectToOne(ports: readonly number[], first: number): Promise<Socket | undefined> {
  for (let tried = 0; tried < ports.length; tried += 1) {
    const port = ports[(first + tried) % ports.length] ?? 0;
    const socket = connect({ host: '127.0.0.1', port, noDelay: true });
    try {
      await once(socket, 'connect');
      return socket;
    } catch {
      socket.destroy();
    }
  }
  return undefined;
}
