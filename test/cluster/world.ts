/** A shop of three servers behind one balancer, and who receives its webhooks. */
import { makeHome } from '../support/cli.ts';
import { type ServersOptions, startServers } from './servers.ts';
import { openReceiver } from './webhook-receiver.ts';

export const SERVERS = 3;

export type World = Awaited<ReturnType<typeof openWorld>>;

/** @param database its address; the database is the caller's, and is removed after the world is closed */
export async function openWorld(
  database: string,
  { count = SERVERS, programOf }: Partial<Pick<ServersOptions, 'count' | 'programOf'>> = {},
) {
  const home = makeHome();
  const receiver = await openReceiver();
  const servers = await startServers(home, { count, database, programOf });
  const close = async (): Promise<void> => {
    await servers.stop();
    receiver.close();
  };
  return { home, servers, receiver, close };
}
