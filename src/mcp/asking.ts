/**
 * Questions to the user in a form of the client. Up to 2025-11-25 the server sends the form and waits. Since
 * 2026-07-28 the call ends with the form, and the client calls again with its answer and our `requestState`:
 * the tool then runs once more and is given the answer where it asks the same question.
 */

import {
  CLIENT_CAPABILITIES_META_KEY,
  type ElicitRequestFormParams,
  type InputRequiredResult,
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
  type RequestStateCodec,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { lazy } from '../contract/endpoint.ts';
import type { Clock } from '../domain/clock.ts';
import { ScripError } from '../domain/message/errors.ts';
import { verbatim } from '../domain/message/message.ts';

export interface Question extends Pick<ElicitRequestFormParams, 'message' | 'requestedSchema'> {
  /** No answer within this time counts as none. */
  readonly withinMs: number;
  /** What the tool finds in `ToolCall.memory` when it runs again. */
  readonly memory?: Memory | undefined;
}

export type Memory = Readonly<Record<string, string>>;

const formAnswer = lazy(() =>
  z.object({
    action: z.enum(['accept', 'decline', 'cancel']),
    content: z.record(z.string(), z.unknown()).optional(),
  }),
);
export type Answer = z.infer<ReturnType<typeof formAnswer>>;

/** How a tool asks. */
export interface Asking {
  /** Whether the client can show a form to its user. */
  readonly hasForms: boolean;
  /**
   * Asks the user. A tool may be run again from its start to be given the answer, so nothing before a question
   * may be done twice. @throws {ScripError} CONFIRMATION_REQUIRED without forms; DECLINED without an answer in time
   */
  ask(question: Question): Promise<Answer>;
  /** What the last question of this call was asked with. */
  readonly memory?: Memory | undefined;
}

/** What `requestState` holds, signed: the call, what was shown, and when. */
export interface Asked {
  readonly call: string;
  readonly message: string;
  readonly atMs: number;
  readonly memory?: Memory | undefined;
}

export interface AskingParts {
  readonly server: Server;
  readonly codec: RequestStateCodec<Asked>;
  readonly clock: Pick<Clock, 'now' | 'sleep'>;
  /** Aborts when the call is canceled, or its client has left. */
  readonly signal: AbortSignal;
}

/** The questions of one call. @param call its tool and arguments, which the retry must repeat */
export function askingFor(parts: AskingParts, ctx: ServerContext, call: string) {
  const { envelope } = ctx.mcpReq;
  const isStateless = envelope !== undefined;
  const hasForms = takesForms(
    isStateless ? ofEnvelope().safeParse(envelope).data : parts.server.getClientCapabilities(),
  );
  const state = isStateless ? ctx.mcpReq.requestState<Asked>() : undefined;
  if (state !== undefined && state.call !== call) throw foreignState();
  let given = formAnswer().safeParse(ctx.mcpReq.inputResponses?.[FORM]).data;
  let open: Question | undefined;
  return {
    hasForms,
    memory: state?.memory,
    /** @throws {ScripError} CONFIRMATION_REQUIRED without forms; DECLINED without an answer in time */
    async ask(question: Question): Promise<Answer> {
      if (!hasForms) throw unanswered();
      if (!isStateless) return putNow(question, parts, ctx);
      const answer = state?.message === question.message ? given : undefined;
      given = undefined;
      if (answer === undefined || state === undefined) {
        open = question;
        throw unanswered();
      }
      if (parts.clock.now() > state.atMs + question.withinMs) throw late();
      return answer;
    },
    /** The result that asks; undefined if no question is open. */
    async result(): Promise<InputRequiredResult | undefined> {
      if (open === undefined) return undefined;
      const { message, requestedSchema, memory } = open;
      const asked = { call, message, atMs: parts.clock.now(), memory };
      return inputRequired({
        inputRequests: { [FORM]: inputRequired.elicit({ message, requestedSchema }) },
        requestState: await parts.codec.mint(asked, ctx),
      });
    },
  };
}

const FORM = 'form';

/** The capabilities that a stateless call declares. */
const ofEnvelope = lazy(() =>
  z
    .object({
      [CLIENT_CAPABILITIES_META_KEY]: z.object({
        elicitation: z.object({ form: z.unknown(), url: z.unknown() }).partial().optional(),
      }),
    })
    .transform((envelope) => envelope[CLIENT_CAPABILITIES_META_KEY]),
);

interface Modes {
  readonly form?: unknown;
  readonly url?: unknown;
}

/** A client that names no mode takes forms (2025-06-18); one that names only `url` does not. */
function takesForms({ elicitation }: { readonly elicitation?: Modes | undefined } = {}): boolean {
  if (elicitation === undefined) return false;
  return elicitation.form !== undefined || elicitation.url === undefined;
}

function foreignState(): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, 'Invalid or expired requestState');
}

/** Of a call whose client cannot show the form, or has not shown it yet. */
export function unanswered(): ScripError {
  return new ScripError('CONFIRMATION_REQUIRED', verbatim('This client cannot ask its user'));
}

function late(): ScripError {
  return new ScripError('DECLINED', verbatim('There was no answer in time'));
}

/** The SDK's own timeout ignores our Clock, so it is set to the longest possible. */
const SDK_TIMEOUT_MS = 2 ** 31 - 1;

/** Cancels the question when the time is up, so that the client closes its form. */
async function putNow(
  { message, requestedSchema, withinMs }: Question,
  { clock, signal }: AskingParts,
  ctx: ServerContext,
): Promise<Answer> {
  const [tooLate, answered] = [new AbortController(), new AbortController()];
  clock.sleep(withinMs, answered.signal).then(
    () => tooLate.abort(late()),
    () => undefined,
  );
  try {
    return await ctx.mcpReq.elicitInput(
      { mode: 'form', message, requestedSchema },
      { timeout: SDK_TIMEOUT_MS, signal: AbortSignal.any([signal, tooLate.signal]) },
    );
  } finally {
    answered.abort();
  }
}
