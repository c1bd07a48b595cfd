// npm run assets:helm: makes sure that the pinned versions of Helm 3 and Helm 4 are there.
// Prints as the last line, alone, the folder of the programs `helm3` and `helm4`.
import assert from 'node:assert/strict';
import { build } from './build.mjs';
import { findHelm, HELM_VERSIONS, helmDirectory } from './find-helm.mjs';
import { onPath } from './find.mjs';

async function main() {
  const directory = helmDirectory();
  if (findHelm() !== undefined) return directory;
  const go = onPath('go');
  assert(go, 'Go is not installed: install it (https://go.dev/dl)');
  console.log(`Helm ${Object.values(HELM_VERSIONS).join(' and ')}: building into ${directory}`);
  await build(go, directory, Object.keys(HELM_VERSIONS), (line) => console.log(line));
  return directory;
}

try {
  console.log(await main());
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
