import {
  ApiError,
  type Client,
  ignoreNotFound,
  isTooManyRequests,
  type ResourceRef,
  sleep,
  systemClock,
} from '@kubewright/client';
import {
  apiextensionsv1,
  appsv1,
  corev1,
  type KubeObject,
  parseApiVersion,
  type Stored,
} from '@kubewright/kube';
import { CERTIFICATES, inParallel, MANAGER, OPERATORS } from '@kubewright/operators';
import { dashboardObjects } from '../run/dashboards/dashboard-objects.ts';
import { installManifests } from '../run/install-manifests.ts';
import { prometheusObjects } from '../run/prometheus-objects.ts';
import { KINDS } from './kinds-of-objects.ts';

/** An object of an installation that is there. */
export type Target = {
  readonly ref: ResourceRef;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
};

/** The objects of one of the operators' kinds. */
export type ObjectsOf = { readonly ref: ResourceRef; readonly objects: readonly Stored[] };

/** What there is to delete, in the order in which that goes. */
export type Plan = {
  /** What could deny the rest. */
  readonly configurations: readonly Target[];
  readonly objects: readonly ObjectsOf[];
  readonly workloads: readonly Target[];
  readonly definitions: readonly Target[];
  readonly rest: readonly Target[];
  /** Undefined: it stays, for what `stays` names, or because it is not there. */
  readonly home: Target | undefined;
  readonly stays: readonly string[];
};

const DEFINITIONS = apiextensionsv1.customresourcedefinitions;
const MOST_TRIES = 60;
const WAIT_MS = 500;
const AGENT = 'kubewright-migration-agent';
const CONFIGURATIONS = ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration', 'APIService'];
const WORKLOADS = ['Deployment', 'DaemonSet'];

export async function planUninstall(client: Client, namespace: string): Promise<Plan> {
  const found = await findManifests(client, namespace);
  const named = (kinds: readonly string[]): readonly Target[] =>
    found.filter(({ kind }) => kinds.includes(kind));
  const definitions = named(['CustomResourceDefinition']);
  const split = [...CONFIGURATIONS, ...WORKLOADS, 'CustomResourceDefinition', 'Namespace'];
  const rest = found.filter(({ kind }) => !split.includes(kind)).toReversed();
  const leftovers = await findLeftovers(client, namespace);
  const [home] = named(['Namespace']);
  const stays = home === undefined ? [] : await othersIn(client, namespace, [...rest, ...leftovers]);
  return {
    configurations: named(CONFIGURATIONS),
    objects: await findObjects(client, definitions),
    workloads: named(WORKLOADS),
    definitions,
    rest: [...rest, ...leftovers],
    home: stays.length === 0 ? home : undefined,
    stays,
  };
}

/** Of what `kubewright install` prints with all that it has, what is there. */
async function findManifests(client: Client, namespace: string): Promise<readonly Target[]> {
  const operators = await Promise.all(
    OPERATORS.map(async (one) => ({ ...(await one.load()), name: one.name })),
  );
  const options = { operators: [], namespace, image: '', nodeAgents: true, kinds: ['*'] } as const;
  const manifests = [
    ...installManifests(operators, options),
    ...prometheusObjects(operators, options),
    ...dashboardObjects(operators, options),
  ];
  const issued = ['Certificate', 'Issuer'].map((kind) => ({
    apiVersion: 'cert-manager.io/v1',
    kind,
    metadata: { name: `${MANAGER}-webhooks`, namespace },
  }));
  const found = await inParallel([...manifests, ...issued], async (object) => find(client, object));
  return found.flat();
}

async function find(client: Client, { apiVersion, kind, metadata }: KubeObject): Promise<readonly Target[]> {
  const ref = await client.mapper.resolve({ ...parseApiVersion(apiVersion), kind }).catch(unserved);
  if (ref === undefined) return [];
  const { name = '', namespace } = metadata;
  const where = namespace === undefined ? {} : { namespace };
  const live = await ignoreNotFound(client.get(ref, { ...where, name }));
  // A namespace goes in its own time.
  const isGoing = kind === 'Namespace' && live?.metadata.deletionTimestamp !== undefined;
  return live === undefined || isGoing ? [] : [{ ref, kind, ...where, name }];
}

