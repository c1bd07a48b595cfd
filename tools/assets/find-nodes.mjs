// Finds what a real node is made of: looks, never builds.
import { join } from 'node:path';
import { cacheDirectory, holds, onPath } from './find.mjs';

/** What is built for nodes, beside the servers. */
export const NODE_BINARIES = ['kube-scheduler', 'kubelet'];

/** The root file system of nodes: containerd, runc, CRIU and what they need. Nodes never write to it. */
export function nodeRoot(env = process.env) {
  return join(cacheDirectory(env), 'node-root');
}

/** Why this machine can run no nodes; undefined: it can, once the assets are there. With KUBEWRIGHT_BUILD=off they have to be. */
export function whyNoNodes(env = process.env) {
  if (process.platform !== 'linux') return 'needs Linux';
  if (process.getuid() !== 0) return 'needs root';
  const hasAll = holds(nodeRoot(env), ['usr/bin/containerd']) && holds(cacheDirectory(env), NODE_BINARIES);
  if (hasAll) return undefined;
  if (env.KUBEWRIGHT_BUILD === 'off') return 'needs what npm run assets:nodes makes';
  const missing = ['apt-get', 'dpkg-deb', 'go'].find((name) => onPath(name, env) === undefined);
  return missing === undefined ? undefined : `needs ${missing}`;
}
