import type { RestMapper } from '@kubewright/client';
import {
  type autoscalingv2,
  errorText,
  getOwn,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  parseApiVersion,
  parseJson,
  parseTime,
  type Transport,
} from '@kubewright/kube';
import { formatLabelSelector, selectorFromLabelSelector } from '@kubewright/kube/selectors';
import { ClusterError } from '../../cluster-error.ts';
import type { Fetched } from './decide/compute-metric.ts';
import type { PodValue, PodValues } from './decide/group-pods.ts';
import { milli } from './decide/requests-of.ts';

/** Reads the metrics APIs of a cluster, which an APIService serves. */
export type MetricsClient = {
  /** Never rejects. `selector` selects the autoscaler's pods. */
  fetch(
    spec: autoscalingv2.MetricSpec,
    place: { readonly namespace: string; readonly selector: string },
  ): Promise<Fetched>;
};

type Place = { readonly namespace: string; readonly selector: string };

const RESOURCE = 'metrics.k8s.io';
const CUSTOM = 'custom.metrics.k8s.io';
const EXTERNAL = 'external.metrics.k8s.io';
/** Of custom metrics that do not say. */
const WINDOW_MS = 60_000;
/** Longer responses are not read: they would have more entries than there are pods. */
const LONGEST = 64 * 1024 * 1024;

export function createMetricsClient(transport: Transport, mapper: RestMapper): MetricsClient {
  return {
    async fetch(spec, place) {
      try {
        return await fetchMetric({ transport, mapper }, spec, place);
      } catch (error) {
        return { error: errorText(error) };
      }
    },
  };
}

type Tools = { readonly transport: Transport; readonly mapper: RestMapper };

async function fetchMetric(tools: Tools, spec: autoscalingv2.MetricSpec, place: Place): Promise<Fetched> {
  if (spec.resource !== undefined)
    return { pods: await resourceMetrics(tools, spec.resource.name, '', place) };
  if (spec.containerResource !== undefined) {
    const { name, container } = spec.containerResource;
    return { pods: await resourceMetrics(tools, name, container, place) };
  }
  if (spec.pods !== undefined) return { pods: await podMetrics(tools, spec.pods.metric, place) };
  if (spec.object !== undefined) return { value: await objectMetric(tools, spec.object, place) };
  if (spec.external !== undefined) return { value: await externalMetric(tools, spec.external.metric, place) };
  return { error: '' };
}

async function resourceMetrics(
  { transport }: Tools,
  resource: string,
  container: string,
  { namespace, selector }: Place,
): Promise<PodValues> {
  const path = `/apis/${RESOURCE}/v1beta1/namespaces/${namespace}/pods`;
  const query = { labelSelector: selector };
  const items = await itemsAt(
    transport,
    { path, query, resource: `pods.${RESOURCE}` },
    'resource metrics API',
  );
  return new Map(
    items.flatMap((item) => {
      const value = usageOf(item, resource, container);
      return value === undefined
        ? []
        : [[nameOf(item), timed(item, value, durationMs(stringIn(item, 'window')))] as const];
    }),
  );
}

/** A pod of which one container does not say is a pod that does not say. */
function usageOf(item: JsonObject, resource: string, container: string): number | undefined {
  const containers = objectsIn(item, 'containers').filter(
    (one) => container === '' || stringIn(one, 'name') === container,
  );
  const usages = containers.map((one) => quantityIn(getOwn(one, 'usage'), resource));
  if (usages.length === 0 || usages.includes(undefined)) return undefined;
  return usages.reduce<number>((sum, usage) => sum + (usage ?? 0), 0);
}

async function podMetrics(
  { transport }: Tools,
  metric: autoscalingv2.MetricIdentifier,
  { namespace, selector }: Place,
): Promise<PodValues> {
  const path = `/apis/${CUSTOM}/v1beta2/namespaces/${namespace}/pods/*/${segment(metric.name)}`;
  const query = { labelSelector: selector, ...metricQuery(metric) };
  const items = await itemsAt(transport, { path, query, resource: `pods.${CUSTOM}` }, 'custom metrics API');
  return new Map(
    items.map((item) => {
      const seconds = getOwn(item, 'windowSeconds');
      const windowMs = typeof seconds === 'number' ? seconds * 1000 : WINDOW_MS;
      const name = nameOf({ metadata: getOwn(item, 'describedObject') ?? null });
      return [name, timed(item, quantityIn(item, 'value') ?? 0, windowMs)] as const;
    }),
  );
}

