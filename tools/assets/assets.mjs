// npm run assets: makes sure that etcd, kube-apiserver, kube-controller-manager and kubectl are there.
// Prints where they are; as the last line, alone, the folder of the servers.
import assert from 'node:assert/strict';
import { build } from './build.mjs';
import { KUBERNETES_VERSION, cacheDirectory, findKubectl, findServers, holds, onPath } from './find.mjs';
import { printFolder } from './print-folder.mjs';

const BUILT = ['etcd', 'kube-apiserver', 'kube-controller-manager'];

async function main() {
  const given = process.env.KUBEBUILDER_ASSETS;
  if (given) {
    assert(findServers(), `KUBEBUILDER_ASSETS=${given} holds no executable etcd and kube-apiserver`);
    console.log('from KUBEBUILDER_ASSETS:');
    return given;
  }
  const directory = cacheDirectory();
  const names = findKubectl() ? BUILT : [...BUILT, 'kubectl'];
  if (!holds(directory, names)) {
    const go = onPath('go');
    if (!go) {
      assert.fail(
        'Go is not installed: install it (https://go.dev/dl), or set KUBEBUILDER_ASSETS to a folder with etcd and kube-apiserver',
      );
    }
    console.log(`Kubernetes ${KUBERNETES_VERSION}: building into ${directory}`);
    await build(go, directory, names, (line) => console.log(line));
  }
  console.log(`kubectl: ${findKubectl()}`);
  return directory;
}

await printFolder(main);
