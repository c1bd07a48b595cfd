import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { REGISTRY } from './serve-registry.ts';

/** What a node is configured with. */
export type NodePlan = {
  readonly name: string;
  readonly address: string;
  /** The addresses of its pods. */
  readonly pods: string;
  /** The content of `/etc/hosts`. */
  readonly hosts: string;
  readonly apiServer: { readonly url: string; readonly caCert: string; readonly token: string };
  /** PEM of the CA of the kubelet's clients. */
  readonly clientCa: string;
  /** PEM of the CA that the node trusts. */
  readonly nodeCa: string;
  /** PEM: the kubelet's own. */
  readonly serving: { readonly cert: string; readonly key: string };
};

/** Paths are the node's. */
export const KUBELET_FLAGS = [
  '--config=/etc/kubernetes/kubelet.json',
  '--kubeconfig=/etc/kubernetes/kubeconfig',
] as const;

/** Writes the configuration files of a node below `root`. */
export function writeNodeFiles(root: string, plan: NodePlan): void {
  const files = {
    'etc/containerd/config.toml': CONTAINERD,
    // The registry's certificate is of it.
    'etc/ssl/certs/ca-certificates.crt': plan.nodeCa,
    'etc/cni/net.d/10-bridge.conflist': JSON.stringify(cni(plan.pods)),
    // An application's connections are closed by a checkpoint, and those that are not accepted yet are left out.
    'etc/criu/runc.conf': 'skip-in-flight\ntcp-close\n',
    'etc/resolv.conf': '',
    'etc/hosts': plan.hosts,
    'etc/kubernetes/kubelet.json': JSON.stringify(kubelet()),
    'etc/kubernetes/kubeconfig': JSON.stringify(kubeconfig(plan.apiServer)),
    'etc/kubernetes/client-ca.crt': plan.clientCa,
    'etc/kubernetes/kubelet.crt': plan.serving.cert,
    'etc/kubernetes/kubelet.key': plan.serving.key,
  };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text, { mode: 0o600 });
  }
}

/** Without CAP_SYS_RESOURCE no process gets a lower score than its parent. */
const CONTAINERD = `
version = 3
[plugins.'io.containerd.cri.v1.runtime']
  restrict_oom_score_adj = true
  [plugins.'io.containerd.cri.v1.runtime'.cni]
    bin_dirs = ['/usr/lib/cni']
[plugins.'io.containerd.cri.v1.images'.pinned_images]
  sandbox = '${REGISTRY}/pause:1'
`;

function cni(subnet: string): object {
  const ipam = { type: 'host-local', ranges: [[{ subnet }]], routes: [{ dst: '0.0.0.0/0' }] };
  const bridge = { type: 'bridge', bridge: 'cni0', isGateway: true, ipam };
  return { cniVersion: '1.0.0', name: 'pods', plugins: [bridge] };
}

function kubelet(): object {
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: '/etc/kubernetes/client-ca.crt' },
    },
    authorization: { mode: 'Webhook' },
    tlsCertFile: '/etc/kubernetes/kubelet.crt',
    tlsPrivateKeyFile: '/etc/kubernetes/kubelet.key',
    containerRuntimeEndpoint: 'unix:///run/containerd/containerd.sock',
    cgroupDriver: 'cgroupfs',
    failCgroupV1: false,
    failSwapOn: false,
    makeIPTablesUtilChains: false,
    resolvConf: '',
    // The host's disk may be nearly full.
    evictionHard: { 'imagefs.available': '1Mi', 'nodefs.available': '1Mi', 'memory.available': '1Mi' },
    imageGCHighThresholdPercent: 100,
    imageGCLowThresholdPercent: 99,
    nodeStatusUpdateFrequency: '2s',
  };
}

/** The server's certificate is for the loopback, by which only this machine reaches it. */
function kubeconfig({ url, caCert, token }: NodePlan['apiServer']): object {
  const cluster = {
    server: url,
    'tls-server-name': 'localhost',
    'certificate-authority-data': Buffer.from(caCert).toString('base64'),
  };
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'test', cluster }],
    users: [{ name: 'kubelet', user: { token } }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'kubelet' } }],
    'current-context': 'test',
  };
}
