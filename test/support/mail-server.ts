/** A mail server of a few words, which keeps what it hears. */
import { createServer } from 'node:net';
import { listenOn } from './at-end.ts';

/** @param refusal what it says to each recipient */
export async function mailServer(refusal?: string) {
  const heard: string[] = [];
  const url = await listenOn(
    createServer((socket) => {
      let isData = false;
      const say = (line: string) => socket.write(`${line}\r\n`);
      say('220 mail.example');
      socket.on('error', () => undefined).setEncoding('utf8');
      socket.on('data', (text: string) => {
        heard.push(text);
        if (isData && text.endsWith('\r\n.\r\n')) {
          isData = false;
          say('250 taken');
        } else if (!isData) {
          for (const line of text.split('\r\n').filter(Boolean)) {
            isData = line === 'DATA';
            if (line.startsWith('RCPT') && refusal !== undefined) say(refusal);
            else say(isData ? '354 go on' : line === 'QUIT' ? '221 bye' : '250 ok');
          }
        }
      });
    }),
  );
  return { heard, server: url.replace('http', 'smtp') };
}
