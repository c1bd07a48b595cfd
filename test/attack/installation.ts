import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Client,
  createClient,
  kubeconfigTransport,
  loadKubeconfig,
  type ResourceRef,
  withImpersonation,
} from '@kubewright/client';
import { corev1, type JsonObject, type KubeObject, parseApiVersion, type Transport } from '@kubewright/kube';
import { MANAGER, NAMESPACE } from '@kubewright/operators';
import { waitForObject } from '@kubewright/runtime';
import { parse, parseAllDocuments } from 'yaml';
import { type Kausality, KAUSALITIES } from '../../packages/operators/src/drift/api.ts';
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
  as(user: string, groups?: readonly string[]): Client;
  /** Creates a namespace. */
  namespace(name: string): Promise<string>;
  /** Starts the manager again, when it has ended or was killed. Resolves when it leads. */
  startManager(): Promise<void>;
};

export type InstallationOptions = {
  /** Arguments of Node.js that run the manager, and print what installs it. Default: this checkout's command line. */
  readonly command?: readonly string[];
  /** Of the manager. */
  readonly env?: Readonly<Record<string, string>>;
};

const READY = /^ready$/m;
const TOKEN_SECONDS = 7200;
const BYSTANDER = { namespace: 'bystander', name: 'bystander' };
const FIELD_MANAGER = { fieldManager: 'attack', force: true } as const;
/** A manager runs beside the cluster here, and pods of these would be simulated. */
const LEFT_OUT = ['Deployment', 'PodDisruptionBudget', 'NetworkPolicy'];
const CONFIGURATIONS = ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'];

/** Starts an installation, calls `use`, and leaves nothing. */
export async function withInstallation<T>(
  { command = KUBEWRIGHT, env = {} }: InstallationOptions,
  use: (installation: Installation) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'kubewright-attack-'));
  const kubeconfig = join(folder, 'kubeconfig');
  const run = (args: readonly string[], what = command) =>
    startWatched({ args: [...what, ...args], cwd: folder, env: { ...env, KUBECONFIG: kubeconfig } });
  const cluster = run(['cluster', '--port', '0', '--kubeconfig-out', kubeconfig], KUBEWRIGHT);
  const processes = [cluster];
  const closing: (() => Promise<unknown>)[] = [];
  try {
    await cluster.printed(READY);
    const config = await loadKubeconfig(kubeconfig);
    const transport = kubeconfigTransport(config);
    closing.push(() => transport.close());
    const client = createClient(transport);
    const [webhookPort, healthPort] = [await freePort(), await freePort()];
    await install(client, run(['install']), webhookPort);
    const managersConfig = join(folder, 'manager-kubeconfig');
    const { url: apiUrl } = serverOf(kubeconfig);
    await writeManagersKubeconfig(managersConfig, client, kubeconfig);
    const flags = {
      'webhook-port': webhookPort,
      'health-port': healthPort,
      'leader-elect-namespace': NAMESPACE,
    };
    const asInstalled = Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
    const start = async (): Promise<WatchedProcess> => {
      const started = run(['manager', '--kubeconfig', managersConfig, ...asInstalled]);
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

function serverOf(kubeconfig: string): { readonly url: string; readonly caCert: string } {
  const { clusters } = parse(readFileSync(kubeconfig, 'utf8')) as {
    readonly clusters: readonly { readonly cluster: Readonly<Record<string, string>> }[];
  };
  const { server = '', 'certificate-authority-data': data = '' } = clusters[0]?.cluster ?? {};
  return { url: server, caCert: Buffer.from(data, 'base64').toString() };
}

/** What `kubewright install` prints, with the manager at a port of this machine. */
async function install(client: Client, printing: WatchedProcess, port: number): Promise<void> {
  await printing.ended;
  await client.create(corev1.namespaces, namespaceOf(NAMESPACE));
  const objects = parseAllDocuments(printing.output()).map((document) => document.toJS() as KubeObject);
  for (const object of objects) {
    if (LEFT_OUT.includes(object.kind)) continue;
    const reference = { ...parseApiVersion(object.apiVersion), kind: object.kind };
    await client.apply(reference, onThisMachine(object, port), FIELD_MANAGER);
  }
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
async function writeManagersKubeconfig(path: string, client: Client, admins: string): Promise<void> {
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
  const { token } = issued['status'] as { readonly token: string };
  const { caCert, url } = serverOf(admins);
  writeKubeconfig(path, url, caCert, token);
}

/** A policy that denies drift, and the ConfigMap that the second client writes. */
async function watchBystander(client: Client): Promise<void> {
  const { namespace, name } = BYSTANDER;
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
  await client.create(corev1.configmaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: BYSTANDER });
}
