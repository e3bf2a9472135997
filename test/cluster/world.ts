/** A shop of three servers behind one balancer, and who receives its webhooks. */
import { type Home, makeHome } from '../support/cli.ts';
import { type Servers, startServers } from './servers.ts';
import { openReceiver, type WebhookReceiver } from './webhook-receiver.ts';

export const SERVERS = 3;

export interface World {
  readonly home: Home;
  readonly servers: Servers;
  readonly receiver: WebhookReceiver;
  close(): Promise<void>;
}

/** @param database its address; the database is the caller's, and is removed after the world is closed */
export async function openWorld(database: string): Promise<World> {
  const home = makeHome();
  const receiver = await openReceiver();
  const servers = await startServers(home, { count: SERVERS, database });
  return {
    home,
    servers,
    receiver,
    async close() {
      await servers.stop();
      await receiver.close();
    },
  };
}
