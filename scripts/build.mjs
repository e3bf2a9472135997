// Bundles src/ into dist/: one small entry, and a chunk for each command and each heavy part.
import { rmSync } from 'node:fs';
import { build } from 'esbuild';
import { options, root, version } from './bundle.mjs';
import { writeChunks } from './chunks.mjs';
import { writeCodeCache } from './code-cache.mjs';
import { writeLibrary } from './declarations.mjs';
import { writeNotices } from './notices.mjs';
import { writeReference, writeTexts } from './texts.mjs';

rmSync(`${root}dist`, { recursive: true, force: true });
const program = await build({ ...options, write: false, metafile: true });
await writeChunks(program, `${root}dist`);
// Each of these runs without the program.
const alone = await build({
  ...options,
  entryPoints: { complete: 'src/complete.ts', 'first-screen': 'src/first-screen.ts' },
  splitting: false,
  format: 'cjs',
  metafile: true,
  outExtension: { '.js': '.cjs' },
});
writeNotices([program.metafile, alone.metafile], `${root}dist/THIRD-PARTY-NOTICES.txt`);
await writeLibrary(options, root);
await writeTexts(options, version);
if (process.argv.includes('--reference')) await writeReference(options, version);
else await writeCodeCache();
