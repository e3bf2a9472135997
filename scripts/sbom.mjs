// Writes what a release holds as SPDX 2.3: the packages in the bundle, the native parts, the runtime of the executables.
// npm writes the document; only what is not shipped, and what would differ from run to run, is taken out.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { root, version } from './bundle.mjs';
import { run } from './platforms.mjs';

/** Fails unless the document is valid SPDX. @returns its name */
export function writeSbom({ folder, epoch, commit }) {
  const words = ['sbom', '--package-lock-only', '--sbom-format', 'spdx'];
  const all = JSON.parse(run('npm', words));
  const ids = new Set(['SPDXRef-DOCUMENT', ...all.documentDescribes]);
  const shipped = shippedPackages();
  for (const { name, versionInfo, SPDXID } of all.packages) {
    if (shipped.has(`${name} ${versionInfo}`)) ids.add(SPDXID);
  }
  const sbom = {
    ...all,
    documentNamespace: `https://spdx.org/spdxdocs/scrip-cli-${version}-${commit}`,
    creationInfo: {
      ...all.creationInfo,
      created: new Date(epoch * 1000).toISOString().replace('.000', ''),
    },
    packages: all.packages.filter(({ SPDXID }) => ids.has(SPDXID)),
    relationships: all.relationships.filter(
      ({ spdxElementId, relatedSpdxElement }) =>
        ids.has(spdxElementId) && ids.has(relatedSpdxElement),
    ),
  };
  const missing = [...shipped].filter(
    (one) => !sbom.packages.some(({ name, versionInfo }) => one === `${name} ${versionInfo}`),
  );
  if (missing.length > 0) throw new Error(`the SBOM lacks ${missing.join(', ')}`);
  check(sbom);
  const name = `scrip-${version}.spdx.json`;
  writeFileSync(join(folder, name), `${JSON.stringify(sbom, null, 2)}\n`);
  return name;
}

/** As "name version": what the build's notices name, and what is fetched beside them. */
function shippedPackages() {
  const notices = readFileSync(join(root, 'dist', 'THIRD-PARTY-NOTICES.txt'), 'utf8');
  const bundled = [...notices.matchAll(/^(\S+ \d\S*) \(.+\)$/gm)].map(([, found]) => found);
  const { optionalDependencies, devDependencies } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  );
  const beside = Object.entries({ ...optionalDependencies, bun: devDependencies.bun });
  return new Set([...bundled, ...beside.map((entry) => entry.join(' '))]);
}

function check(document) {
  const schema = readFileSync(join(root, 'packaging', 'spdx-2.3.schema.json'), 'utf8');
  const ajv = new Ajv({ strict: false, allErrors: true });
  addFormats.default(ajv);
  if (!ajv.validate(JSON.parse(schema), document)) throw new Error(ajv.errorsText());
}
