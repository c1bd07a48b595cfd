import { type Client, createClient, ignoreNotFound } from '@kubewright/client';
import {
  compareText,
  corev1,
  discoveryv1,
  formatTime,
  type ObjectMeta,
  type Stored,
  type Transport,
} from '@kubewright/kube';

let told = 0;

type Condition = 'Ready' | 'NotReady' | 'Succeeded';
export type PodOptions = {
  readonly ip: string;
  readonly condition?: Condition;
  readonly ports?: readonly corev1.ContainerPort[];
  readonly spec?: Partial<corev1.PodSpec>;
};

export const NODE = 'node-a';
const READY_AT = new Date('2030-01-02T03:04:05Z');

/** One test's namespace with services in it, and pods as a node would have them run. */
export class ServiceStory {
  readonly client: Client;
  readonly namespace: string;

  private constructor(client: Client, namespace: string) {
    this.client = client;
    this.namespace = namespace;
  }

  static async begin(transport: Transport): Promise<ServiceStory> {
    const client = createClient(transport);
    const name = `services-${++told}`;
    await client.create(corev1.namespaces, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name },
      spec: {},
    });
    const story = new ServiceStory(client, name);
    if (!(await ignoreNotFound(client.get(corev1.nodes, { name: NODE })))) await story.node(NODE);
    return story;
  }

  async node(name: string, zone = 'zone-1'): Promise<void> {
    const labels = { 'topology.kubernetes.io/zone': zone };
    await this.client.create(corev1.nodes, {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name, labels },
      spec: {},
    });
  }

  key(name: string): { readonly namespace: string; readonly name: string } {
    return { namespace: this.namespace, name };
  }

  /** A service `web` of the pods `app: web`, unless said otherwise. */
  service(
    spec: Partial<corev1.ServiceSpec> = {},
    metadata: ObjectMeta = {},
  ): Promise<Stored<corev1.Service>> {
    return this.client.create(corev1.services, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { ...this.key('web'), ...metadata },
      spec: { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 8080 }], ...spec },
    });
  }

  async pod(name: string, options: PodOptions): Promise<void> {
    const { ip, ports = [], spec = {} } = options;
    await this.client.create(corev1.pods, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { ...this.key(name), labels: { app: 'web' } },
      spec: { nodeName: NODE, containers: [{ name: 'web', image: 'web:1', ports }], ...spec },
    });
    await this.status(name, ip, options.condition);
  }

  async status(name: string, ip: string, condition: Condition = 'Ready'): Promise<void> {
    const status = condition === 'Ready' ? 'True' : 'False';
    const phase = condition === 'Succeeded' ? 'Succeeded' : 'Running';
    const conditions = [{ type: 'Ready', status, lastTransitionTime: formatTime(READY_AT) }];
    const body = { status: { phase, podIP: ip, podIPs: [{ ip }], conditions } };
    await this.client.patch(corev1.pods, this.key(name), { type: 'merge', body }, { subresource: 'status' });
  }

  /** Labels, annotations without times, and addresses by their ports: as few words as say it all. */
  async endpoints(name = 'web'): Promise<unknown> {
    const found = await ignoreNotFound(this.client.get(corev1.endpoints, this.key(name)));
    if (found === undefined) return undefined;
    const shown = ({ ip, hostname, nodeName, targetRef }: corev1.EndpointAddress): string =>
      [hostname, ip, targetRef?.name, nodeName].filter((part) => part !== undefined).join(' ');
    const subsets = (found.subsets ?? []).map(({ addresses = [], notReadyAddresses = [], ports = [] }) => ({
      ports: ports.map(shownPort).sort(),
      ready: addresses.map(shown),
      notReady: notReadyAddresses.map(shown),
    }));
    return { labels: found.metadata.labels, subsets: subsets.sort(byText) };
  }

  /** The slices of a service, without their names: labels, ports and endpoints. */
  async slices(name = 'web'): Promise<unknown> {
    const slices = await this.rawSlices(name);
    return slices
      .map(({ metadata, addressType, endpoints, ports }) => ({
        labels: metadata.labels,
        addressType,
        ports: (ports ?? []).map(shownPort).sort(),
        endpoints: (endpoints ?? []).map(shownEndpoint).sort(),
      }))
      .sort(byText);
  }

  async rawSlices(name = 'web'): Promise<readonly discoveryv1.EndpointSlice[]> {
    const labelSelector = `kubernetes.io/service-name=${name}`;
    return (await this.client.list(discoveryv1.endpointslices, { namespace: this.namespace, labelSelector }))
      .items;
  }

  async events(): Promise<readonly string[]> {
    const { items } = await this.client.list(corev1.events, { namespace: this.namespace });
    const texts = items.map(
      ({ type, reason, message, involvedObject, source }) =>
        `${source?.component}: ${type} ${reason} of ${involvedObject.kind}: ${message}`,
    );
    return [...new Set(texts)].sort();
  }
}

function shownPort({
  name = '',
  port,
  protocol,
  appProtocol = '',
}: corev1.EndpointPort | discoveryv1.EndpointPort): string {
  return [name, `${port}/${protocol}`, appProtocol].filter((part) => part !== '').join(' ');
}

function shownEndpoint(endpoint: discoveryv1.Endpoint): string {
  const { addresses, conditions = {}, hostname, nodeName, zone, targetRef, hints } = endpoint;
  const so = Object.entries(conditions).flatMap(([condition, holds]) => (holds ? [condition] : []));
  const zones = hints?.forZones?.map((hint) => `for ${hint.name}`) ?? [];
  const nodes = hints?.forNodes?.map((hint) => `for ${hint.name}`) ?? [];
  const words = [hostname, ...addresses, targetRef?.name, nodeName, zone, ...so.sort(), ...zones, ...nodes];
  return words.filter((part) => part !== undefined).join(' ');
}

function byText(a: unknown, b: unknown): number {
  return compareText(JSON.stringify(a), JSON.stringify(b));
}
