#!/usr/bin/env bash
# `topPods` of the JavaScript client of Kubernetes, what `kubectl top pods` would print, with two pods of one StatefulSet's name in two
# namespaces. Asked for all namespaces, it finds a pod's use by the pod's name alone: both have that of the last one in the list of
# metrics. And a memory request with a fraction, which Kubernetes accepts, is an error of all pods: numbers with a suffix of memory are
# read as whole ones.
#
# What this printed, with Node.js 20.20.2, when it was written:
#
#   all namespaces: blue/web-0 uses 200 Mi, green/web-0 uses 200 Mi
#   one namespace: blue/web-0 uses 100 Mi
#   a request of 0.5Gi: Cannot convert 0.5 to a BigInt
#
# Exits with 1 when it behaves in another way, and with 2 when it cannot be had. Needs npm and a network.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --no-save --ignore-scripts --cache "$folder/cache" --prefix "$folder" \
  @kubernetes/client-node@1.4.0 >/dev/null || { echo 'the client cannot be installed'; exit 2; }

cat >program.mjs <<'PROGRAM'
import { once } from 'node:events';
import { createServer } from 'node:http';
import { CoreV1Api, KubeConfig, Metrics, topPods } from '@kubernetes/client-node';

const use = { blue: '100Mi', green: '200Mi' };
const names = (path) => Object.keys(use).filter((name) => !path.includes('/namespaces/') || path.includes(`/${name}/`));
let requested = '512Mi';
const pod = (namespace) => ({
  metadata: { namespace, name: 'web-0' },
  spec: { containers: [{ name: 'web', resources: { requests: { memory: requested } } }] },
  status: { phase: 'Running' },
});
const metrics = (namespace) => ({
  metadata: { namespace, name: 'web-0' },
  containers: [{ name: 'web', usage: { cpu: '10m', memory: use[namespace] } }],
});
const server = createServer(({ url }, response) => {
  const items = names(url).map(url.startsWith('/apis/metrics.k8s.io/') ? metrics : pod);
  response.setHeader('content-type', 'application/json').end(JSON.stringify({ items }));
}).listen(0, '127.0.0.1');
await once(server, 'listening');

const config = new KubeConfig();
config.loadFromOptions({
  clusters: [{ name: 'c', server: `http://127.0.0.1:${server.address().port}`, skipTLSVerify: true }],
  users: [{ name: 'u' }],
  contexts: [{ name: 'x', cluster: 'c', user: 'u' }],
  currentContext: 'x',
});
async function top(namespace) {
  try {
    const pods = await topPods(config.makeApiClient(CoreV1Api), new Metrics(config), namespace);
    const mebibytes = ({ Memory }) => Number(Memory.CurrentUsage) / 2 ** 20;
    return pods
      .map((one) => `${one.Pod.metadata.namespace}/${one.Pod.metadata.name} uses ${mebibytes(one)} Mi`)
      .join(', ');
  } catch (error) {
    return error.message;
  }
}
console.log(`all namespaces: ${await top()}`);
console.log(`one namespace: ${await top('blue')}`);
requested = '0.5Gi';
console.log(`a request of 0.5Gi: ${await top('blue')}`);
server.close();
server.closeAllConnections();
PROGRAM

seen=$(timeout 60 node program.mjs 2>&1) || true
echo "$seen"
before='all namespaces: blue/web-0 uses 200 Mi, green/web-0 uses 200 Mi
one namespace: blue/web-0 uses 100 Mi
a request of 0.5Gi: Cannot convert 0.5 to a BigInt'
[ "$seen" = "$before" ] || { printf 'before:\n%s\n' "$before"; exit 1; }
