/** An upgrade without a pause: each server is taken out of the balancer, ended, started anew and taken in again. */
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { signerFromSeed } from '../../src/rails/solana/ed25519.ts';
import { HEADERS, orderBody, via } from '../support/partner-sandbox.ts';
import { type OwnPostgres, startOwnPostgres } from '../support/postgres-server.ts';
import { fundAt } from '../support/shop.ts';
import { buyAsProgram } from './partner-program.ts';
import { openWorld, type World } from './world.ts';

const CALLERS = 4;

let postgres: OwnPostgres;
let world: World;

beforeAll(async () => {
  postgres = await startOwnPostgres();
  world = await openWorld(postgres.address);
});
afterAll(async () => {
  await world.close();
  await postgres.remove();
});

it('three servers are replaced one after another, and no request fails', async () => {
  const { servers, receiver } = world;
  const { url } = servers.balancer;
  const ports = servers.urls.map((each) => Number(new URL(each).port));
  const answers = new Map<string, number>();
  let isOver = false;
  const note = (answer: string) => answers.set(answer, (answers.get(answer) ?? 0) + 1);
  const body = JSON.stringify(orderBody({ payment: via('BTC', 'Mainnet') }));
  const caller = async (_: unknown, index: number): Promise<void> => {
    while (!isOver) {
      const asked =
        index % 2 === 0 ? call(`${url}/v5/orders`, body) : call(`${url}/v1/brands?country_code=us`);
      note(await asked);
    }
  };
  let bought = 0;
  const buyer = async (): Promise<void> => {
    while (!isOver) {
      const seed = new Uint8Array(32).fill(bought + 1);
      await fundAt(servers.chainUrl, signerFromSeed(seed).address, '200', '0.01');
      const email = `rolling-${bought}@example.com`;
      const report = await buyAsProgram({
        ...{ baseUrl: url, email, seed, notificationUrl: receiver.url },
      });
      expect([report.vouchers.length, report.seqs]).toEqual([
        1,
        [...report.seqs.keys()].map((at) => at + 1),
      ]);
      bought += 1;
    }
  };
  const callers = Array.from({ length: CALLERS }, caller);
  const buying = buyer();
  for (const [index, server] of servers.all.entries()) {
    servers.balancer.use(ports.filter((_, other) => other !== index));
    await server.replace();
    servers.balancer.use(ports);
  }
  isOver = true;
  await Promise.all([...callers, buying]);
  console.log(
    `  ${[...answers].map(([answer, count]) => `${answer}: ${count}`).join(', ')}; ${bought} orders bought`,
  );
  expect([...answers.keys()]).toEqual(['200']);
  expect(bought).toBeGreaterThan(0);
  expect(servers.all.flatMap(({ ends }) => ends.surprises)).toEqual([]);
});

/** The status, or why there is none; each call has a connection of its own. */
function call(url: string, body?: string): Promise<string> {
  const headers = { ...HEADERS, 'content-type': 'application/json' };
  return new Promise((resolve) => {
    const outgoing = request(
      url,
      { method: body === undefined ? 'GET' : 'POST', agent: false, headers },
      (reply) => {
        text(reply).then(
          () => resolve(String(reply.statusCode)),
          (error: unknown) => resolve(String(error)),
        );
      },
    );
    outgoing.once('error', (error) => resolve(String(error)));
    outgoing.end(body);
  });
}
