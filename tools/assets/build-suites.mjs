// Builds the test binaries of a suite from the release that find-suites.mjs pins, with the libraries that the release pins.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { goBuild } from './build.mjs';
import { SUITES, suiteFolder } from './find-suites.mjs';
import { holds } from './find.mjs';

/** The folder of the release in Go's cache, which is read only. Go verifies it by its database of checksums, too. */
function download(go, { module, version, sum }) {
  const options = { cwd: tmpdir(), stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, GOFLAGS: '' } };
  const printed = execFileSync(go, ['mod', 'download', '-json', `${module}@${version}`], options);
  const { Dir, Sum } = JSON.parse(printed.toString());
  assert.equal(Sum, sum, `${module} ${version} is not what it was`);
  return Dir;
}

/** The sources, with a go.mod that can be built in: as a copy, which appears whole or not at all. */
function copySources(go, name, folder) {
  if (existsSync(folder)) return;
  const partial = `${folder}.${process.pid}`;
  mkdirSync(dirname(folder), { recursive: true });
  try {
    cpSync(download(go, SUITES[name]), partial, { recursive: true });
    execFileSync('chmod', ['-R', 'u+w', partial]);
    renameSync(partial, folder);
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
}

/** Builds what is missing of one suite. Each binary appears whole or not at all. */
export async function buildSuite(go, name, log) {
  const folder = suiteFolder(name);
  copySources(go, name, folder);
  const bin = join(folder, 'bin');
  mkdirSync(bin, { recursive: true });
  for (const [key, path] of Object.entries(SUITES[name].packages)) {
    if (holds(bin, [key])) continue;
    const partial = join(bin, `.${key}.${process.pid}`);
    const args = ['test', '-c', '-vet=off', '-mod=readonly', '-ldflags', '-s -w', '-o', partial, `./${path}`];
    try {
      await goBuild(go, { name: `${name} ${key}`, args, cwd: folder, log });
      renameSync(partial, join(bin, key));
    } finally {
      rmSync(partial, { force: true });
    }
  }
}
