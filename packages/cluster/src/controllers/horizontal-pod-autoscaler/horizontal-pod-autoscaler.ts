import { type Client, isNotFound } from '@kubewright/client';
import { autoscalingv2, corev1, errorText, jsonEqual, type Stored, type Transport } from '@kubewright/kube';
import { type LabelSelector, matchesLabels, parseLabelSelector } from '@kubewright/kube/selectors';
import {
  type Cache,
  type EventRecorder,
  formatRequest,
  type Manager,
  type Reconciler,
} from '@kubewright/runtime';
import { decide, type Decision, needsMetrics } from './decide/decide.ts';
import { EMPTY, type Memory, withScaling } from './decide/memory.ts';
import type { Measured } from './decide/propose-replicas.ts';
import { createMetricsClient, type MetricsClient } from './metrics-client.ts';
import { type FoundScale, readScale, writeScale } from './read-scale.ts';
import { type AutoscalerSettings, DEFAULT_SETTINGS } from './autoscaler-settings.ts';
import { watchAutoscalers } from './watch-autoscalers.ts';

/** The service account of `kube-system` that it acts as, and who tells its events. */
export const HORIZONTAL_POD_AUTOSCALER = 'horizontal-pod-autoscaler';

const CONCURRENT = 5;

type Autoscaler = Stored<autoscalingv2.HorizontalPodAutoscaler>;

export type AutoscalerOptions = {
  /** Calls as the controller's user, which the manager's client has too. */
  readonly transport: Transport;
  readonly settings?: Partial<AutoscalerSettings>;
};

/** Scales what HorizontalPodAutoscalers name, by metrics. */
export function addHorizontalPodAutoscaler(manager: Manager, options: AutoscalerOptions): void {
  const settings = { ...DEFAULT_SETTINGS, ...options.settings };
  manager.cache.informer(corev1.pods);
  manager.addController({
    name: 'horizontal-pod-autoscaler',
    reconciler: reconcilerOf(manager, options.transport, settings),
    sources: [watchAutoscalers(settings.syncPeriodMs, manager.clock)],
    maxConcurrentReconciles: CONCURRENT,
  });
}

/** What is known of all autoscalers, by their key. */
type Known = { readonly memories: Map<string, Memory>; readonly selectors: Map<string, LabelSelector> };

function reconcilerOf(manager: Manager, transport: Transport, settings: AutoscalerSettings): Reconciler {
  const { cache, client, clock } = manager;
  const recorder = manager.recorderFor(HORIZONTAL_POD_AUTOSCALER);
  const metrics = createMetricsClient(transport, client.mapper);
  const known: Known = { memories: new Map(), selectors: new Map() };
  return {
    async reconcile(request) {
      const key = formatRequest(request);
      const hpa = cache.get(autoscalingv2.horizontalpodautoscalers, request);
      if (hpa === undefined) {
        known.memories.delete(key);
        known.selectors.delete(key);
        return {};
      }
      const found = await readScale(client, hpa);
      const observed =
        'error' in found
          ? { hpa, scale: found }
          : { hpa, scale: found.scale, ...(await measure({ cache, metrics, known }, hpa, found)) };
      const memory = known.memories.get(key) ?? EMPTY;
      const decision = decide(observed, memory, { settings, now: clock.now() });
      known.memories.set(key, decision.memory);
      const rescaled = await act({ client, recorder }, hpa, decision, 'error' in found ? undefined : found);
      if (rescaled !== undefined && hpa.spec.behavior !== undefined)
        known.memories.set(key, withScaling(decision.memory, rescaled.from, rescaled.to, clock.now()));
      return { requeueAfter: settings.syncPeriodMs };
    },
  };
}

type Sources = { readonly cache: Cache; readonly metrics: MetricsClient; readonly known: Known };

async function measure(
  { cache, metrics, known }: Sources,
  hpa: Autoscaler,
  { scale }: FoundScale,
): Promise<{ readonly measured?: Measured }> {
  if (!needsMetrics(hpa, scale.specReplicas)) return {};
  const { namespace, name } = hpa.metadata;
  const parsed = parsedSelector(scale.selector);
  if ('error' in parsed) return { measured: { pods: [], fetched: [], rivals: [], invalid: parsed.error } };
  known.selectors.set(formatRequest({ namespace, name }), parsed.selector);
  const all = cache.list(corev1.pods, { namespace });
  const pods = all.filter(({ metadata }) => matchesLabels(parsed.selector, metadata.labels));
  const place = { namespace, selector: scale.selector };
  const fetched = await Promise.all((hpa.spec.metrics ?? []).map((spec) => metrics.fetch(spec, place)));
  return { measured: { pods, fetched, rivals: rivalsOf(known, namespace, pods) } };
}

function parsedSelector(text: string): { readonly selector: LabelSelector } | { readonly error: string } {
  try {
    return { selector: parseLabelSelector(text) };
  } catch (error) {
    return { error: errorText(error) };
  }
}

/** Whose pods these are, this autoscaler's own among them. */
function rivalsOf(
  { selectors }: Known,
  namespace: string,
  pods: readonly Stored<corev1.Pod>[],
): readonly string[] {
  return [...selectors].flatMap(([key, selector]) => {
    const [home, name] = key.split('/');
    const has = home === namespace && pods.some(({ metadata }) => matchesLabels(selector, metadata.labels));
    return has ? [`{${name} ${home}}`] : [];
  });
}

type Tools = { readonly client: Client; readonly recorder: EventRecorder };

/** The scale first, then its status. Resolves to the change of scale. */
async function act(
  { client, recorder }: Tools,
  hpa: Autoscaler,
  { status, events, rescale }: Decision,
  found: FoundScale | undefined,
): Promise<Decision['rescale']> {
  for (const event of events) recorder.record(hpa, event);
  if (rescale === undefined || found === undefined) {
    await writeStatus({ client, recorder }, hpa, status);
    return undefined;
  }
  try {
    await writeScale(client, found, rescale.to);
  } catch (error) {
    const failure = rescale.failed(errorText(error));
    recorder.record(hpa, failure.event);
    await writeStatus({ client, recorder }, hpa, failure.status);
    return undefined;
  }
  recorder.record(hpa, rescale.event);
  await writeStatus({ client, recorder }, hpa, status);
  return rescale;
}

/** A change of the autoscaler meanwhile takes effect at the next reconciliation. */
async function writeStatus(
  { client, recorder }: Tools,
  hpa: Autoscaler,
  status: autoscalingv2.HorizontalPodAutoscalerStatus,
): Promise<void> {
  if (jsonEqual(status, hpa.status)) return;
  try {
    const ref = autoscalingv2.horizontalpodautoscalers;
    await client.update(ref, { ...hpa, status }, { subresource: 'status' });
  } catch (error) {
    if (isNotFound(error)) return;
    recorder.record(hpa, { type: 'Warning', reason: 'FailedUpdateStatus', message: errorText(error) });
  }
}
