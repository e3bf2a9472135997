// Writes where the files of a release come from: an in-toto statement with a SLSA provenance, version 1.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, version } from './bundle.mjs';
import { run } from './platforms.mjs';

/** @param digests SHA-256 by file name @returns its name */
export function writeProvenance({ folder, commit, digests, sha256Of }) {
  const project = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const repository = project.repository.url;
  const statement = {
    _type: 'https://in-toto.io/Statement/v1',
    subject: Object.entries(digests).map(([name, sha256]) => ({ name, digest: { sha256 } })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: `${project.homepage}/blob/main/docs/operate/releasing.md`,
        externalParameters: { source: repository, version, command: 'npm run release' },
        internalParameters: { node: process.version, npm: run('npm', ['--version']).trim() },
        resolvedDependencies: [
          { uri: `${repository}@${commit}`, digest: { gitCommit: commit } },
          {
            uri: `${repository}#package-lock.json`,
            digest: { sha256: sha256Of(join(root, 'package-lock.json')) },
          },
        ],
      },
      // No times: the same commit gives the same statement.
      runDetails: { builder: { id: `${project.homepage}/blob/main/scripts/release.mjs` } },
    },
  };
  const name = `scrip-${version}.intoto.json`;
  writeFileSync(join(folder, name), `${JSON.stringify(statement, null, 2)}\n`);
  return name;
}
