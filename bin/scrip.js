#!/usr/bin/env node
// Nothing that this program writes is for other users of the machine.
process.umask(0o077);

const [word, ...others] = process.argv.slice(2);
if (others.length === 0 && (word === '--version' || word === '-V')) {
  const { readFileSync } = process.getBuiltinModule('node:fs');
  const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  process.stdout.write(`${JSON.parse(manifest).version}\n`);
} else {
  await start();
}

async function start() {
  const program = new URL('../dist/main.js', import.meta.url);
  const { existsSync } = process.getBuiltinModule('node:fs');
  if (existsSync(program)) {
    const { main } = await import(program.href);
    await main();
  } else {
    process.stderr.write(
      'error: scrip is not built yet: dist/ is missing\nhint: Run: npm run build\n',
    );
    process.exitCode = 1;
  }
}
