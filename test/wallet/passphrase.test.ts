import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { ScripError } from '../../src/domain/message/errors.ts';
import { type Message, t } from '../../src/domain/message/message.ts';
import { createPassphrases, type PassphraseDeps } from '../../src/wallet/passphrase.ts';
import { readAnswer } from '../../src/wallet/terminal.ts';
import { failureOf } from '../support/failure.ts';
import { tempFolder } from '../support/temp-folder.ts';

let dir: string;
let file: string;
beforeEach(() => {
  dir = tempFolder();
  file = join(dir, 'passphrase');
  writeFileSync(file, 'from the file\n', { mode: 0o600 });
});

const TEXTS: Readonly<Record<number, string>> = { 0: 'from stdin\n', 3: 'from descriptor 3' };

function passphrases(deps: Partial<PassphraseDeps>) {
  return createPassphrases({
    place: {},
    readFd: async (fd) => Buffer.from(TEXTS[fd] ?? ''),
    ...deps,
  });
}

async function current(deps: Partial<PassphraseDeps>): Promise<string> {
  const secret = await passphrases(deps).current(t`Passphrase`);
  return secret.use((bytes) => bytes.toString());
}

const askHidden = async () => 'typed';
const environment = 'of the environment';

describe('the passphrase in use', () => {
  it('comes from the first of its places that is there', async () => {
    const everything = { askHidden, environment };
    expect(await current({ ...everything, place: { fd: 3, file } })).toBe('from descriptor 3');
    expect(await current({ ...everything, place: { file } })).toBe('from the file');
    expect(await current({ ...everything, place: { file: '-' } })).toBe('from stdin');
    expect(await current(everything)).toBe('typed');
    expect(await current({ environment })).toBe('of the environment');
    expect((await failureOf(current({}))).code).toBe('PASSPHRASE_REQUIRED');
  });

  it('is asked for again only where a person answers', () => {
    expect(passphrases({ askHidden, environment }).isAsked).toBe(true);
    expect(passphrases({ askHidden, place: { file } }).isAsked).toBe(false);
    expect(passphrases({ environment }).isAsked).toBe(false);
  });

  it('is read from a pipe once, however often it is needed', async () => {
    let reads = 0;
    const readFd = async () => {
      reads += 1;
      return Buffer.from('once\n');
    };
    const source = passphrases({ place: { fd: 3 }, readFd });
    for (let time = 0; time < 3; time += 1) {
      const secret = await source.current(t`Passphrase`);
      expect(secret.use((bytes) => bytes.toString())).toBe('once');
      secret.wipe();
    }
    expect(reads).toBe(1);
  });

  it('keeps its spaces, and loses the line end of the editor alone', async () => {
    writeFileSync(file, '\ufeff  two words \r\n');
    expect(await current({ place: { file } })).toBe('  two words ');
  });

  it.each([
    ['an empty file', ''],
    ['a line end alone', '\n'],
    ['two lines', 'one\ntwo\n'],
    ['a control character', 'a\u0007b'],
    ['bytes that are no text', Buffer.from([0x61, 0xff])],
  ])('is not taken from %s', async (_what, content) => {
    writeFileSync(file, content);
    expect((await failureOf(current({ place: { file } }))).code).toBe('INPUT_INVALID');
  });

  it('is not taken from a file that others may read', async () => {
    chmodSync(file, 0o644);
    expect((await failureOf(current({ place: { file } }))).code).toBe('WALLET_UNSAFE');
  });

  it('is not taken from a file that is not there', async () => {
    rmSync(file);
    expect((await failureOf(current({ place: { file } }))).code).toBe('INPUT_INVALID');
  });
});

describe('a new passphrase', () => {
  const fresh = (deps: Partial<PassphraseDeps>, isWeakOk = false) =>
    passphrases(deps).fresh(t`New passphrase`, { isWeakOk });

  it.each([
    ['12 characters', 'twelve chars', 'none'],
    ['12 characters of two units each', '🔑'.repeat(12), 'none'],
    ['11 characters', 'eleven char', 'PASSPHRASE_WEAK'],
    [
      '11 characters that were 12 before they were normalised',
      'e\u0301leven cha',
      'PASSPHRASE_WEAK',
    ],
  ])('has at least 12 characters: %s', async (_what, text, code) => {
    const work = fresh({ environment: text }).then(() => 'none');
    expect(await work.catch((error: ScripError) => error.code)).toBe(code);
  });

  it('may be short when that is said', async () => {
    const secret = await fresh({ environment: 'x' }, true);
    expect(secret.use((bytes) => bytes.toString())).toBe('x');
  });

  it('is typed twice', async () => {
    const questions: string[] = [];
    const answers = [
      'a long passphrase',
      'a long passphrase',
      'a long passphrase',
      'a long pasphrase',
    ];
    const ask = async (question: Message) => {
      questions.push(String(question));
      return answers.shift() ?? '';
    };
    await fresh({ askHidden: ask });
    expect(questions).toEqual(['New passphrase: ', 'New passphrase, again: ']);
    expect((await failureOf(fresh({ askHidden: ask }))).code).toBe('INPUT_INVALID');
  });
});

describe('what is typed at a hidden question', () => {
  const typing = (...chunks: string[]) =>
    readAnswer(
      (async function* () {
        yield* chunks;
      })(),
    );

  it.each([
    ['is the line until Enter', ['secret\r'], 'secret'],
    ['may come key by key', ['s', 'e', 'c', '\n'], 'sec'],
    ['is erased as a terminal erases', ['ax\u007fb\bc\r'], 'ac'],
    ['is erased by whole characters', ['a🔑\u007f\r'], 'a'],
    ['is erased as a line', ['wrong\u0015right\r'], 'right'],
    ['ignores arrows and other keys', ['a', '\u001b[A', '\u001b[3~', 'b\t\r'], 'ab'],
    ['may be nothing', ['\r'], ''],
  ])('%s', async (_what, chunks, expected) => {
    expect(await typing(...chunks)).toBe(expected);
  });

  it.each([
    ['Ctrl-C', ['sec\u0003']],
    ['the end of input', ['sec\u0004']],
    ['a terminal that is gone', ['sec']],
  ])('is nothing after %s', async (_what, chunks) => {
    expect((await failureOf(typing(...chunks))).code).toBe('INTERRUPTED');
  });

  it('only a ScripError escapes, whatever is typed', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string()), async (chunks) => {
        const result = await typing(...chunks).catch((error: unknown) => error);
        if (typeof result !== 'string') expect(result).toBeInstanceOf(ScripError);
      }),
    );
  });
});
