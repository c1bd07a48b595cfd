// Finds the binaries of a real control plane: looks, never builds.
import { accessSync, constants } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

/** The release that the goldens were recorded on; see docs/decisions/0001. */
export const KUBERNETES_VERSION = 'v1.36.2';

const SERVERS = ['etcd', 'kube-apiserver'];

function executable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Where built binaries are kept, outside the repository. */
export function cacheDirectory(env = process.env) {
  const base = env.XDG_CACHE_HOME || join(homedir(), '.cache');
  return join(base, 'kubewright', 'assets', KUBERNETES_VERSION);
}

/** True when the folder holds `names`. */
export function holds(directory, names) {
  return names.every((name) => executable(join(directory, name)));
}

/**
 * The folder with etcd and kube-apiserver: KUBEBUILDER_ASSETS, else the cache; undefined when neither has them, or when
 * KUBEWRIGHT_REAL is `off`: they are not wanted now.
 */
export function findServers(env = process.env) {
  if (env.KUBEWRIGHT_REAL === 'off') return undefined;
  const given = env.KUBEBUILDER_ASSETS;
  if (given) return holds(given, SERVERS) ? given : undefined;
  const cache = cacheDirectory(env);
  return holds(cache, SERVERS) ? cache : undefined;
}

/** The first executable of that name on the PATH. */
export function onPath(name, env = process.env) {
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, name)).find(executable);
}

/** kubectl from the PATH, else beside the servers, else undefined. */
export function findKubectl(env = process.env) {
  const beside = [env.KUBEBUILDER_ASSETS, cacheDirectory(env)].filter(Boolean);
  return onPath('kubectl', env) ?? beside.map((folder) => join(folder, 'kubectl')).find(executable);
}
