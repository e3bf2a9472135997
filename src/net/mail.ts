/** Sends mail through a server of the operator: nodemailer, whose code loads with the first mail. */

import { isLoopbackHost } from '../domain/address/loopback.ts';
import { errorCode, ScripError } from '../domain/message/errors.ts';
import { t, verbatim } from '../domain/message/message.ts';
import type { AlarmPorts } from '../domain/operator/alarms.ts';

const TIMEOUT_MS = 10_000;

export const sendMail: AlarmPorts['sendMail'] = async ({ server, from, to, subject, text }) => {
  const [{ default: Mailer }, { default: Smtp }] = await Promise.all([
    import('nodemailer/lib/mailer'),
    import('nodemailer/lib/smtp-transport'),
  ]);
  // A password crosses the network encrypted alone.
  const requireTLS = !isLoopbackHost(new URL(server).hostname);
  const guards = { disableFileAccess: true, disableUrlAccess: true };
  const mailer = new Mailer(new Smtp({ url: server, requireTLS, ...guards }));
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    await mailer.sendMail({ from, to: [...to], subject, text, signal });
  } catch (error) {
    const reason = verbatim(errorCode(error) ?? 'INTERNAL');
    throw new ScripError('NETWORK_UNREACHABLE', t`The mail server took no mail: ${reason}`);
  } finally {
    mailer.close();
  }
};
