// npm run assets:csi: makes sure that kubernetes-csi's host-path driver and the sidecars that it needs are there.
// Prints as the last line, alone, the folder of the sidecars.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from './build.mjs';
import { csiDirectory, findHostpathPlugin, HOSTPATH_PLUGIN, SIDECARS, SNAPSHOT_CRDS } from './find-csi.mjs';
import { onPath } from './find.mjs';
import { ensureBuilt, printFolder } from './print-folder.mjs';

const CLIENT_MODULE = 'github.com/kubernetes-csi/external-snapshotter/client/v8';

/** The definitions come with the module that the sidecars are built from. */
function copyDefinitions(go, directory) {
  const target = join(directory, SNAPSHOT_CRDS);
  if (existsSync(target)) return;
  const cwd = fileURLToPath(new URL('csi/', import.meta.url));
  const module = execFileSync(go, ['list', '-mod=readonly', '-m', '-f', '{{.Dir}}', CLIENT_MODULE], { cwd });
  const source = join(module.toString().trim(), 'config', 'crd');
  const partial = `${target}.${process.pid}`;
  mkdirSync(partial);
  for (const file of readdirSync(source)) copyFileSync(join(source, file), join(partial, file));
  renameSync(partial, target);
}

async function buildDriver(go, directory) {
  try {
    await build(go, directory, [HOSTPATH_PLUGIN], (line) => console.log(line));
  } catch (error) {
    assert.fail(
      `${error.message}\ncsi-driver-host-path cannot be built: set CSI_HOSTPATH_PLUGIN to a program that was`,
    );
  }
}

async function main() {
  const directory = csiDirectory();
  const go = onPath('go');
  await ensureBuilt('kubernetes-csi', directory, SIDECARS);
  if (!existsSync(join(directory, SNAPSHOT_CRDS))) {
    assert(go, 'Go is not installed: install it (https://go.dev/dl)');
    copyDefinitions(go, directory);
  }
  if (!findHostpathPlugin()) {
    assert(go, 'there is no csi-driver-host-path: install Go, or set CSI_HOSTPATH_PLUGIN to a built program');
    await buildDriver(go, directory);
  }
  console.log(`csi-driver-host-path: ${findHostpathPlugin()}`);
  return directory;
}

await printFolder(main);
