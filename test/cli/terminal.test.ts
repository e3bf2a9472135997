import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createPrompter, outputStream, plainProgress } from '../../src/cli/terminal.ts';
import { capture } from '../support/small-context.ts';

/** A stream with the looks of a terminal; only these fields are read. */
function standard(look: { isTTY?: boolean; columns?: number }): NodeJS.WriteStream {
  return Object.assign(new PassThrough(), look) as unknown as NodeJS.WriteStream;
}

describe('a standard stream', () => {
  it.each([
    ['a terminal', { isTTY: true }, {}, true],
    ['a terminal with NO_COLOR', { isTTY: true }, { NO_COLOR: '1' }, false],
    ['a terminal with an empty NO_COLOR', { isTTY: true }, { NO_COLOR: '' }, true],
    ['a dumb terminal', { isTTY: true }, { TERM: 'dumb' }, false],
    ['a pipe', {}, {}, false],
  ])('of %s has colour: %#', (_what, look, env, hasColor) => {
    expect(outputStream(standard(look), env).hasColor).toBe(hasColor);
  });

  it('is 80 columns wide where that is not known, and follows the window', () => {
    const stream = standard({ isTTY: true });
    const output = outputStream(stream, {});
    expect(output.columns).toBe(80);
    stream.columns = 120;
    expect(output.columns).toBe(120);
  });
});

describe('a question', () => {
  it('is refused where there is no terminal', async () => {
    const prompter = createPrompter({
      mayPrompt: false,
      output: standard({}),
      signal: new AbortController().signal,
    });
    await expect(prompter.confirm('Pay?')).rejects.toMatchObject({ code: 'TERMINAL_REQUIRED' });
  });
});

describe('plain progress', () => {
  it('is a line for each step, escaped', () => {
    const stream = capture();
    const progress = plainProgress(stream);
    progress.step('Paying \u001b[2K');
    progress.done();
    progress.done('Done');
    expect(stream.text()).toBe('Paying \\u{1b}[2K\nDone\n');
  });
});
