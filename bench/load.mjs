// Requests over connections that stay open, and what a process took of the processor meanwhile. Answers
// are counted by their length, which is that of the first: a client that parsed them would be what is measured.
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';

const HEAD_END = Buffer.from('\r\n\r\n');

/** The bytes of a GET. */
export function getText(url, headers = {}) {
  const { host, pathname, search } = new URL(url);
  const lines = Object.entries({ Host: host, ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  return `GET ${pathname}${search} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
}

function lengthOf(bytes) {
  const end = bytes.indexOf(HEAD_END);
  if (end < 0) return undefined;
  const head = bytes.toString('latin1', 0, end);
  const body = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
  return end + HEAD_END.length + body;
}

/** Opens the connections; `run` sends for a while, `close` ends them. */
export async function openLoad(url, { text, connections = 16 }) {
  const { hostname, port } = new URL(url);
  const request = Buffer.from(text);
  let answered = 0;
  let isRunning = false;
  let idle = 0;
  let rested = () => undefined;
  let times = [];
  const sockets = await Promise.all(
    Array.from({ length: connections }, async () => {
      const socket = connect({ host: hostname, port: Number(port), noDelay: true });
      await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
      let length;
      let first = [];
      let read = 0;
      let sentAt = 0;
      const send = () => {
        sentAt = performance.now();
        socket.write(request);
      };
      socket.on('data', (chunk) => {
        read += chunk.length;
        if (length === undefined) {
          first.push(chunk);
          length = lengthOf(first.length === 1 ? chunk : Buffer.concat(first));
          if (length === undefined) return;
          first = [];
        }
        if (read < length) return;
        if (read > length) throw new Error('an answer of another length');
        read = 0;
        // The first answer of a new version of the rates has another head.
        length = undefined;
        answered += 1;
        times.push(performance.now() - sentAt);
        if (isRunning) send();
        else {
          idle += 1;
          if (idle === connections) rested();
        }
      });
      return { socket, send };
    }),
  );
  return {
    /** Answers a second, what each took, and microseconds of the server's processor for each. */
    async run(ms, pid) {
      const before = { answered, cpu: cpuMsOf(pid), at: performance.now() };
      isRunning = true;
      idle = 0;
      times = [];
      for (const { send } of sockets) send();
      await new Promise((resolve) => setTimeout(resolve, ms));
      const seconds = (performance.now() - before.at) / 1_000;
      const count = answered - before.answered;
      isRunning = false;
      await new Promise((resolve) => {
        rested = resolve;
      });
      const cpu = cpuMsOf(pid);
      const all = answered - before.answered;
      return {
        perSecond: count / seconds,
        times,
        cpuUs: cpu === undefined ? undefined : ((cpu - before.cpu) * 1_000) / all,
      };
    },
    close() {
      for (const { socket } of sockets) socket.destroy();
    },
  };
}

/** Linux counts in hundredths of a second; elsewhere it is not told. */
export function cpuMsOf(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    return undefined;
  }
}
