// The least that a program can do that prints a list of a server: `get <url> [parse]`.
import { get } from 'node:http';

const [url, parse] = process.argv.slice(2);
get(url, { agent: false }, async (response) => {
  if (parse === undefined) return response.pipe(process.stdout);
  const chunks = await response.toArray();
  const list = JSON.parse(Buffer.concat(chunks).toString('utf8'));
  return process.stdout.write(`${JSON.stringify(list)}\n`);
});
