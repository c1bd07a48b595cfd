// npm run assets:nodes: makes sure that everything of a real node is there: kubelet and kube-scheduler, and from Debian
// testing containerd, runc, CRIU and what they need. Prints where they are; as the last line, alone, the root of a node.
import assert from 'node:assert/strict';
import { build } from './build.mjs';
import { KUBERNETES_VERSION, cacheDirectory, holds, onPath } from './find.mjs';
import { NODE_BINARIES, nodeRoot } from './find-nodes.mjs';
import { unpackNodeRoot } from './node-root.mjs';

async function main() {
  const directory = cacheDirectory();
  const log = (line) => console.log(line);
  if (!holds(nodeRoot(), ['usr/bin/containerd'])) {
    log(`Debian testing: unpacking containerd, runc and CRIU into ${nodeRoot()}`);
    await unpackNodeRoot(nodeRoot(), log);
  }
  if (!holds(directory, NODE_BINARIES)) {
    const go = onPath('go');
    assert(go, 'Go is not installed: install it (https://go.dev/dl)');
    log(`Kubernetes ${KUBERNETES_VERSION}: building into ${directory}`);
    await build(go, directory, NODE_BINARIES, log);
  }
  return nodeRoot();
}

try {
  console.log(await main());
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
