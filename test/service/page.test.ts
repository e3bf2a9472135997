import { expect, it } from 'vitest';
import { createPages, pageReply } from '../../src/service/http/ready.ts';

const textOf = (body: Uint8Array) => new TextDecoder().decode(body);

it('a page is rendered once for each key', async () => {
  const pages = createPages(2);
  let rendered = 0;
  const render = () => ({ rendered: ++rendered });
  const [one, other] = await Promise.all([pages('a', render), pages('a', render)]);
  expect(one).toBe(other);
  expect(textOf(one.body)).toBe('{"rendered":1}');
  expect((await pages('b', render)).etag).not.toBe(one.etag);
});

it('the page that was not asked for longest makes room', async () => {
  const pages = createPages(2);
  const rendered: string[] = [];
  const ask = (key: string) => pages(key, () => rendered.push(key));
  for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) await ask(key);
  expect(rendered).toEqual(['a', 'b', 'c', 'b']);
});

it('a page that could not be rendered is tried again', async () => {
  const pages = createPages(2);
  const fault = new RangeError('no');
  const fail = () => {
    throw fault;
  };
  await expect(pages('a', fail)).rejects.toBe(fault);
  expect(textOf((await pages('a', () => 1)).body)).toBe('1');
});

it.each([
  ['the tag itself', (etag: string) => etag, 304],
  ['a weak one', (etag: string) => `W/${etag}`, 304],
  ['one of several', (etag: string) => `"x", ${etag}`, 304],
  ['that of a compressed body', (etag: string) => etag.replace(/"$/, '-br"'), 304],
  ['another', () => '"x"', 200],
  ['none', () => '', 200],
])('with %s the reply is right', async (_what, header, status) => {
  const page = await createPages(1)('a', () => []);
  const request = new Request('https://x.example', {
    headers: { 'If-None-Match': header(page.etag) },
  });
  expect(pageReply(page, request, { isCurrent: () => true }).status).toBe(status);
});