async function objectMetric(
  { transport, mapper }: Tools,
  { metric, describedObject: { kind, name, apiVersion = '' } }: autoscalingv2.ObjectMetricSource,
  { namespace }: Place,
): Promise<number> {
  const { group } = parseApiVersion(apiVersion);
  const base = `/apis/${CUSTOM}/v1beta2/namespaces/${namespace}`;
  const { resource } = await mapper.resolve({ group, kind });
  const described = group === '' ? resource : `${resource}.${group}`;
  const isNamespace = group === '' && kind === 'Namespace';
  const path = isNamespace
    ? `${base}/metrics/${segment(metric.name)}`
    : `${base}/${described}/${segment(name)}/${segment(metric.name)}`;
  const asked = { path, query: metricQuery(metric), resource: `${described}.${CUSTOM}` };
  const [item] = await itemsAt(transport, asked, 'custom metrics API');
  return quantityIn(item, 'value') ?? 0;
}

async function externalMetric(
  { transport }: Tools,
  { name, selector }: autoscalingv2.MetricIdentifier,
  { namespace }: Place,
): Promise<number> {
  const path = `/apis/${EXTERNAL}/v1beta1/namespaces/${namespace}/${segment(name)}`;
  const query =
    selector === undefined ? {} : { labelSelector: formatLabelSelector(selectorFromLabelSelector(selector)) };
  const items = await itemsAt(
    transport,
    { path, query, resource: `${name}.${EXTERNAL}` },
    'external metrics API',
  );
  return items.reduce((sum, item) => sum + (quantityIn(item, 'value') ?? 0), 0);
}

/** A name may hold what has a meaning in an address: `?`, `#`. */
const segment = encodeURIComponent;

function metricQuery({ selector }: autoscalingv2.MetricIdentifier): Readonly<Record<string, string>> {
  return selector === undefined
    ? {}
    : { metricLabelSelector: formatLabelSelector(selectorFromLabelSelector(selector)) };
}

type Asked = {
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly resource: string;
};

/** Rejects, in the words of client-go, where there are none. */
async function itemsAt(transport: Transport, asked: Asked, api: string): Promise<readonly JsonObject[]> {
  const query = new URLSearchParams(asked.query).toString();
  const path = query === '' ? asked.path : `${asked.path}?${query}`;
  const response = await transport.request({ method: 'GET', path, headers: { accept: 'application/json' } });
  const body = objectOr(await collect(response.body));
  if (response.status !== 200)
    throw new ClusterError(
      'MetricsUnavailable',
      `unable to fetch metrics from ${api}: ${errorOf(response.status, body, asked.resource)}`,
    );
  const items = objectsIn(body, 'items');
  if (items.length === 0) throw new ClusterError('MetricsUnavailable', `no metrics returned from ${api}`);
  return items;
}

async function collect(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > LONGEST) throw new ClusterError('TooLarge', `the response is longer than ${LONGEST} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

function objectOr(bytes: Uint8Array): JsonObject {
  try {
    const value = parseJson(bytes);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

function errorOf(status: number, body: JsonObject, resource: string): string {
  if (stringIn(body, 'kind') === 'Status') return stringIn(body, 'message');
  if (status === 404) return `the server could not find the requested resource (get ${resource})`;
  if (status === 503) return `the server is currently unable to handle the request (get ${resource})`;
  return `an error on the server (${JSON.stringify('')}) has prevented the request from succeeding (get ${resource})`;
}

function nameOf(item: JsonObject): string {
  const metadata = getOwn(item, 'metadata');
  return isJsonObject(metadata) ? stringIn(metadata, 'name') : '';
}

function timed(item: JsonObject, value: number, windowMs: number): PodValue {
  const text = stringIn(item, 'timestamp');
  return { value, windowMs, timestamp: text === '' ? 0 : parseTime(text).getTime() };
}

function quantityIn(value: Json | undefined, key: string): number | undefined {
  const quantity = isJsonObject(value) ? getOwn(value, key) : undefined;
  return typeof quantity === 'string' ? milli(quantity) : undefined;
}

/** Go's durations, as far as windows are written in them: `1m30s`, `30s`, `15.5s`. */
function durationMs(text: string): number {
  const factors: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };
  let total = 0;
  for (const [, amount = '0', unit = ''] of text.matchAll(/(?<![\d.])([\d.]+)(h|ms|m|s)/g))
    total += Number(amount) * (factors[unit] ?? 0);
  return total;
}

function stringIn(object: JsonObject, key: string): string {
  const value = getOwn(object, key);
  return typeof value === 'string' ? value : '';
}

function objectsIn(object: JsonObject, key: string): readonly JsonObject[] {
  const value = getOwn(object, key);
  return isJsonArray(value) ? value.filter(isJsonObject) : [];
}
