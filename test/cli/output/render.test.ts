import { describe, expect, it } from 'vitest';
import { inEnglish } from '../../../src/cli/i18n/localize.ts';
import { renderError } from '../../../src/cli/output/error.ts';
import { localView } from '../../../src/cli/output/local-view.ts';
import { renderView } from '../../../src/cli/output/render.ts';
import { listView, type View } from '../../../src/cli/output/view.ts';
import { textWidth } from '../../../src/cli/output/wrap.ts';
import { ScripError } from '../../../src/domain/message/errors.ts';
import { type Message, t } from '../../../src/domain/message/message.ts';
import { type CapturedStream, capture } from '../../support/small-context.ts';

interface Row {
  readonly name: string;
  readonly price: string;
}

const ROWS: readonly Row[] = [
  { name: 'Steam', price: '10.10' },
  { name: '東京カード', price: '5.05' },
];

function brands(records: readonly Row[], more: { note?: Message; empty?: Message } = {}): View {
  return listView({
    records,
    columns: [
      { header: t`NAME`, cell: (row) => row.name },
      { header: t`PRICE`, cell: (row) => row.price, align: 'right' },
    ],
    ...more,
  });
}

async function print(
  view: View,
  { isJson = false, stdout = capture() }: { isJson?: boolean; stdout?: CapturedStream } = {},
): Promise<{ stdout: string; stderr: string }> {
  const stderr = capture();
  await renderView(
    localView(view, inEnglish),
    { stdout, stderr },
    { format: isJson ? 'json' : 'text' },
  );
  return { stdout: stdout.text(), stderr: stderr.text() };
}

const terminal = (columns = 80): CapturedStream => capture({ isTerminal: true, columns });

describe('a list', () => {
  it('is tab-separated without headers in a pipe', async () => {
    expect(await print(brands(ROWS))).toEqual({
      stdout: 'Steam\t10.10\n東京カード\t5.05\n',
      stderr: '',
    });
  });

  it('is a table on a terminal', async () => {
    const { stdout } = await print(brands(ROWS), { stdout: terminal() });
    expect(stdout).toBe('NAME        PRICE\nSteam       10.10\n東京カード   5.05\n');
  });

  it('keeps every line within the width of the terminal', async () => {
    const long = [{ name: 'x'.repeat(200), price: '1.00' }, ...ROWS];
    for (const columns of [20, 40, 80]) {
      const { stdout } = await print(brands(long), { stdout: terminal(columns) });
      for (const line of stdout.trimEnd().split('\n')) {
        expect(textWidth(line)).toBeLessThanOrEqual(columns);
      }
      expect(stdout).toContain('…');
    }
  });

  it('never cuts what is typed into the next command', async () => {
    const id = 'x'.repeat(30);
    const view = listView({
      records: [{ id, about: 'y'.repeat(30) }],
      columns: [
        { header: t`ID`, cell: (row) => row.id, isWhole: true },
        { header: t`ABOUT`, cell: (row) => row.about },
      ],
    });
    const { stdout } = await print(view, { stdout: terminal(45) });
    expect(stdout).toContain(`${id}  ${'y'.repeat(12)}…\n`);
  });

  it('cannot have a line or a column forged by a cell', async () => {
    const hostile = [{ name: 'a\nb\tc\u001b[2K', price: '1' }];
    const { stdout } = await print(brands(hostile));
    expect(stdout).toBe('a\\u{a}b\\u{9}c\\u{1b}[2K\t1\n');
  });

  it('is an array of its records in JSON, notes left out', async () => {
    const printed = await print(brands(ROWS, { note: t`cut` }), { isJson: true });
    expect(JSON.parse(printed.stdout)).toEqual(ROWS);
    expect(printed.stderr).toBe('');
  });

  it('says on stderr that it is empty, and is an empty array in JSON', async () => {
    expect(await print(brands([], { empty: t`Nothing.` }))).toEqual({
      stdout: '',
      stderr: 'Nothing.\n',
    });
    expect((await print(brands([]), { isJson: true })).stdout).toBe('[]\n');
  });
});

