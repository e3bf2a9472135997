/** Streams of events, nearly right: whatever arrives, a connection has an end of a known kind. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readStream } from '../../../src/api/http/event-stream.ts';
import type { Fetch } from '../../../src/contract/fetch.ts';
import { fuzzRuns } from '../../support/fuzz.ts';
import { manualClock } from '../../support/manual-clock.ts';
import { garbled } from '../../support/mutation.ts';

const SLOW_MS = 600_000;
const GOOD = [
  'retry: 1000\nid: 1\ndata: {"order_state":"Done"}\n\n',
  ': comment\r\nevent: message\r\ndata: a\r\ndata: b\r\n\r\n',
  'event: stop\ndata:\n\n',
].join('');

/** Bytes of text and of none, cut anywhere. */
const bodies = fc
  .tuple(
    fc.oneof(
      garbled(GOOD).map((text) => Buffer.from(text)),
      fc.string({ unit: 'binary' }).map((text) => Buffer.from(text)),
      fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
    ),
    fc.array(fc.nat(300), { maxLength: 6 }),
  )
  .map(([bytes, cuts]) => {
    const places = [0, ...cuts.toSorted((one, other) => one - other), bytes.length];
    return places.slice(1).map((end, index) => bytes.subarray(places[index], end));
  });

it(
  'a stream of any bytes ends, and is told only texts',
  async () => {
    const status = fc.constantFrom(200, 200, 200, 204, 401, 404, 500, 502);
    const types = fc.constantFrom('text/event-stream', 'text/event-stream; charset=x', 'text/html');
    await fc.assert(
      fc.asyncProperty(bodies, status, types, async (chunks, code, type) => {
        const fetch: Fetch = async () => {
          const body = new ReadableStream<Uint8Array>({
            start(controller) {
              for (const chunk of chunks) controller.enqueue(chunk);
              controller.close();
            },
          });
          const headers = { 'content-type': type };
          return new Response(code === 204 ? null : body, { status: code, headers });
        };
        const messages: unknown[] = [];
        const { kind } = await readStream({
          fetch,
          url: 'https://api.example/stream',
          headers: {},
          lastEventId: '',
          clock: manualClock(),
          message: ({ data, id }) => messages.push(data, id),
        });
        expect(['stopped', 'absent', 'refused', 'broken']).toContain(kind);
        expect(messages.filter((text) => typeof text !== 'string')).toEqual([]);
      }),
      { numRuns: fuzzRuns(100) },
    );
  },
  SLOW_MS,
);
