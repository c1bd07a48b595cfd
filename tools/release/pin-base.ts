import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openApt } from '../assets/open-apt.mjs';
import { NODE_PACKAGES } from './base-archives.ts';
import { BASE_FILE, type ImageBase, readImageBase } from './read-image-base.ts';
import { runNpm } from './run-npm.ts';

const ARCHITECTURES = ['amd64', 'arm64'] as const;

/** Writes into `image-base.json` what Debian's suite has now, and the hashes of the Node that it names. */
export function pinBase(): ImageBase {
  const { node, debian } = readImageBase();
  const integrity = ARCHITECTURES.map((architecture) => {
    const spec = `${NODE_PACKAGES[architecture]}@${node.version}`;
    return [architecture, runNpm('view', spec, 'dist.integrity').trim()];
  });
  const base = {
    node: { version: node.version, integrity: Object.fromEntries(integrity) },
    debian: { suite: debian.suite, packages: pinDebian(debian.suite, Object.keys(debian.packages)) },
  } as ImageBase;
  writeFileSync(BASE_FILE, `${JSON.stringify(base, null, 2)}\n`);
  return base;
}

function pinDebian(suite: string, names: readonly string[]): ImageBase['debian']['packages'] {
  const work = mkdtempSync(join(tmpdir(), 'kubewright-base-'));
  try {
    const apt = openApt(work, suite, { architectures: ARCHITECTURES });
    const specs = names.flatMap((name) => ARCHITECTURES.map((architecture) => `${name}:${architecture}`));
    const lines = apt('download', '--print-uris', ...specs);
    return Object.fromEntries(names.map((name) => [name, pinOf(name, lines)]));
  } finally {
    rmSync(work, { recursive: true });
  }
}

/** A line has the name of the file, `NAME_VERSION_ARCHITECTURE.deb`, its size, and its hash. */
function pinOf(name: string, lines: string): ImageBase['debian']['packages'][string] {
  const found = lines.split('\n').flatMap((line) => {
    const [, file = '', , hash = ''] = line.split(' ');
    const [package_, version = '', architecture = ''] = file.replace(/\.deb$/, '').split('_');
    return package_ === name ? [{ version, architecture, hash: hash.replace('SHA256:', '') }] : [];
  });
  const versions = new Set(found.map(({ version }) => version));
  assert(
    found.length === 2 && versions.size === 1,
    `${name} is not there in one version for both architectures`,
  );
  const sha256 = Object.fromEntries(found.map(({ architecture, hash }) => [architecture, hash]));
  const [version = ''] = versions;
  return { version: decodeURIComponent(version), sha256: sha256 as { amd64: string; arm64: string } };
}
