import { type Client, createClient } from '@kubewright/client';
import { appsv1, autoscalingv2, corev1, type Transport } from '@kubewright/kube';
import { waitForObject } from '@kubewright/runtime';

let told = 0;

type Spec = autoscalingv2.HorizontalPodAutoscalerSpec;

const TARGET = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };

/** One test's namespace with a Deployment `web` and an autoscaler of it. */
export class AutoscalerStory {
  readonly client: Client;
  readonly namespace: string;

  private constructor(client: Client, namespace: string) {
    this.client = client;
    this.namespace = namespace;
  }

  /** `measured`: annotations of the namespace, for metrics from outside. */
  static async begin(
    transport: Transport,
    measured: Readonly<Record<string, string>> = {},
  ): Promise<AutoscalerStory> {
    const client = createClient(transport);
    const name = `autoscaling-${++told}`;
    const metadata = { name, annotations: prefixed(measured) };
    await client.create(corev1.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata, spec: {} });
    return new AutoscalerStory(client, name);
  }

  key(name: string): { readonly namespace: string; readonly name: string } {
    return { namespace: this.namespace, name };
  }

  /** Pods that ask for 100m of CPU, of which `measured` is said. */
  async deploy(replicas: number, measured: Readonly<Record<string, string>> = {}): Promise<void> {
    const labels = { app: 'web' };
    const resources = { requests: { cpu: '100m', memory: '64Mi' } };
    await this.client.create(appsv1.deployments, {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: this.key('web'),
      spec: {
        replicas,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels, annotations: prefixed(measured) },
          spec: { containers: [{ name: 'web', image: 'web:1', resources }] },
        },
      },
    });
    await this.ready(replicas);
  }

  async ready(replicas: number): Promise<void> {
    await waitForObject(
      this.client,
      appsv1.deployments,
      this.key('web'),
      (live) => (live?.status?.readyReplicas ?? 0) === replicas,
    );
  }

  async scale(spec: Partial<Spec>, name = 'web'): Promise<void> {
    await this.client.create(autoscalingv2.horizontalpodautoscalers, {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: this.key(name),
      spec: { scaleTargetRef: TARGET, maxReplicas: 5, ...spec },
    });
  }

  /** Sizes, what is measured, and conditions without their times. */
  async shown(name = 'web'): Promise<unknown> {
    const { status } = await this.client.get(autoscalingv2.horizontalpodautoscalers, this.key(name));
    const { currentReplicas = 0, desiredReplicas, currentMetrics, conditions = [] } = status ?? {};
    return {
      replicas: [currentReplicas, desiredReplicas],
      metrics: currentMetrics,
      conditions: conditions.map(({ type, status: holds, reason }) => `${type} ${holds} ${reason}`).sort(),
    };
  }

  async messages(name = 'web'): Promise<readonly string[]> {
    const { status } = await this.client.get(autoscalingv2.horizontalpodautoscalers, this.key(name));
    return (status?.conditions ?? []).map(({ type, message }) => `${type}: ${message}`).sort();
  }

  async events(): Promise<readonly string[]> {
    const { items } = await this.client.list(corev1.events, { namespace: this.namespace });
    const texts = items
      .filter(({ involvedObject }) => involvedObject.kind === 'HorizontalPodAutoscaler')
      .map(({ type, reason, message, source }) => `${source?.component}: ${type} ${reason}: ${message}`);
    return [...new Set(texts)].sort();
  }
}

function prefixed(measured: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(measured).map(([name, value]) => [`metrics.kubewright.dev/${name}`, value]),
  );
}
