/** Mail that is sent by SMTP, and what a mail server that fails is told as. */
import { describe, expect, it } from 'vitest';
import { sendMail } from '../../src/net/mail.ts';
import { mailServer } from '../support/mail-server.ts';

const MAIL = {
  from: 'shop@example.com',
  to: ['ann@example.com', 'bob@example.com'],
  subject: 'Corner: rates (began)',
  text: 'Goods are not sold.\n',
};

describe('a mail', () => {
  it('reaches all of its recipients, in plain words', async () => {
    const { heard, server } = await mailServer();
    await sendMail({ ...MAIL, server });
    const all = heard.join('');
    expect(all).toContain('MAIL FROM:<shop@example.com>');
    expect(all).toContain('RCPT TO:<ann@example.com>');
    expect(all).toContain('RCPT TO:<bob@example.com>');
    expect(all).toMatch(
      /Subject: Corner: rates \(began\)\r\n[\s\S]*\r\n\r\nGoods are not sold\.\r\n/,
    );
  });

  it.each([
    [
      'that nobody takes',
      async () => 'smtp://127.0.0.1:1',
      '127.0.0.1:1 took no mail: the connection was refused (ECONNREFUSED)',
    ],
    [
      'to no known person',
      async () => (await mailServer('550 no')).server,
      'the sender or a recipient was refused (EENVELOPE)',
    ],
  ])('%s is told in words and by a code, without the password', async (_, serverOf, said) => {
    const server = (await serverOf()).replace('//', '//ann:secret@');
    const failure = await sendMail({ ...MAIL, server }).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(failure).toMatchObject({ code: 'NETWORK_UNREACHABLE' });
    expect(String(failure)).not.toContain('secret');
    expect(String(failure)).toContain(said);
  });
});