describe('a record', () => {
  const view: View = {
    kind: 'record',
    record: { address: 'abc' },
    title: 'Wallet',
    lines: [
      [t`Address`, 'abc'],
      [t`USDC`, '1.00'],
    ],
    note: t`Next: fund it`,
  };

  it('is labelled lines on a terminal, with its note on stderr', async () => {
    expect(await print(view, { stdout: terminal() })).toEqual({
      stdout: 'Wallet\nAddress  abc\nUSDC     1.00\n',
      stderr: 'Next: fund it\n',
    });
  });

  it('has each of its notes on a line of its own, so that a command can be copied', async () => {
    const note = [t`Check first: scrip track 1`, t`Or pay: scrip pay 1\n2`];
    expect((await print({ ...view, note })).stderr).toBe(
      'Check first: scrip track 1\nOr pay: scrip pay 1\\u{a}2\n',
    );
  });

  it('is groups with a line between on a terminal that has them, and its lines in a pipe', async () => {
    const grouped: View = {
      ...view,
      screen: [[[t`Address`, 'abc']], [], [[t`In US dollars`, '1.00']]],
    };
    expect((await print(grouped, { stdout: terminal() })).stdout).toBe(
      'Wallet\nAddress        abc\n\nIn US dollars  1.00\n',
    );
    expect((await print(grouped)).stdout).toBe('Address\tabc\nUSDC\t1.00\n');
  });

  it('has its fields alone where they are named', async () => {
    const stdout = terminal();
    const grouped: View = { ...view, screen: [[[t`Other`, 'x']]] };
    await renderView(
      localView(grouped, inEnglish),
      { stdout, stderr: capture() },
      { format: 'text', fields: ['address'] },
    );
    expect(stdout.text()).toBe('Wallet\naddress  abc\n');
  });

  it('has no escape sequence where colour is unwanted', async () => {
    const stdout = capture({ isTerminal: true, hasColor: true });
    expect((await print(view, { stdout })).stdout).toContain('\u001b[1mWallet');
    expect((await print(view, { stdout: terminal() })).stdout).not.toContain('\u001b');
  });

  it('has quiet labels, and says by colour how a thing stands', async () => {
    const stdout = capture({ isTerminal: true, hasColor: true });
    const told: View = {
      ...view,
      lines: [[t`Status`, 'failed for good']],
      tones: { Status: 'bad' },
    };
    expect((await print(told, { stdout })).stdout).toContain(
      '\u001b[2mStatus\u001b[22m  \u001b[31mfailed\u001b[39m for good\n',
    );
  });

  it('links a value to its page of the explorer, where the terminal makes links', async () => {
    const id = '5'.repeat(88);
    const page = `https://explorer.solana.com/tx/${id}`;
    const paid: View = { ...view, lines: [[t`Transaction`, id]], links: { [id]: page } };
    const links = capture({ isTerminal: true, hasLinks: true });
    const linked = `\u001b]8;;${page}\u001b\\${id}\u001b]8;;\u001b\\`;
    expect((await print(paid, { stdout: links })).stdout).toContain(linked);
    expect((await print(paid, { stdout: terminal() })).stdout).not.toContain('\u001b');
    for (const other of ['https://evil.example/', `${page}/x`, `${page}\u001b`]) {
      const stdout = capture({ isTerminal: true, hasLinks: true });
      expect((await print({ ...paid, links: { [id]: other } }, { stdout })).stdout).not.toContain(
        '\u001b',
      );
    }
  });

  it('is printed before its error is told', async () => {
    const stdout = capture();
    const error = new ScripError('DELIVERY_PENDING', t`not yet`);
    const streams = { stdout, stderr: capture() };
    await expect(
      renderView(localView({ ...view, error }, inEnglish), streams, { format: 'json' }),
    ).rejects.toBe(error);
    expect(JSON.parse(stdout.text())).toEqual({ address: 'abc' });
  });
});

