/**
 * Payments that an agent asked for and a person has to approve: for clients that have no forms. The answer is for
 * the text that was shown, word by word; the file keeps it over restarts.
 */

import { parseJson } from '../../domain/attempt.ts';
import type { Clock } from '../../domain/clock.ts';
import { commandText } from '../../domain/message/command-text.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t, verbatim } from '../../domain/message/message.ts';
import type { ConfigFile } from '../context.ts';
import { type Approval, approvals } from '../schemas/machine.ts';

export type ApprovalFile = Pick<ConfigFile, 'read' | 'replace'>;

/** As long as an order of the partner API can be paid (interface: 15 minutes). */
const VALID_MS = 15 * 60_000;
/** More are not kept: an agent must not fill the disk, or bury a question. */
const MOST_WAITING = 20;

/** The questions that are not over, oldest first. @throws {ScripError} STORE_UNUSABLE */
export async function readApprovals(file: ApprovalFile, clock: Pick<Clock, 'now'>) {
  const text = await file.read();
  const read = approvals().safeParse(text === undefined ? [] : parseJson(text));
  if (!read.success) {
    throw new ScripError('STORE_UNUSABLE', t`The file of approvals is damaged`, {
      hint: t`Remove it; scrip doctor names its folder. Agents then ask again.`,
    });
  }
  const open = read.data.filter(({ expires_at }) => Date.parse(expires_at) > clock.now());
  return { text, open };
}

/**
 * Returns once a person has approved the question; each approval is for one payment.
 * @throws {ScripError} CONFIRMATION_REQUIRED until a person has; DECLINED
 */
export async function requireApproval(
  file: ApprovalFile,
  clock: Pick<Clock, 'now'>,
  { orderId, question }: { readonly orderId: string; readonly question: string },
): Promise<void> {
  const { text, open } = await readApprovals(file, clock);
  const found = open.find((one) => one.order_id === orderId && one.question === question);
  const others = open.filter(({ order_id }) => order_id !== orderId);
  if (found?.state === 'refused') {
    throw new ScripError('DECLINED', verbatim('The user declined; nothing was paid'), {
      hint: commandText`Do not ask again unless the user says so. In a terminal: scrip pay ${orderId}`,
      details: { order_id: orderId },
    });
  }
  if (found?.state === 'approved') {
    await file.replace(text, JSON.stringify(others));
    return;
  }
  const asked = found ?? questionAt(clock.now(), orderId, question);
  if (found === undefined) {
    if (others.length >= MOST_WAITING) {
      throw new ScripError('DECLINED', verbatim('Too many payments wait for an approval'));
    }
    await file.replace(text, JSON.stringify([...others, asked]));
  }
  throw new ScripError(
    'CONFIRMATION_REQUIRED',
    verbatim('This client cannot ask its user; call payOrder again after an approval'),
    {
      hint: commandText`Ask the user to run in a terminal: scrip approvals answer ${orderId}`,
      details: { order_id: orderId, expires_at: asked.expires_at },
    },
  );
}

function questionAt(nowMs: number, orderId: string, question: string): Approval {
  return {
    order_id: orderId,
    question,
    asked_at: new Date(nowMs).toISOString(),
    expires_at: new Date(nowMs + VALID_MS).toISOString(),
    state: 'waiting',
  };
}

/** Writes a person's answer, if the question still stands as it was shown. @throws {ScripError} STORE_UNUSABLE */
export async function answerApproval(
  file: ApprovalFile,
  clock: Pick<Clock, 'now'>,
  shown: Approval,
  state: 'approved' | 'refused',
): Promise<Approval> {
  const { text, open } = await readApprovals(file, clock);
  const isShown = (one: Approval) =>
    one.order_id === shown.order_id && one.question === shown.question;
  if (!open.some(isShown)) {
    throw new ScripError('ORDER_UNKNOWN', t`The question is over, or has changed`, {
      hint: commandText`See what waits: scrip approvals`,
    });
  }
  const answered = { ...shown, state };
  await file.replace(text, JSON.stringify(open.map((one) => (isShown(one) ? answered : one))));
  return answered;
}
