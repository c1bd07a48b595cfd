import { type autoscalingv2, compareText, type metav1 } from '@kubewright/kube';
import { formatQuantity, type QuantityFormat } from '@kubewright/kube/quantity';
import type { PodValues } from './group-pods.ts';
import { milli } from './requests-of.ts';
import type { Circumstances, Proposal } from './proposal.ts';
import { utilizationReplicas } from './utilization.ts';
import { averageReplicas, shareReplicas, totalReplicas } from './average-replicas.ts';

type Spec = autoscalingv2.MetricSpec;
type Status = autoscalingv2.MetricStatus;

/** The response of a metrics API for one metric; values in thousandths. */
export type Fetched = { readonly pods: PodValues } | { readonly value: number } | { readonly error: string };

/** What one metric asks for; or why it cannot tell: `why` for the condition, `error` for who asked for the metric. */
export type MetricResult =
  | { readonly replicas: number; readonly name: string; readonly status: Status }
  | { readonly reason: string; readonly why: string; readonly error: string };

export function computeMetric(spec: Spec, fetched: Fetched, circumstances: Namespaced): MetricResult {
  const compute = METRICS[spec.type];
  const result = compute?.(spec, fetched, circumstances);
  if (result !== undefined) return result;
  const error = `unknown metric source type ${JSON.stringify(spec.type)}`;
  return { reason: 'InvalidMetricSourceType', why: error, error };
}

/** Makes failures of one kind of metric; their error is `prefix` and why. */
const failing =
  (reason: string, prefix: string) =>
  (why: string): MetricResult => ({ reason, why, error: `${prefix}${why}` });

type Namespaced = Circumstances & { readonly namespace: string };
/** Undefined where the source that belongs to the type is missing. */
type Compute = (spec: Spec, fetched: Fetched, circumstances: Namespaced) => MetricResult | undefined;

const METRICS: Readonly<Record<string, Compute | undefined>> = {
  Resource: ({ resource }, fetched, circumstances) =>
    resource &&
    ofResource(resource, fetched, circumstances, {
      reason: 'FailedGetResourceMetric',
      wrapped: `failed to get ${resource.name} resource metric value`,
      utilization: `${resource.name} resource utilization (percentage of request)`,
      container: '',
      status: (current) => ({ type: 'Resource', resource: { name: resource.name, current } }),
    }),
  ContainerResource: ({ containerResource: source }, fetched, circumstances) =>
    source &&
    ofResource(source, fetched, circumstances, {
      reason: 'FailedGetContainerResourceMetric',
      wrapped: `failed to get ${source.container} container metric value`,
      utilization: `${source.name} container resource utilization (percentage of request)`,
      container: source.container,
      status: (current) => ({
        type: 'ContainerResource',
        containerResource: { name: source.name, container: source.container, current },
      }),
    }),
  Pods: ({ pods }, fetched, circumstances) => pods && ofPods(pods, fetched, circumstances),
  Object: ({ object }, fetched, circumstances) => object && ofObject(object, fetched, circumstances),
  External: ({ external }, fetched, circumstances) =>
    external && ofExternal(external, fetched, circumstances),
};

type ResourceWords = {
  readonly reason: string;
  readonly wrapped: string;
  readonly utilization: string;
  readonly container: string;
  readonly status: (current: autoscalingv2.MetricValueStatus) => Status;
};

function ofResource(
  { name: resource, target }: autoscalingv2.ResourceMetricSource,
  fetched: Fetched,
  circumstances: Circumstances,
  words: ResourceWords,
): MetricResult {
  const { averageValue, averageUtilization } = target;
  const failed = failing(words.reason, `${words.wrapped}: `);
  if (averageValue === undefined && averageUtilization === undefined)
    return failed(
      'invalid resource metric source: neither an average utilization target nor an average value target was set',
    );
  const what = `failed to get ${resource} ${averageValue === undefined ? 'utilization' : 'usage'}`;
  const values = podsIn(fetched, `unable to get metrics for resource ${resource}`);
  if ('error' in values) return failed(`${what}: ${values.error}`);
  const current = (usage: number): string => formatMilli(usage, resource === 'memory' ? 'binary' : 'decimal');
  if (averageValue !== undefined) {
    const proposal = averageReplicas(
      { values: values.pods, resource, target: milli(averageValue) },
      circumstances,
    );
    if ('error' in proposal) return failed(`${what}: ${proposal.error}`);
    const status = words.status({ averageValue: current(proposal.usage) });
    return { replicas: proposal.replicas, name: `${resource} resource`, status };
  }
  const { container, utilization: name } = words;
  const metric = { values: values.pods, resource, container, target: averageUtilization ?? 0 };
  const proposal = utilizationReplicas(metric, circumstances);
  if ('error' in proposal) return failed(`${what}: ${proposal.error}`);
  const { replicas, utilization, usage } = proposal;
  const status = words.status({ averageUtilization: utilization, averageValue: current(usage) });
  return { replicas, name, status };
}

