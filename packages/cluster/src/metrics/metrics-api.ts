import { type Client, type Clock, createClient, discoverResources, isNotFound } from '@kubewright/client';
import {
  type ApiResponse,
  corev1,
  formatTime,
  type Json,
  type JsonObject,
  type Stored,
  stringifyJson,
  type Transport,
} from '@kubewright/kube';
import { annotatedQuantity } from './annotated-quantity.ts';
import { METRICS_GROUPS } from './install-metrics.ts';
import { podMetrics } from './pod-metrics.ts';

export type MetricsApiOptions = {
  /** Calls that may read what is measured: pods, and the objects of custom metrics. */
  readonly transport: Transport;
  readonly clock: Clock;
  /** Over how long usage is measured, as Go writes durations. Default `15s`. */
  readonly window?: string;
};

/** Handles GET requests to the metrics APIs; annotations have the values. */
export type MetricsApi = (path: string) => Promise<ApiResponse>;

type Context = MetricsApiOptions & { readonly client: Client; readonly window: string };

/** The metrics of a cluster in which nothing is measured: see `annotations.ts`. */
export function createMetricsApi(options: MetricsApiOptions): MetricsApi {
  const context = { window: '15s', ...options, client: createClient(options.transport) };
  return async (path) => {
    try {
      const found = await contentOf(context, new URL(path, 'https://metrics'));
      return found === undefined ? notFound() : respond(200, found);
    } catch (error) {
      if (isNotFound(error)) return notFound();
      throw error;
    }
  };
}

async function contentOf(context: Context, { pathname, searchParams }: URL): Promise<JsonObject | undefined> {
  const [, apis, group = '', version = '', ...rest] = pathname.split('/').map(decodeURIComponent);
  const isServed = METRICS_GROUPS.some(([name, served]) => name === group && served === version);
  if (apis !== 'apis' || !isServed) return undefined;
  if (rest.length === 0) return discoveryOf(`${group}/${version}`);
  return readers[group]?.(context, rest, searchParams.get('labelSelector') ?? '');
}

type Reader = (
  context: Context,
  path: readonly string[],
  selector: string,
) => Promise<JsonObject | undefined>;

const readers: Readonly<Record<string, Reader>> = {
  'metrics.k8s.io': resourceMetrics,
  'custom.metrics.k8s.io': customMetrics,
  'external.metrics.k8s.io': externalMetrics,
};

function discoveryOf(groupVersion: string): JsonObject {
  const pods = {
    name: 'pods',
    singularName: '',
    namespaced: true,
    kind: 'PodMetrics',
    verbs: ['get', 'list'],
  };
  const resources = groupVersion.startsWith('metrics.') ? [pods] : [];
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources };
}

/** `[namespaces/NS/]pods[/NAME]` */
async function resourceMetrics(
  context: Context,
  path: readonly string[],
  selector: string,
): Promise<JsonObject | undefined> {
  const [namespace, kind, name] = path[0] === 'namespaces' ? path.slice(1) : [undefined, ...path];
  if (kind !== 'pods') return undefined;
  const measured = { now: context.clock.now(), window: context.window };
  if (name !== undefined) {
    const pod = await context.client.get(corev1.pods, { namespace, name });
    return pod.status?.phase === 'Running' ? podMetrics(pod, measured) : undefined;
  }
  const pods = await runningPods(context, namespace, selector);
  const items = pods.map((pod) => podMetrics(pod, measured));
  return { kind: 'PodMetricsList', apiVersion: 'metrics.k8s.io/v1beta1', metadata: {}, items };
}

async function runningPods(
  { client }: Context,
  namespace: string | undefined,
  labelSelector: string,
): Promise<readonly Stored<corev1.Pod>[]> {
  const { items } = await client.list(corev1.pods, { namespace, labelSelector });
  return items.filter(({ status }) => status?.phase === 'Running');
}

/** `namespaces/NS/metrics/METRIC`, `namespaces/NS/RESOURCE[.GROUP]/NAME/METRIC`; of pods `*` stands for all. */
async function customMetrics(
  context: Context,
  path: readonly string[],
  selector: string,
): Promise<JsonObject | undefined> {
  const [, namespace = '', resource = '', ...rest] = path;
  const [name = '', metric = ''] = resource === 'metrics' ? [namespace, ...rest] : rest;
  const objects = await customObjects(context, { namespace, resource, name }, selector);
  const timestamp = formatTime(new Date(context.clock.now()));
  const items = objects.flatMap((object): readonly JsonObject[] => {
    const value = annotatedQuantity(object, `custom.${metric}`);
    if (value === undefined) return [];
    const { kind, apiVersion, metadata } = object;
    const describedObject = { kind, namespace, name: metadata.name, apiVersion };
    return [{ describedObject, metric: { name: metric, selector: null }, timestamp, value }];
  });
  return { kind: 'MetricValueList', apiVersion: 'custom.metrics.k8s.io/v1beta2', metadata: {}, items };
}

type Named = { readonly namespace: string; readonly resource: string; readonly name: string };

async function customObjects(
  context: Context,
  { namespace, resource, name }: Named,
  selector: string,
): Promise<readonly Stored[]> {
  const { client, transport } = context;
  if (resource === 'metrics') return [await client.get(corev1.namespaces, { name })];
  if (resource === 'pods' && name === '*') return runningPods(context, namespace, selector);
  const [plural = '', ...group] = resource.split('.');
  const { resources } = await discoverResources(transport);
  const ref = resources
    .map((one) => one.ref)
    .find((one) => one.resource === plural && one.group === group.join('.'));
  return ref === undefined ? [] : [await client.get(ref, { namespace, name })];
}

/** `namespaces/NS/METRIC` */
async function externalMetrics(
  { client, clock }: Context,
  [, name = '', metricName = '']: readonly string[],
): Promise<JsonObject | undefined> {
  const value = annotatedQuantity(await client.get(corev1.namespaces, { name }), `external.${metricName}`);
  const timestamp = formatTime(new Date(clock.now()));
  const items = value === undefined ? [] : [{ metricName, metricLabels: {}, timestamp, value }];
  return {
    kind: 'ExternalMetricValueList',
    apiVersion: 'external.metrics.k8s.io/v1beta1',
    metadata: {},
    items,
  };
}

function notFound(): ApiResponse {
  const message = 'the server could not find the requested resource';
  return respond(404, {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason: 'NotFound',
    details: {},
    code: 404,
  });
}

function respond(status: number, value: Json): ApiResponse {
  return { status, headers: { 'content-type': 'application/json' }, body: bodyOf(stringifyJson(value)) };
}

async function* bodyOf(text: string): ApiResponse['body'] {
  yield Buffer.from(text);
}
