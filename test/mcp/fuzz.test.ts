/** Arguments of every tool, nearly right and not at all: a result, or an error of ours. */
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { Fetch } from '../../src/contract/fetch.ts';
import { ScripError } from '../../src/domain/message/errors.ts';
import { localTools } from '../../src/mcp/local-tools.ts';
import { fuzzRuns } from '../support/fuzz.ts';
import { mutated } from '../support/mutation.ts';
import { partnerSandbox } from '../support/partner-sandbox.ts';
import { backendOver, complaint, goodCalls, runWhole, toolOf } from '../support/tool-world.ts';

const RUNS = { numRuns: fuzzRuns(100) };
const SLOW_MS = 900_000;
const TOOLS = localTools({ mayPay: true, areCodesShown: false });

const shop = await partnerSandbox();
afterAll(() => shop.close());
const fetch: Fetch = async (url, init) => shop.current().handle(new Request(url, init));
const backend = backendOver(fetch);
const GOOD = goodCalls(crypto.randomUUID());

class Refused {
  readonly code: string;
  constructor(code: string) {
    this.code = code;
  }
}

/** Anything but an error of ours is the fault that is looked for. */
function codeOf(error: unknown): Refused {
  if (error instanceof ScripError) return new Refused(error.code);
  throw error;
}

describe('arguments of a tool', () => {
  it.each(TOOLS.map(({ name }) => name))(
    '%s are taken or refused by a code',
    async (name) => {
      const { outputSchema } = toolOf(TOOLS, name);
      const args = fc.oneof(mutated(GOOD[name] ?? {}), fc.jsonValue());
      await fc.assert(
        fc.asyncProperty(args, async (given) => {
          const told = await runWhole(TOOLS, backend, name, given).catch(codeOf);
          if (told instanceof Refused) expect(told.code).not.toBe('INTERNAL');
          else expect(complaint(outputSchema, told)).toBeUndefined();
        }),
        RUNS,
      );
    },
    SLOW_MS,
  );
});