describe('an error', () => {
  const error = new ScripError('FUNDS_TOO_LOW', t`the wallet holds 1 USDC[2K`, {
    details: { needed: '5.05' },
    cause: new TypeError('inner'),
  });

  it('is a sentence and a hint', async () => {
    expect(await renderError(error, { isJson: false, isVerbose: false }, capture())).toBe(
      'error[FUNDS_TOO_LOW]: the wallet holds 1 USDC\\u{1b}[2K\n' +
        'hint: Put USDC into the wallet; in the sandbox: scrip wallet fund\n',
    );
  });

  it('names its causes when asked to be verbose', async () => {
    const text = await renderError(error, { isJson: false, isVerbose: true }, capture());
    expect(text).toMatch(/^error\[FUNDS_TOO_LOW\]: .*\nhint: .*\ncause: TypeError: inner\n$/);
  });

  it('is one object in JSON', async () => {
    const text = await renderError(error, { isJson: true, isVerbose: true }, capture());
    expect(JSON.parse(text)).toEqual({
      error: {
        code: 'FUNDS_TOO_LOW',
        message: 'the wallet holds 1 USDC\u001b[2K',
        hint: t`Put USDC into the wallet; in the sandbox: scrip wallet fund`,
        exit: 6,
        funds_at_risk: 'none',
        retryable: false,
        details: { needed: '5.05' },
      },
    });
    expect(text).not.toContain('\u001b');
  });
});

describe('a picture', () => {
  const picture = { drawing: '▀▄\n▄▀\n', groupsBelow: 1, elsewhere: t`In a larger window: scrip` };
  const view: View = {
    kind: 'record',
    record: {},
    lines: [[t`To`, 'address']],
    screen: [[[t`State`, 'open']], [[t`To`, 'address']]],
    picture,
  };

  it.each([true, false])('is drawn on a terminal alone: %s', async (isTerminal) => {
    const stdout = capture();
    const stderr = capture({ isTerminal });
    await renderView(localView(view, inEnglish), { stdout, stderr }, { format: 'text' });
    expect(stderr.text()).toBe(isTerminal ? picture.drawing : '');
    expect(stdout.text()).toBe('To\taddress\n');
  });

  it.each([
    [5, 'State  open\n▀▄\n▄▀\nTo     address\nnote\n'],
    [4, 'State  open\n\nIn a larger window: scrip\n\nTo     address\nnote\n'],
  ])('stands above the last lines, or not at all, in a window of %i lines', async (rows, shown) => {
    const terminal = capture({ isTerminal: true, rows });
    const streams = { stdout: terminal, stderr: terminal };
    const noted: View = { ...view, note: t`note` };
    await renderView(localView(noted, inEnglish), streams, { format: 'text' });
    expect(terminal.text()).toBe(shown);
  });

  it.each([
    [7, 'State  open\n▀▄\n▄▀\nTo     address\n\nNext   go\n'],
    [4, 'State  open\n\nNext   go\n▀▄\n▄▀\nTo     address\n'],
    [3, 'State  open\n\nIn a larger window: scrip\n\nTo     address\n\nNext   go\n'],
  ])('has what it holds below it, the rest above on a screen of %i lines', async (rows, shown) => {
    const terminal = capture({ isTerminal: true, rows });
    const screen = [...(view.screen ?? []), [[t`Next`, 'go'] as const]];
    const wider: View = { ...view, screen, picture: { ...picture, groupsBelow: 2 } };
    const streams = { stdout: terminal, stderr: terminal };
    await renderView(localView(wider, inEnglish), streams, { format: 'text' });
    expect(terminal.text()).toBe(shown);
  });
});

describe('an id that is longer than a line', () => {
  const id = 'a'.repeat(20) + 'b'.repeat(50) + 'c'.repeat(18);
  const view: View = { kind: 'record', record: { id }, lines: [[t`Id`, id]], longIds: [id] };

  it('is cut in its middle on a terminal, and whole where it fits and for programs', async () => {
    const cut = await print(view, { stdout: terminal(80) });
    expect(cut.stdout).toBe(`Id  ${'a'.repeat(12)}…${'c'.repeat(12)}\n`);
    expect((await print(view, { stdout: terminal(92) })).stdout).toBe(`Id  ${id}\n`);
    expect((await print(view)).stdout).toBe(`Id\t${id}\n`);
    expect(JSON.parse((await print(view, { isJson: true })).stdout)).toEqual({ id });
  });
});
