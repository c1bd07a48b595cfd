import type { JsonObject, KubeObject } from '@kubewright/kube';

const NAME = 'kubewright-migration-agent';
const LABELS = { 'app.kubernetes.io/name': NAME };
/**
 * Its keys: `tls.crt` and `tls.key` of the agents, for the names of all nodes, as server and as client; `client.crt` and
 * `client.key` of the manager; `ca.crt`, which has issued both; `token`; and maybe `registries.json`.
 */
const SECRET = NAME;
const PORT = 9443;
/** Where kubelets write the archives of checkpoints. */
const ARCHIVES = '/var/lib/kubelet/checkpoints';
const CERTIFICATES = '/etc/ms2m';
/** Kubernetes expands `$(NAME)` in a value; the operator and the agents expand this one. */
const URL_OF_NODE = `https://$$(NODE):${PORT}`;
/** What `nsenter` needs to enter the mount namespace of the node's first process. */
const CAPABILITIES = ['SYS_ADMIN', 'SYS_CHROOT', 'SYS_PTRACE'];

/** The agent of `migration` on each node. Its account may have kubelets make checkpoints, and nothing else. */
export function nodeAgents({
  namespace,
  image,
}: {
  readonly namespace: string;
  readonly image: string;
}): readonly KubeObject[] {
  const apiGroup = 'rbac.authorization.k8s.io';
  const apiVersion = `${apiGroup}/v1`;
  const name = `kubewright:${NAME.replace('kubewright-', '')}`;
  const rules = [{ apiGroups: [''], resources: ['nodes/checkpoint'], verbs: ['create'] }];
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: NAME, namespace } },
    { apiVersion, kind: 'ClusterRole', metadata: { name }, rules },
    {
      apiVersion,
      kind: 'ClusterRoleBinding',
      metadata: { name },
      roleRef: { apiGroup, kind: 'ClusterRole', name },
      subjects: [{ kind: 'ServiceAccount', name: NAME, namespace }],
    },
    daemonSet(namespace, image),
  ];
}

/** What the manager has to know of the agents: where they are, their token, and who issues their certificates. */
export function addressOfAgents(): {
  readonly env: readonly JsonObject[];
  readonly volumeMounts: readonly JsonObject[];
  readonly volumes: readonly JsonObject[];
} {
  return {
    env: [
      ...agentEnv(),
      { name: 'MS2M_AGENT_CLIENT_CERT', value: `${CERTIFICATES}/client.crt` },
      { name: 'MS2M_AGENT_CLIENT_KEY', value: `${CERTIFICATES}/client.key` },
    ],
    volumeMounts: [{ name: 'agents', mountPath: CERTIFICATES, readOnly: true }],
    volumes: [
      {
        name: 'agents',
        secret: {
          secretName: SECRET,
          items: ['ca.crt', 'client.crt', 'client.key'].map((key) => ({ key, path: key })),
        },
      },
    ],
  };
}

function agentEnv(): readonly JsonObject[] {
  return [
    { name: 'MS2M_AGENT_URL', value: URL_OF_NODE },
    { name: 'MS2M_AGENT_TOKEN', valueFrom: { secretKeyRef: { name: SECRET, key: 'token' } } },
    { name: 'MS2M_AGENT_CA', value: `${CERTIFICATES}/ca.crt` },
  ];
}

function daemonSet(namespace: string, image: string): KubeObject {
  const podSpec = {
    serviceAccountName: NAME,
    nodeSelector: { 'kubernetes.io/os': 'linux' },
    // Pods of each node may move.
    tolerations: [{ operator: 'Exists' }],
    // To enter the node for ctr, containerd and criu: its first process is the first one here.
    hostPID: true,
    containers: [container(image)],
    volumes: [
      { name: 'agents', secret: { secretName: SECRET, defaultMode: 0o400 } },
      { name: 'archives', hostPath: { path: ARCHIVES, type: 'DirectoryOrCreate' } },
      { name: 'transfers', emptyDir: {} },
    ],
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: NAME, namespace, labels: LABELS },
    spec: { selector: { matchLabels: LABELS }, template: { metadata: { labels: LABELS }, spec: podSpec } },
  };
}

function container(image: string): JsonObject {
  return {
    name: 'agent',
    image,
    args: ['migrate', 'agent'],
    env: [
      { name: 'NODE_ADDRESS', valueFrom: { fieldRef: { fieldPath: 'status.hostIP' } } },
      ...agentEnv(),
      { name: 'MS2M_AGENT_CERT', value: `${CERTIFICATES}/tls.crt` },
      { name: 'MS2M_AGENT_KEY', value: `${CERTIFICATES}/tls.key` },
      { name: 'MS2M_AGENT_CLIENT_CA', value: `${CERTIFICATES}/ca.crt` },
      { name: 'MS2M_REGISTRY_AUTH', value: `${CERTIFICATES}/registries.json` },
      { name: 'MS2M_KUBELET_URL', value: 'https://$(NODE_ADDRESS):10250' },
      { name: 'MS2M_NODE_PREFIX', value: 'nsenter --target 1 --mount --' },
    ],
    ports: [{ name: 'agent', containerPort: PORT, hostPort: PORT }],
    readinessProbe: { tcpSocket: { port: 'agent' } },
    resources: { requests: { cpu: '10m', memory: '64Mi' } },
    securityContext: {
      runAsUser: 0,
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'], add: CAPABILITIES },
      seccompProfile: { type: 'RuntimeDefault' },
      // The default profiles let no container trace the node's first process, which entering it counts as.
      appArmorProfile: { type: 'Unconfined' },
    },
    volumeMounts: [
      { name: 'agents', mountPath: CERTIFICATES, readOnly: true },
      { name: 'archives', mountPath: ARCHIVES },
      { name: 'transfers', mountPath: '/var/lib/ms2m' },
    ],
  };
}
