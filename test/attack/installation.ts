import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Client,
  createClient,
  ignoreNotFound,
  kubeconfigTransport,
  loadKubeconfig,
  type ResourceRef,
  withImpersonation,
} from '@kubewright/client';
import {
  type appsv1,
  coordinationv1,
  corev1,
  type JsonObject,
  type KubeObject,
  parseApiVersion,
  type Transport,
} from '@kubewright/kube';
import { anyKindRoles, MANAGER, NAMESPACE, OPERATORS } from '@kubewright/operators';
import { waitForObject } from '@kubewright/runtime';
import { type Kausality, KAUSALITIES } from '../../packages/operators/src/drift/api.ts';
import { parseDocuments } from '../../packages/operators/src/kit/read-documents.ts';
import { writeKubeconfig } from '../servers/kubeconfig.ts';
import { freePort } from '../support/free-port.ts';
import { KUBEWRIGHT } from '../support/kubewright-command.ts';
import { type SecondClient, startSecondClient } from './second-client.ts';
import { startWatched, type WatchedProcess } from './watched-process.ts';

/** A cluster and a manager with all operators, installed as `kubewright install` says, each a process; and a second client. */
export type Installation = {
  /** Of a cluster admin. */
  readonly client: Client;
  readonly transport: Transport;
  readonly kubeconfig: string;
  /** A folder of this installation. */
  readonly folder: string;
  readonly apiUrl: string;
  readonly webhookPort: number;
  readonly healthPort: number;
  readonly cluster: WatchedProcess;
  /** The manager that runs now. */
  readonly manager: WatchedProcess;
  readonly secondClient: SecondClient;
  /** As another user, who has what roles give them. */
  readonly as: (user: string, groups?: readonly string[]) => Client;
  /** Creates a namespace. */
  readonly namespace: (name: string) => Promise<string>;
  /** Starts the manager again, when it has ended or was killed. Resolves when it leads. */
  readonly startManager: () => Promise<void>;
};

export type InstallationOptions = {
  /** Arguments of Node.js that run the manager, and print what installs it. Default: this checkout's command line. */
  readonly command?: readonly string[];
  /** Scripts of containers that the cluster runs, by image. */
  readonly images?: Readonly<Record<string, string>>;
  /** Of the manager. */
  readonly env?: Readonly<Record<string, string>>;
};

const READY = /^ready$/m;
const TOKEN_SECONDS = 7200;
/** The namespace of what the second client writes. */
export const BYSTANDER = 'bystander';
const FIELD_MANAGER = { fieldManager: 'attack', force: true } as const;
/** A manager runs beside the cluster here, and pods of these would be simulated. */
const LEFT_OUT = ['Deployment', 'PodDisruptionBudget', 'NetworkPolicy'];
const CONFIGURATIONS = ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'];

/** Starts an installation, calls `use`, and leaves nothing. */
export async function withInstallation<T>(
  { command = KUBEWRIGHT, env = {}, images = {} }: InstallationOptions,
  use: (installation: Installation) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'kubewright-attack-'));
  const kubeconfig = join(folder, 'kubeconfig');
  const run = (args: readonly string[], { what = command, more = {} } = {}) =>
    startWatched({ args: [...what, ...args], cwd: folder, env: { ...env, ...more, KUBECONFIG: kubeconfig } });
  const scripts = Object.entries(images).flatMap(([image, file]) => ['--image', `${image}=${file}`]);
  const cluster = run(['cluster', '--port', '0', '--kubeconfig-out', kubeconfig, ...scripts], {
    what: KUBEWRIGHT,
  });
  const processes = [cluster];
  const closing: (() => Promise<unknown>)[] = [];
  try {
    await cluster.printed(READY);
    const config = await loadKubeconfig(kubeconfig);
    const transport = kubeconfigTransport(config);
    closing.push(() => transport.close());
    const client = createClient(transport);
    const [webhookPort, healthPort] = [await freePort(), await freePort()];
    const installed = await install(client, run(['install']), webhookPort);
    const managersConfig = join(folder, 'manager-kubeconfig');
    const { server: apiUrl = '', certificateAuthorityData: caCert = '' } =
      [...config.clusters.values()][0] ?? {};
    writeKubeconfig(managersConfig, apiUrl, caCert, await managersToken(client));
    const flags = {
      'webhook-port': webhookPort,
      'health-port': healthPort,
      'leader-elect-namespace': NAMESPACE,
    };
    const asInstalled = Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
    const start = async (): Promise<WatchedProcess> => {
      const args = ['manager', '--kubeconfig', managersConfig, ...asInstalled];
      const started = run(args, { more: installed });
      processes.push(started);
      await started.printed(READY);
      return started;
    };
    let manager = await start();
    await watchBystander(client);
    const secondClient = startSecondClient(kubeconfig, healthPort);
    closing.push(() => secondClient.stop());
    return await use({
      client,
      transport,
      kubeconfig,
      folder,
      apiUrl,
      webhookPort,
      healthPort,
      cluster,
      get manager() {
        return manager;
      },
      secondClient,
      as: (user, groups = []) => createClient(withImpersonation(transport, { user, groups })),
      async namespace(name) {
        await client.create(corev1.namespaces, namespaceOf(name));
        return name;
      },
      async startManager() {
        // Nobody waits until the Lease of a manager that was killed has expired.
        await ignoreNotFound(client.delete(coordinationv1.leases, { namespace: NAMESPACE, name: MANAGER }));
        manager = await start();
      },
    });
  } finally {
    for (const close of closing.reverse()) await close().catch(() => undefined);
    for (const process of processes.reverse()) await process.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function namespaceOf(name: string): corev1.Namespace {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name }, spec: {} };
}

