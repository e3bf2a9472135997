/** A host in front of a served sandbox, which answers and hears in shapes of its own. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface FrontHost {
  readonly url: string;
  /** Method and path of every request so far. */
  readonly asked: string[];
  close(): Promise<void>;
}

export interface Manners {
  /** The body that is passed on in place of one that came. */
  readonly hear?: (path: string, body: string) => string;
  /** What is answered in place of the service's answer; of a stream, its headers alone. */
  readonly answer?: (path: string, reply: FrontReply, method: string) => FrontReply;
  /** What is sent in place of one event of a stream, as its lines stand without the empty one. */
  readonly event?: (path: string, lines: string) => string;
}

export interface FrontReply {
  readonly status: number;
  /** The parsed JSON, or the text of anything else. */
  readonly body: unknown;
  /** Those that are passed back, in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

const UNPASSED = [
  'connection',
  // The body is passed on unpacked.
  'content-encoding',
  'content-length',
  'host',
  'transfer-encoding',
  'keep-alive',
  'date',
];

export async function openFrontHost(behind: string, manners: Manners): Promise<FrontHost> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const serve = async (): Promise<void> => {
      const { method = 'GET', url = '/' } = request;
      asked.push(`${method} ${url}`);
      const text = await bodyOf(request);
      const reply = await fetch(behind + url, {
        method,
        headers: headersOf(Object.entries(request.headers)),
        ...(text === '' ? {} : { body: manners.hear?.(url, text) ?? text }),
      });
      const isStream = /event-stream/.test(reply.headers.get('content-type') ?? '');
      const honest: FrontReply = {
        status: reply.status,
        body: isStream ? '' : parsed(await reply.text()),
        headers: headersOf([...reply.headers]),
      };
      const given = manners.answer?.(url, honest, method) ?? honest;
      response.writeHead(given.status, given.headers);
      if (isStream) {
        for await (const lines of eventsOf(reply)) {
          response.write(`${manners.event?.(url, lines) ?? lines}\n\n`);
        }
        response.end();
        return;
      }
      response.end(typeof given.body === 'string' ? given.body : JSON.stringify(given.body));
    };
    serve().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function* eventsOf(reply: Response): AsyncGenerator<string> {
  let rest = '';
  for await (const piece of reply.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const events = (rest + piece).split('\n\n');
    rest = events.pop() ?? '';
    yield* events;
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  return text;
}

function headersOf(entries: readonly (readonly [string, unknown])[]): Record<string, string> {
  const kept = entries.filter(([name, value]) => value !== undefined && !UNPASSED.includes(name));
  return Object.fromEntries(kept.map(([name, value]) => [name, String(value)]));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
