import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createDialog } from '../../../src/cli/terminal/dialog.ts';
import type { Choice, Narrowed } from '../../../src/cli/terminal/ports.ts';
import { createPrompter } from '../../../src/cli/terminal/prompter.ts';
import { t } from '../../../src/domain/message/message.ts';

const COUNTRIES = ['United States', 'United Kingdom', 'Uganda', 'Spain'];

/** A catalog whose lists come once the test says so; after that, at once. */
function slowList() {
  const gate: { asked: number; come: () => void; isOpen: Promise<void> } = {
    asked: 0,
    come: () => undefined,
    isOpen: Promise.resolve(),
  };
  const hold = (): void => {
    gate.isOpen = new Promise((resolve) => {
      gate.come = resolve;
    });
  };
  hold();
  return {
    asked: () => gate.asked,
    arrive: () => gate.come(),
    hold,
    narrow: async (text: string): Promise<Narrowed> => {
      gate.asked += 1;
      await gate.isOpen;
      const fit = COUNTRIES.filter((name) => name.toLowerCase().includes(text));
      return { choices: fit.map((name): Choice => ({ value: name, label: name })), remarks: [] };
    },
  };
}

/** Stays open after a question, as a terminal does. */
function screen(): PassThrough {
  const output = new PassThrough();
  output.end = () => output;
  return output;
}

function question(takes: boolean) {
  const list = slowList();
  const input = new PassThrough();
  const output = screen();
  const dialog = createDialog({
    input: () => input as unknown as NodeJS.ReadStream,
    output: output as unknown as NodeJS.WriteStream,
    signal: new AbortController().signal,
    hasColor: false,
  });
  const drawn = { text: '' };
  output.on('data', (chunk: Buffer) => {
    drawn.text += chunk.toString();
  });
  const answer = dialog.pick({
    message: 'Country?',
    help: '',
    narrow: list.narrow,
    takes: async () => takes,
  });
  return { input, list, answer, drawn };
}

/** Lets everything run that waits for nothing but its turn. */
async function settle(until: () => boolean): Promise<void> {
  do await new Promise((resolve) => setImmediate(resolve));
  while (!until());
}

/** Types before any list came, or after: the lists for what was typed come once they are asked for. */
async function typing(text: string, takes: boolean, isFirst: boolean) {
  const { input, list, answer, drawn } = question(takes);
  await settle(() => list.asked() === 1);
  if (!isFirst) {
    list.arrive();
    await settle(() => drawn.text.includes('Uganda'));
    list.hold();
  }
  input.write(text);
  await settle(() => list.asked() > 1);
  list.arrive();
  return { input, list, answer, drawn };
}

describe.each([true, false])(
  'text and Enter in one burst, before any list came: %s,',
  (isFirst) => {
    it.each([
      ['take what the text names', 'spain\r', false, 'Spain'],
      ['of several lines answer with the first', 'spain\ruganda\rnothing\r', false, 'Spain'],
      ['are given as typed where the question takes the text', 'united\r', true, 'united'],
    ])('%s', async (_what, text, takes, said) => {
      expect(await (await typing(text, takes, isFirst)).answer).toBe(said);
    });
  },
);

it('text and Enter leave the question open with the text, where several are meant', async () => {
  const { input, list, answer, drawn } = await typing('united\r', false, true);
  // The question begins again with the text, and shows what it means.
  const begun = 2 * (1 + 'united'.length);
  await settle(() => list.asked() === begun);
  expect(drawn.text).toContain('United Kingdom');
  input.write('\r');
  expect(await answer).toBe('United States');
});

/** The question as it was drawn last. */
function frame({ text }: { readonly text: string }): string {
  return stripVTControlCharacters(text.slice(text.lastIndexOf('Country?'))).trim();
}

describe('several lines in one burst', () => {
  it.each([true, false])(
    'leave the first to be corrected, if it is no answer: %s',
    async (isFirst) => {
      const { input, list, answer, drawn } = question(false);
      await settle(() => list.asked() === 1);
      if (!isFirst) list.arrive();
      if (!isFirst) await settle(() => drawn.text.includes('Uganda'));
      input.write('united\ruganda\rnothing');
      if (isFirst) list.arrive();
      // The question begins again with the first line alone.
      await settle(() => /^Country\? united\n❯ United States/.test(frame(drawn)));
      input.write('\r');
      expect(await answer).toBe('United States');
    },
  );

  it('leave the first to be corrected, if nothing is like it', async () => {
    const { input, list, answer, drawn } = question(false);
    await settle(() => list.asked() === 1);
    input.write('spayn\ruganda\r');
    list.arrive();
    await settle(() => /^Country\? spayn\b/.test(frame(drawn)));
    input.write('\u007f\u007fin\r');
    expect(await answer).toBe('Spain');
  });
});

it('Enter at a list of nothing leaves the text to be corrected', async () => {
  const { input, list, answer, drawn } = question(false);
  await settle(() => list.asked() === 1);
  list.arrive();
  input.write('spayn');
  await settle(() => /^Country\? spayn\s+> No/.test(frame(drawn)));
  input.write('\r\u007f\u007fin');
  await settle(() => frame(drawn).includes('❯ Spain'));
  input.write('\r');
  expect(await answer).toBe('Spain');
});

it('Enter alone, before there is a list, chooses nothing', async () => {
  const { input, list, answer, drawn } = question(false);
  await settle(() => list.asked() === 1);
  input.write('\r');
  list.arrive();
  await settle(() => drawn.text.includes('Spain'));
  input.write('\u001b[B\r');
  expect(await answer).toBe('United Kingdom');
});

describe('a question that ends', () => {
  const WRONG = 'Type y for yes or n for no.';

  function confirming() {
    const input = new PassThrough();
    const output = screen();
    const drawn = { text: '' };
    output.on('data', (chunk: Buffer) => {
      drawn.text += chunk.toString();
    });
    const prompter = createPrompter({
      input: () => input as unknown as NodeJS.ReadStream,
      output: output as unknown as NodeJS.WriteStream,
      signal: new AbortController().signal,
      mayPrompt: true,
    });
    return { input, drawn, answer: prompter.confirm(t`Buy it?`) };
  }

  it('with Enter alone leaves no remark about an earlier word', async () => {
    const { input, drawn, answer } = confirming();
    await settle(() => drawn.text.includes('Buy it?'));
    input.write('x\r');
    await settle(() => drawn.text.includes(WRONG));
    drawn.text = '';
    input.write('\r');
    expect(await answer).toBe(false);
    const [, end] = drawn.text.split('✔');
    expect(end).toContain('No');
    expect(end).not.toContain(WRONG);
  });

  it('with Ctrl-C leaves only its own line', async () => {
    const { input, drawn, answer } = confirming();
    await settle(() => drawn.text.includes('Buy it?'));
    input.write('x\r');
    await settle(() => drawn.text.includes(WRONG));
    drawn.text = '';
    input.write('\u0003');
    await expect(answer).rejects.toMatchObject({ code: 'INTERRUPTED' });
    expect(drawn.text).toMatch(/\? Buy it\? \(y\/N\)\n$/);
  });

  it('with Ctrl-C leaves no list', async () => {
    const { input, list, answer, drawn } = question(false);
    list.arrive();
    await settle(() => drawn.text.includes('Uganda'));
    drawn.text = '';
    input.write('\u0003');
    await expect(answer).rejects.toMatchObject({ code: 'INTERRUPTED' });
    expect(drawn.text).toMatch(/\? Country\?\n$/);
    expect(drawn.text).not.toContain('Uganda');
  });
});