/** What `kubewright install` prints, with the manager at a port of this machine. Returns the environment of its container. */
async function install(
  client: Client,
  printing: WatchedProcess,
  port: number,
): Promise<Readonly<Record<string, string>>> {
  await printing.ended;
  await client.create(corev1.namespaces, namespaceOf(NAMESPACE));
  const objects = parseDocuments(printing.output(), 'kubewright install') as readonly KubeObject[];
  for (const object of objects) {
    if (!LEFT_OUT.includes(object.kind)) await apply(client, onThisMachine(object, port));
  }
  const parts = await Promise.all(OPERATORS.map((operator) => operator.load()));
  for (const role of anyKindRoles(parts, { apiGroups: ['*'], resources: ['*'] })) await apply(client, role);
  const deployment = objects.find(({ kind }) => kind === 'Deployment') as appsv1.Deployment | undefined;
  const env = deployment?.spec?.template.spec?.containers[0]?.env ?? [];
  return Object.fromEntries(env.map(({ name, value = '' }) => [name, value]));
}

async function apply(client: Client, object: KubeObject): Promise<void> {
  await client.apply({ ...parseApiVersion(object.apiVersion), kind: object.kind }, object, FIELD_MANAGER);
}

function onThisMachine(object: KubeObject, port: number): KubeObject {
  if (object.kind === 'Service')
    return { ...object, spec: { type: 'ExternalName', externalName: 'localhost' } };
  if (object.kind === 'APIService') {
    const spec = object['spec'] as JsonObject;
    return { ...object, spec: { ...spec, service: { ...(spec['service'] as JsonObject), port } } };
  }
  if (!CONFIGURATIONS.includes(object.kind)) return object;
  const webhooks = (object['webhooks'] as readonly JsonObject[]).map((webhook) => {
    const config = webhook['clientConfig'] as JsonObject;
    return {
      ...webhook,
      clientConfig: { ...config, service: { ...(config['service'] as JsonObject), port } },
    };
  });
  return { ...object, webhooks };
}

/** The manager calls as its service account, with what `kubewright install` grants it. */
async function managersToken(client: Client): Promise<string> {
  const accounts: ResourceRef = {
    group: '',
    version: 'v1',
    kind: 'ServiceAccount',
    resource: 'serviceaccounts',
    namespaced: true,
    stored: false,
  };
  const asked = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    metadata: { namespace: NAMESPACE, name: MANAGER },
    spec: { expirationSeconds: TOKEN_SECONDS },
  };
  const issued = await client.create<KubeObject>(accounts, asked, { subresource: 'token' });
  return (issued['status'] as { readonly token: string }).token;
}

/** A policy that denies drift, and the ConfigMap that the second client writes. */
async function watchBystander(client: Client): Promise<void> {
  const [namespace, name] = [BYSTANDER, BYSTANDER];
  await client.create(corev1.namespaces, namespaceOf(namespace));
  await client.create(KAUSALITIES, {
    apiVersion: 'kausality.io/v1alpha1',
    kind: 'Kausality',
    metadata: { name },
    spec: {
      resources: [{ apiGroups: [''], resources: ['configmaps'] }],
      namespaces: { names: [namespace] },
      mode: 'enforce',
    },
  });
  const isReady = (policy: Kausality | undefined): boolean =>
    policy?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;
  await waitForObject(client, KAUSALITIES, { name }, isReady);
  await client.create(corev1.configmaps, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace, name },
  });
}