/** A kind that the server does not serve has no objects. */
function unserved(error: unknown): undefined {
  if (error instanceof ApiError && (error.reason === 'NoMatch' || error.code === 404)) return undefined;
  throw error;
}

/** What the manager has made there, and Helm's record of its release. */
async function findLeftovers(client: Client, namespace: string): Promise<readonly Target[]> {
  const lease = {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: MANAGER, namespace },
  };
  const manager = await ignoreNotFound(client.get(appsv1.deployments, { namespace, name: MANAGER }));
  const release = manager?.metadata.annotations?.['meta.helm.sh/release-name'];
  const records = `sh.helm.release.v1.${release ?? ''}.v`;
  const own = [CERTIFICATES, `${MANAGER}-webhooks`, AGENT];
  const { items } = await client.list(corev1.secrets, { namespace });
  const secrets = items
    .map(({ metadata: { name } }) => name)
    .filter((name) => own.includes(name) || (release !== undefined && name.startsWith(records)));
  const targets = secrets.map((name) => ({ ref: corev1.secrets, kind: 'Secret', namespace, name }));
  return [...(await find(client, lease)), ...targets];
}

/** All objects of the operators' kinds, in the order of {@link KINDS}. */
async function findObjects(client: Client, definitions: readonly Target[]): Promise<readonly ObjectsOf[]> {
  const found = await inParallel(definitions, async ({ name }): Promise<readonly ObjectsOf[]> => {
    const definition = await ignoreNotFound(client.get(DEFINITIONS, { name }));
    const version = definition?.spec.versions.find(({ storage }) => storage)?.name;
    if (definition === undefined || version === undefined) return [];
    const { group, names, scope } = definition.spec;
    const ref = {
      group,
      version,
      kind: names.kind,
      resource: names.plural,
      namespaced: scope === 'Namespaced',
    };
    const items = await listStored(client, ref);
    return items.length === 0 ? [] : [{ ref, objects: items }];
  });
  const order = Object.keys(KINDS);
  const place = ({ ref }: ObjectsOf): number => {
    const at = order.indexOf(ref.kind ?? '');
    return at === -1 ? order.length : at;
  };
  return found.flat().toSorted((a, b) => place(a) - place(b));
}

/** For a moment after a change of its definition, a server has no storage for a kind. */
async function listStored(client: Client, ref: ResourceRef): Promise<readonly Stored[]> {
  for (let tries = 1; ; tries++) {
    try {
      return (await client.list(ref)).items;
    } catch (error) {
      if (!isTooManyRequests(error) || tries === MOST_TRIES) throw error;
      await sleep(systemClock, WAIT_MS);
    }
  }
}

/** What else is in the namespace: it stays for that. */
async function othersIn(
  client: Client,
  namespace: string,
  own: readonly Target[],
): Promise<readonly string[]> {
  const isOwn = (kind: string, name: string): boolean =>
    own.some((one) => one.kind === kind && one.name === name);
  const found = await inParallel(CONTENTS, async ({ ref, kind, isMade }) => {
    const { items } = await client.list<KubeObject>(ref, { namespace });
    return items
      .filter(({ metadata: { name, labels = {} } }) => !isMade(name, labels) && !isOwn(kind, name))
      .map(({ metadata: { name } }) => `${kind} ${name}`);
  });
  return found.flat();
}

const LABEL = 'app.kubernetes.io/name';
const isManagers = (_name: string, labels: Readonly<Record<string, string>>): boolean =>
  [MANAGER, AGENT].includes(labels[LABEL] ?? '');
const CONTENTS = [
  { ref: corev1.pods, kind: 'Pod', isMade: isManagers },
  { ref: appsv1.deployments, kind: 'Deployment', isMade: isManagers },
  { ref: appsv1.statefulsets, kind: 'StatefulSet', isMade: () => false },
  { ref: corev1.persistentvolumeclaims, kind: 'PersistentVolumeClaim', isMade: () => false },
  { ref: corev1.services, kind: 'Service', isMade: () => false },
  { ref: corev1.configmaps, kind: 'ConfigMap', isMade: (name: string) => name === 'kube-root-ca.crt' },
  { ref: corev1.secrets, kind: 'Secret', isMade: () => false },
];
