// Writes completions/ from the built command line; a test checks that the files match its output.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const FILES = { bash: 'scrip.bash', zsh: '_scrip', fish: 'scrip.fish' };

mkdirSync(`${root}completions`, { recursive: true });
for (const [shell, file] of Object.entries(FILES)) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [`${root}bin/scrip.js`, 'completion', shell],
    { encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`scrip completion ${shell} ended with ${status}: ${stderr}`);
  writeFileSync(`${root}completions/${file}`, stdout);
}
