/** Sends mail through a server of the operator: nodemailer, whose code loads with the first mail. */

import { isLoopbackHost } from '../domain/address/loopback.ts';
import { errorCode, ScripError } from '../domain/message/errors.ts';
import { type Message, t, verbatim } from '../domain/message/message.ts';
import type { AlarmPorts } from '../domain/operator/alarms.ts';

const TIMEOUT_MS = 10_000;
const WHY: Readonly<Record<string, Message>> = {
  ECONNREFUSED: t`the connection was refused`,
  ENOTFOUND: t`this host is unknown`,
  ETIMEDOUT: t`there was no answer in time`,
  EAUTH: t`user or password were refused`,
  EENVELOPE: t`the sender or a recipient was refused`,
};

/** Nodemailer puts a code of its own before that of the system. */
function systemCode(error: unknown): string {
  const isNamed = error instanceof Error && 'originalCode' in error;
  return isNamed ? String(error.originalCode) : (errorCode(error) ?? 'INTERNAL');
}

export const sendMail: AlarmPorts['sendMail'] = async ({ server, from, to, subject, text }) => {
  const [{ default: Mailer }, { default: Smtp }] = await Promise.all([
    import('nodemailer/lib/mailer'),
    import('nodemailer/lib/smtp-transport'),
  ]);
  // A password crosses the network encrypted alone.
  const { host, hostname } = new URL(server);
  const requireTLS = !isLoopbackHost(hostname);
  const guards = { disableFileAccess: true, disableUrlAccess: true };
  const mailer = new Mailer(new Smtp({ url: server, requireTLS, ...guards }));
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    await mailer.sendMail({ from, to: [...to], subject, text, signal });
  } catch (error) {
    const code = signal.aborted ? 'ETIMEDOUT' : systemCode(error);
    const reason = WHY[code] === undefined ? verbatim(code) : t`${WHY[code]} (${verbatim(code)})`;
    throw new ScripError('NETWORK_UNREACHABLE', t`The mail server ${host} took no mail: ${reason}`);
  } finally {
    mailer.close();
  }
};
