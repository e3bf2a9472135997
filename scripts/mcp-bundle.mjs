// Builds what MCP hosts install from, in build/mcp or the folder named: server.json for a registry, and a bundle
// (.mcpb) of this program for this platform, which a host runs with its own Node.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packExtension } from '@anthropic-ai/mcpb/cli';

const require = createRequire(import.meta.url);
const root = fileURLToPath(new URL('..', import.meta.url));
const folder = resolve(process.argv[2] ?? join(root, 'build', 'mcp'));
const stage = join(folder, 'bundle');
const read = (path) => JSON.parse(readFileSync(path, 'utf8'));
const project = read(join(root, 'package.json'));
const { platform, arch } = process;

function run(command, args, cwd) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}\n${stderr}`);
  return stdout;
}

/** The program as npm would install it, without what only a checkout has. */
function stageProgram(server) {
  const words = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
  const [{ filename }] = JSON.parse(run('npm', words, root));
  run('tar', ['-xzf', filename, '-C', server, '--strip-components', '1'], folder);
  rmSync(join(folder, filename));
  const abi = { linux: '-gnu', win32: '-msvc' }[platform] ?? '';
  for (const name of [`@libsql/${platform}-${arch}${abi}`, `litesvm-${platform}-${arch}${abi}`]) {
    const from = dirname(require.resolve(`${name}/package.json`));
    cpSync(from, join(server, 'node_modules', name), { recursive: true });
  }
}

/** The tools of the program that was built, so that no list is kept by hand. */
function tools() {
  const manifest = JSON.parse(run(process.execPath, ['bin/scrip.js', 'mcp', '--manifest'], root));
  return manifest.tools.map(({ name, description }) => ({ name, description }));
}

const bundleManifest = () => ({
  manifest_version: '0.3',
  name: 'scrip',
  display_name: 'scrip',
  version: project.version,
  description: project.description,
  author: { name: 'scrip' },
  license: project.license,
  keywords: project.keywords,
  server: {
    type: 'node',
    entry_point: 'server/bin/scrip.js',
    mcp_config: {
      command: 'node',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the host fills them in.
      args: ['${__dirname}/server/bin/scrip.js', 'mcp', '--profile', '${user_config.profile}'],
    },
  },
  tools: tools(),
  prompts_generated: true,
  compatibility: { platforms: [platform], runtimes: { node: project.engines.node } },
  user_config: {
    profile: {
      type: 'string',
      title: 'Profile',
      description: 'The profile of scrip to use; "sandbox" has test money and a shop of its own.',
      default: 'sandbox',
      required: false,
    },
  },
});

/** For a registry of MCP servers. The bundle's address is known once it is published. */
const registryEntry = (sha256) => ({
  $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
  name: project.mcpName,
  title: 'scrip',
  description: project.description,
  version: project.version,
  packages: [
    {
      registryType: 'npm',
      identifier: project.name,
      version: project.version,
      runtimeHint: 'npx',
      transport: { type: 'stdio' },
      packageArguments: [{ type: 'positional', value: 'mcp' }],
      environmentVariables: [
        {
          name: 'SCRIP_PROFILE',
          description: 'The profile to use: sandbox (test money), or one of your own',
          default: 'sandbox',
        },
      ],
    },
  ],
  _meta: {
    'io.modelcontextprotocol.registry/publisher-provided': {
      bundle: { file: bundleName, fileSha256: sha256 },
    },
  },
});

const bundleName = `scrip-${project.version}-${platform}-${arch}.mcpb`;

rmSync(folder, { recursive: true, force: true });
mkdirSync(join(stage, 'server'), { recursive: true });
stageProgram(join(stage, 'server'));
writeFileSync(join(stage, 'manifest.json'), JSON.stringify(bundleManifest(), null, 2));
// Validates the manifest first.
const outputPath = join(folder, bundleName);
if (!(await packExtension({ extensionPath: stage, outputPath, silent: true }))) process.exit(1);
rmSync(stage, { recursive: true });
const sha256 = createHash('sha256').update(readFileSync(outputPath)).digest('hex');
writeFileSync(join(folder, 'server.json'), `${JSON.stringify(registryEntry(sha256), null, 2)}\n`);
console.log(`${outputPath}\n${join(folder, 'server.json')}`);
