/** A `fetch` that answers from a list, and remembers what it was asked. */
import type { Fetch, FetchInit, Reply } from '../../src/contract/fetch.ts';

export interface Asked {
  readonly url: string;
  readonly init: FetchInit;
}

export interface ScriptedFetch {
  readonly fetch: Fetch;
  readonly asked: readonly Asked[];
}

/** Each answer is used once, the last one for ever after; an error is thrown. */
export function scriptedFetch(...answers: readonly (Reply | Error)[]): ScriptedFetch {
  const asked: Asked[] = [];
  return {
    asked,
    fetch: async (url, init = {}) => {
      const answer = answers[Math.min(asked.length, answers.length - 1)];
      asked.push({ url, init });
      if (answer === undefined || answer instanceof Error) throw answer;
      return answer instanceof Response ? answer.clone() : answer;
    },
  };
}

export function jsonReply(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  return new Response(typeof body === 'string' ? body : JSON.stringify(body), { status, headers });
}

/** What a system call's failure looks like where it comes through a `fetch`. */
export function networkError(code: string): Error {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) });
}
