// The floor of what is served: node:http that writes bytes it was given, `bare-host.mjs <file>`. Of each
// line of the file, a JSON object, it answers `path` with `status`, `headers` and `body` (base64).
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const answers = new Map(
  readFileSync(process.argv[2], 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .map(({ path, body, ...more }) => [path, { ...more, body: Buffer.from(body, 'base64') }]),
);
const server = createServer(({ url }, response) => {
  const { status, headers, body } = answers.get(url);
  response.writeHead(status, headers);
  response.end(body);
});
server.listen(0, '127.0.0.1', () =>
  process.send({ url: `http://127.0.0.1:${server.address().port}` }),
);
