// Writes the chunks of the bundle as CommonJS: the bundler splits ES modules alone, and bin/load.js
// loads CommonJS in a third of the time.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { transform } from 'esbuild';

const OPTIONS = {
  format: 'cjs',
  platform: 'node',
  target: 'node20.19',
  minifyWhitespace: true,
  legalComments: 'none',
  // The bundler has warned already, where there was something to warn of.
  logLevel: 'error',
  // `import()` of a chunk goes through the loader as well.
  supported: { 'dynamic-import': false },
  // The only use of it: to require from where the chunk is.
  define: { 'import.meta.url': '__filename' },
};

export async function writeChunks(outputFiles) {
  await Promise.all(
    outputFiles.map(async ({ path, text }) => {
      const { code } = await transform(text, OPTIONS);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, code);
    }),
  );
  // Whatever reads a chunk without the loader takes it for what it is.
  const [first] = outputFiles.filter(({ path }) => path.endsWith('/main.js'));
  writeFileSync(`${dirname(first.path)}/package.json`, '{"type":"commonjs"}\n');
}
