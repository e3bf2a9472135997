import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { inEnglish } from '../../../src/cli/i18n/localize.ts';
import { colorChoice, opensLinks } from '../../../src/cli/output/paint.ts';
import { createPrompter } from '../../../src/cli/terminal/prompter.ts';
import { outputStream, plainProgress } from '../../../src/cli/terminal/terminal.ts';
import { t } from '../../../src/domain/message/message.ts';
import { capture } from '../../support/small-context.ts';

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
    ['a pipe with FORCE_COLOR', {}, { FORCE_COLOR: '1' }, true],
    ['a terminal with FORCE_COLOR=0', { isTTY: true }, { FORCE_COLOR: '0' }, false],
    ['a terminal with CLICOLOR=0', { isTTY: true }, { CLICOLOR: '0' }, false],
    ['a pipe with CLICOLOR_FORCE', {}, { CLICOLOR_FORCE: '1', CLICOLOR: '0' }, true],
    ['a pipe with CLICOLOR_FORCE=0', {}, { CLICOLOR_FORCE: '0', CLICOLOR: '1' }, false],
    ['a pipe with FORCE_COLOR=0 besides', {}, { CLICOLOR_FORCE: '1', FORCE_COLOR: '0' }, false],
    ['a terminal with both', { isTTY: true }, { FORCE_COLOR: '1', NO_COLOR: '1' }, false],
  ])('of %s has colour: %#', (_what, look, env, hasColor) => {
    expect(outputStream(standard(look), env, colorChoice([], env)).hasColor).toBe(hasColor);
  });

  it.each([
    [['brands', '--color', 'never'], {}, 'never'],
    [['--color=always', 'brands'], { NO_COLOR: '1' }, 'always'],
    [['brands', '--color', 'auto'], { FORCE_COLOR: '1' }, 'auto'],
    [['brands', '--color', 'blue'], {}, 'auto'],
    [['brands', '--', '--color', 'never'], {}, 'auto'],
    [['--color', 'never', '--color', 'always'], {}, 'always'],
  ])('after %j with %j: %s', (words, env, choice) => {
    expect(colorChoice(words, env)).toBe(choice);
  });

  it.each([
    [{ TERM: 'xterm-256color' }, false],
    [{ TERM: 'xterm-kitty' }, true],
    [{ TERM_PROGRAM: 'iTerm.app' }, true],
    [{ TERM_PROGRAM: 'Apple_Terminal' }, false],
    [{ VTE_VERSION: '6003' }, true],
    [{ VTE_VERSION: '3800' }, false],
    [{ TERM: 'xterm-kitty', FORCE_HYPERLINK: '0' }, false],
    [{ FORCE_HYPERLINK: '1' }, true],
  ])('makes links with %j: %s', (env, makes) => {
    expect(opensLinks(env)).toBe(makes);
    expect(outputStream(standard({ isTTY: true }), env, 'auto').hasLinks).toBe(makes);
    expect(outputStream(standard({}), env, 'always').hasLinks).toBe(false);
  });

  it('is 80 columns wide where that is not known, and follows the window', () => {
    const stream = standard({ isTTY: true });
    const output = outputStream(stream, {}, 'auto');
    expect(output.columns).toBe(80);
    stream.columns = 120;
    expect(output.columns).toBe(120);
  });
});

describe('a question', () => {
  it('is refused where there is no terminal', async () => {
    const prompter = createPrompter({
      mayPrompt: false,
      input: () => process.stdin,
      output: standard({}),
      signal: new AbortController().signal,
    });
    await expect(prompter.confirm(t`Pay?`)).rejects.toMatchObject({ code: 'TERMINAL_REQUIRED' });
  });
});

describe('plain progress', () => {
  it('is a line for each step, escaped', () => {
    const stream = capture();
    const progress = plainProgress(stream, inEnglish);
    progress.step(t`Paying ${'\u001b[2K'}`);
    progress.done();
    progress.done(t`Done`);
    expect(stream.text()).toBe('Paying \\u{1b}[2K\nDone\n');
  });
});
