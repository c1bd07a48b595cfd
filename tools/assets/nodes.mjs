// npm run assets:nodes: makes sure that everything of a real node is there: kubelet and kube-scheduler, and from Debian
// testing containerd, runc, CRIU and what they need. Prints where they are; as the last line, alone, the root of a node.
import { KUBERNETES_VERSION, cacheDirectory, holds } from './find.mjs';
import { NODE_BINARIES, nodeRoot } from './find-nodes.mjs';
import { unpackNodeRoot } from './node-root.mjs';
import { ensureBuilt, printFolder } from './print-folder.mjs';

await printFolder(async () => {
  const log = (line) => console.log(line);
  if (!holds(nodeRoot(), ['usr/bin/containerd'])) {
    log(`Debian testing: unpacking containerd, runc and CRIU into ${nodeRoot()}`);
    await unpackNodeRoot(nodeRoot(), log);
  }
  await ensureBuilt(`Kubernetes ${KUBERNETES_VERSION}`, cacheDirectory(), NODE_BINARIES);
  return nodeRoot();
});
