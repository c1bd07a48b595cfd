// Finds kubernetes-csi's programs: looks, never builds.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { cacheDirectory, holds } from './find.mjs';

/** external-provisioner and external-snapshotter. */
export const SIDECARS = ['csi-provisioner', 'csi-snapshotter', 'snapshot-controller'];
/** csi-driver-host-path. */
export const HOSTPATH_PLUGIN = 'hostpathplugin';
/** Below the programs: the CustomResourceDefinitions of external-snapshotter. */
export const SNAPSHOT_CRDS = 'snapshot-crds';

/** Where built programs are kept, outside the repository: another version has another folder. */
export function csiDirectory(env = process.env) {
  const pinned = ['csi', 'csi-driver'].map((module) =>
    readFileSync(new URL(`${module}/go.mod`, import.meta.url)),
  );
  const hash = createHash('sha256').update(Buffer.concat(pinned)).digest('hex').slice(0, 12);
  return join(dirname(cacheDirectory(env)), `csi-${hash}`);
}

/** The driver: CSI_HOSTPATH_PLUGIN, else the one that was built; undefined when there is none. */
export function findHostpathPlugin(env = process.env) {
  const path = env.CSI_HOSTPATH_PLUGIN || join(csiDirectory(env), HOSTPATH_PLUGIN);
  return holds(dirname(path), [basename(path)]) ? path : undefined;
}

/** The folder of the sidecars and of the definitions, and the driver; undefined when one of them is missing. */
export function findCsi(env = process.env) {
  const directory = csiDirectory(env);
  const driver = findHostpathPlugin(env);
  const found = holds(directory, SIDECARS) && existsSync(join(directory, SNAPSHOT_CRDS));
  return found && driver !== undefined ? { directory, driver } : undefined;
}
