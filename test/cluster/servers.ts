/** Servers of one shop, each a process that is killed and comes back on its port, behind one balancer. */
import type { ChildProcess } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { join } from 'node:path';
import type { ServicePoint } from '../../src/domain/journal/fail-points.ts';
import type { Home } from '../support/cli.ts';
import { freePorts } from '../support/free-ports.ts';
import { served, serveSandbox } from '../support/served-sandbox.ts';
import { type Balancer, openBalancer } from './balancer.ts';

export interface Servers {
  readonly balancer: Balancer;
  /** The chain's own address; it is never killed. */
  readonly chainUrl: string;
  /** Addresses of the servers themselves. */
  readonly urls: readonly string[];
  readonly all: readonly Server[];
  /** Words of `scrip sandbox audit` for their books. */
  readonly audit: readonly string[];
  stop(): Promise<void>;
}

export interface Server {
  /** Resolves while it serves. */
  up(): Promise<void>;
  /** Kills it; when it is back, it dies once more at the point, if one is named. */
  kill(diesAt?: ServicePoint): Promise<void>;
  /** Ends it as an operator does, and starts it again. */
  replace(): Promise<void>;
  readonly ends: Ends;
  stop(): Promise<void>;
}

export interface Ends {
  kills: number;
  /** Points at which it died, as it was told to. */
  readonly points: ServicePoint[];
  /** Starts that came to nothing, such as those without a database. */
  failedStarts: number;
  /** Ends that nobody asked for. */
  readonly surprises: string[];
}

export interface ServersOptions {
  readonly count: number;
  readonly database: string;
  /** Whose program a server is when it starts; by default the present one. */
  readonly programOf?: ((index: number) => Pick<Home, 'start'>) | undefined;
}

/** @param home the chain's and the shop's data lie in it */
export async function startServers(
  home: Home,
  { count, database, programOf = () => home }: ServersOptions,
): Promise<Servers> {
  const [balancer, chain, ports] = await Promise.all([
    openBalancer(),
    serveSandbox(home, ['--chain-only', '--data', 'chain']),
    freePorts(count),
  ]);
  const data = join(home.dir, 'shop');
  const words = ['--data', data, '--chain-rpc', `${chain.url}/rpc`, '--webhook-allow-private'];
  const all = ports.map((port, index) =>
    supervise((diesAt) =>
      programOf(index).start(['sandbox', '--json', '--port', String(port), ...words], {
        env: {
          SCRIP_DATABASE_URL: database,
          ...(diesAt === undefined ? {} : { SCRIP_FAIL_POINT: diesAt }),
        },
      }),
    ),
  );
  balancer.use(ports);
  await Promise.all(all.map((server) => server.up()));
  return {
    balancer,
    chainUrl: chain.url,
    urls: ports.map((port) => `http://127.0.0.1:${port}`),
    all,
    audit: ['sandbox', 'audit', '--data', 'shop', '--database', database, '--chain-data', 'chain'],
    async stop() {
      await balancer.close();
      await Promise.all(all.map((server) => server.stop()));
      await chain.stop();
    },
  };
}

function supervise(start: (diesAt: ServicePoint | undefined) => ChildProcess): Server {
  const news = new EventEmitter();
  const ends: Ends = { kills: 0, points: [], failedStarts: 0, surprises: [] };
  let child: ChildProcess | undefined;
  let isUp = false;
  let isStopping = false;
  let asked: NodeJS.Signals | undefined;
  let nextDiesAt: ServicePoint | undefined;

  const runOnce = async (): Promise<void> => {
    const diesAt = nextDiesAt;
    nextDiesAt = undefined;
    asked = undefined;
    const started = start(diesAt);
    child = started;
    const ended = once(started, 'close');
    const serving = await served(started, true).catch((error: unknown) => String(error));
    if (typeof serving !== 'string') {
      isUp = true;
      news.emit('up');
    }
    const [code, signal] = (await ended) as [number | null, NodeJS.Signals | null];
    isUp = false;
    if (typeof serving === 'string') ends.failedStarts += 1;
    else if (asked === 'SIGKILL') ends.kills += 1;
    else if (signal === 'SIGKILL' && diesAt !== undefined) ends.points.push(diesAt);
    else if (asked === undefined || code !== 0) {
      ends.surprises.push(`${signal ?? code}: ${serving.warnings().slice(-2_000)}`);
    }
  };
  const running = (async () => {
    while (!isStopping) await runOnce();
  })();
  const up = async (): Promise<void> => {
    while (!isUp) await once(news, 'up');
  };
  const end = (signal: NodeJS.Signals): void => {
    asked = signal;
    child?.kill(signal);
  };
  return {
    up,
    ends,
    async kill(diesAt) {
      await up();
      nextDiesAt = diesAt;
      end('SIGKILL');
    },
    async replace() {
      await up();
      const back = once(news, 'up');
      end('SIGTERM');
      await back;
    },
    async stop() {
      isStopping = true;
      end('SIGTERM');
      await running;
    },
  };
}