function ofPods(
  { metric, target }: autoscalingv2.PodsMetricSource,
  fetched: Fetched,
  circumstances: Circumstances,
): MetricResult {
  const failed = failing('FailedGetPodsMetric', 'failed to get pods metric value: ');
  const values = podsIn(fetched, `unable to get metric ${metric.name}`);
  if ('error' in values) return failed(values.error);
  const wanted = milli(target.averageValue ?? '0');
  const proposal = averageReplicas({ values: values.pods, resource: '', target: wanted }, circumstances);
  if ('error' in proposal) return failed(proposal.error);
  const current = { averageValue: formatMilli(proposal.usage) };
  const status = { type: 'Pods', pods: { metric: identifier(metric), current } };
  return { replicas: proposal.replicas, name: `pods metric ${metric.name}`, status };
}

function ofObject(
  { metric, target, describedObject }: autoscalingv2.ObjectMetricSource,
  fetched: Fetched,
  circumstances: Namespaced,
): MetricResult {
  const { kind, name } = describedObject;
  const prefix = target.type === 'AverageValue' ? `failed to get ${metric.name} object metric: ` : '';
  const failed = failing('FailedGetObjectMetric', `failed to get object metric value: ${prefix}`);
  const where = `on ${kind} ${circumstances.namespace}/${name}`;
  const found = valueIn(fetched, (why) => `unable to get metric ${metric.name}: ${why} ${where}`);
  if ('error' in found) return failed(found.error);
  const [proposal, current] = ofValue(found.value, target, circumstances);
  if ('error' in proposal)
    return failed(
      proposal.error === ''
        ? 'invalid object metric source: neither a value target nor an average value target was set'
        : proposal.error,
    );
  const status = { type: 'Object', object: { metric: identifier(metric), describedObject, current } };
  const named = current.value === undefined ? describeExternal(metric) : `${kind} metric ${metric.name}`;
  return { replicas: proposal.replicas, name: named, status };
}

function ofExternal(
  { metric, target }: autoscalingv2.ExternalMetricSource,
  fetched: Fetched,
  circumstances: Namespaced,
): MetricResult {
  const isValue = target.averageValue === undefined;
  const prefix = `failed to get ${isValue ? `external metric ${metric.name}` : `${metric.name} external metric`}`;
  const value = `failed to get ${metric.name} external metric value`;
  const failed = failing('FailedGetExternalMetric', `${value}: ${prefix}: `);
  const what = `${circumstances.namespace}/${metric.name}/${formatSelector(metric.selector)}`;
  const found = valueIn(fetched, (why) => `unable to get external metric ${what}: ${why}`);
  if ('error' in found) return failed(found.error);
  const type = isValue ? 'Value' : 'AverageValue';
  const [proposal, current] = ofValue(found.value, { ...target, type }, circumstances);
  if ('error' in proposal) return failed(proposal.error);
  const status = { type: 'External', external: { metric: identifier(metric), current } };
  return { replicas: proposal.replicas, name: describeExternal(metric), status };
}

/** By a value of its own, or by each pod's share in it. An empty error says that there is no target. */
function ofValue(
  usage: number,
  { type, value, averageValue }: autoscalingv2.MetricTarget,
  circumstances: Circumstances,
): readonly [Proposal, autoscalingv2.MetricValueStatus] {
  if (type === 'Value' && value !== undefined) {
    const proposal = totalReplicas(usage, milli(value), circumstances);
    return [proposal, { value: formatMilli(usage) }];
  }
  if (averageValue === undefined) return [{ error: '' }, {}];
  const proposal = shareReplicas(usage, milli(averageValue), circumstances);
  return [proposal, 'error' in proposal ? {} : { averageValue: formatMilli(proposal.usage) }];
}

function podsIn(fetched: Fetched, prefix: string): { readonly pods: PodValues } | { readonly error: string } {
  if ('pods' in fetched) return fetched;
  return { error: `${prefix}: ${'error' in fetched ? fetched.error : 'no pods'}` };
}

function valueIn(
  fetched: Fetched,
  describe: (why: string) => string,
): { readonly value: number } | { readonly error: string } {
  if ('value' in fetched) return fetched;
  return { error: describe('error' in fetched ? fetched.error : 'no value') };
}

function identifier({ name, selector }: autoscalingv2.MetricIdentifier): autoscalingv2.MetricIdentifier {
  return selector === undefined ? { name } : { name, selector };
}

function describeExternal({ name, selector }: autoscalingv2.MetricIdentifier): string {
  return `external metric ${name}(${formatSelector(selector)})`;
}

/** Thousandths as a quantity: `250` → `250m`, `64000` → `64`. */
function formatMilli(value: number, format: QuantityFormat = 'decimal'): string {
  return formatQuantity({ unscaled: BigInt(Math.trunc(value)), scale: 3, format });
}

/** A selector as Go prints it in messages. */
function formatSelector(selector: metav1.LabelSelector | undefined): string {
  if (selector === undefined) return 'nil';
  const labels = Object.entries(selector.matchLabels ?? {})
    .sort(([a], [b]) => compareText(a, b))
    .map(([key, value]) => `${key}: ${value},`);
  const expressions = (selector.matchExpressions ?? []).map(
    ({ key, operator, values = [] }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(' ')}],},`,
  );
  return `&LabelSelector{MatchLabels:map[string]string{${labels.join('')}},MatchExpressions:[]LabelSelectorRequirement{${expressions.join('')}},}`;
}
