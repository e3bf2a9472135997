/** One POST of a JSON document. */
export const postJson = (
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> =>
  fetch(url, {
    ...{ method: 'POST', body: JSON.stringify(body) },
    headers: { 'Content-Type': 'application/json', ...headers },
  });
