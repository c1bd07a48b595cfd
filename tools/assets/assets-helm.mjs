// npm run assets:helm: makes sure that the pinned versions of Helm 3 and Helm 4 are there.
// Prints as the last line, alone, the folder of the programs `helm3` and `helm4`.
import { HELM_VERSIONS, helmDirectory } from './find-helm.mjs';
import { ensureBuilt, printFolder } from './print-folder.mjs';

await printFolder(async () => {
  const [names, versions] = [Object.keys(HELM_VERSIONS), Object.values(HELM_VERSIONS)];
  await ensureBuilt(`Helm ${versions.join(' and ')}`, helmDirectory(), names);
  return helmDirectory();
});
