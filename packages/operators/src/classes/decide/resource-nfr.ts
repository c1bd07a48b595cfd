import { defined, formatTime } from '@kubewright/kube';
import { type Anomaly } from './workload-anomalies.ts';
import { DEGRADED_REASONS, type Resource, type ResourceDetail, type ResourceEnforcement } from '../api.ts';
import type { FunctionLoad } from '../class-load.ts';
import { ownSize, type Size, sizeOf } from '../size-of.ts';
import { isEnforced } from '../enforcement-mode.ts';
import type { RenderedFunction, Rendering } from '../templates/rendering.ts';
import { autoscalerOf } from './autoscaler-of.ts';
import { freshnessOf, isStillSettled, loadOf } from './load-of.ts';
import type { LiveAutoscaler, LiveDeployment, LivePod, ObservedClass } from './observed-class.ts';
import { isWorthResizing, recommendResource, type Use } from './recommend-resource.ts';
import { type Scale, scaledNow } from './was-scaled.ts';

const RESOURCES: readonly Resource[] = ['memory', 'cpu'];
const DAY_MS = 86_400_000;

/** One resource of a function in a Deployment, before anything is decided about it. */
export type ResourceNfr = {
  readonly function: RenderedFunction;
  readonly live: LiveDeployment;
  readonly resource: Resource;
  readonly use: Use;
  readonly recommended: number;
  readonly observed_at: string;
  readonly isFresh: boolean;
  /** The time of the load's newest sample, in milliseconds since 1970. */
  readonly loadAt?: number | undefined;
  /** See {@link isStillSettled}. */
  readonly isSettled: boolean;
  /** An autoscaler goes by the share of what is asked for: more would scale down. */
  readonly hasConflict: boolean;
  readonly outOfMemoryAt?: string | undefined;
  readonly stored: ResourceDetail | undefined;
  /** As stored, but settled if the Deployment already has what was being applied. */
  readonly enforcement: ResourceEnforcement | undefined;
  /** What is now found to be applied. */
  readonly applied?: Size | undefined;
};

/** Those of which the load, or the status, has a recommendation. */
export function resourceNfrs(
  observed: ObservedClass,
  rendering: Rendering | undefined,
  now: Date,
): readonly ResourceNfr[] {
  return (rendering?.functions ?? []).flatMap((each) => {
    const live = observed.live.find(
      (object): object is LiveDeployment =>
        object.kind === 'Deployment' && object.metadata.name === each.workload,
    );
    if (live === undefined) return [];
    return RESOURCES.flatMap((resource) => nfrOf({ observed, function: each, live, resource }, now) ?? []);
  });
}

type Of = Pick<ResourceNfr, 'function' | 'live' | 'resource'> & { readonly observed: ObservedClass };

function nfrOf(of: Of, now: Date): ResourceNfr | undefined {
  const { observed, function: each, live, resource } = of;
  const load = loadOf(observed, each);
  const stored = storedOf(of);
  const used = usedOf(load, resource);
  const size = sizeOf(live, resource);
  const settled = settledBy(size, stored?.enforcement, scaledNow(observed.runtime, now));
  const outOfMemoryAt = resource === 'memory' ? outOfMemory(observed.pods, live) : undefined;
  const use: Use = {
    used: used ?? 0,
    size,
    own: ownSize(each.spec, resource),
    isShort: outOfMemoryAt !== undefined && outOfMemoryAt > (settled.enforcement?.applied_at ?? ''),
    wasShort: outOfMemoryAt !== undefined && now.getTime() - Date.parse(outOfMemoryAt) < DAY_MS,
  };
  const recommendation = recommendationOf(used, load, { resource, use, stored });
  if (recommendation === undefined) return undefined;
  const hasConflict = scalesBy(autoscalerOf(observed, live.metadata.name), resource);
  const { isFresh, loadAt } = freshnessOf(load, observed.settings, now);
  const isSettled = isStillSettled(observed, load, stored, size.request);
  const known = { function: each, live, resource, use, hasConflict, outOfMemoryAt, stored, isSettled };
  return { ...known, ...recommendation, ...settled, loadAt, isFresh: isFresh && used !== undefined };
}

function storedOf({ observed, function: { key }, resource }: Of): ResourceDetail | undefined {
  const detail = observed.runtime.status?.nfr_details?.find(({ function_key }) => function_key === key);
  return detail?.resources?.find(({ dimension }) => dimension === resource);
}

function usedOf(load: FunctionLoad | undefined, resource: Resource): number | undefined {
  return resource === 'memory' ? load?.memory : load?.podCpu;
}

/** The stored one stays until another is worth a change: a load that moves a little writes nothing. */
function recommendationOf(
  used: number | undefined,
  load: FunctionLoad | undefined,
  { resource, use, stored }: Pick<ResourceNfr, 'resource' | 'use' | 'stored'>,
): Pick<ResourceNfr, 'recommended' | 'observed_at'> | undefined {
  if (used === undefined || load === undefined) return stored;
  const recommended = recommendResource(resource, use);
  const isSame = stored !== undefined && !isWorthResizing(resource, recommended, stored.recommended);
  // A pod without a value may use more than the others.
  const isLess = load.isPartial === true && stored !== undefined && recommended < stored.recommended;
  return isSame || isLess ? stored : { recommended, observed_at: formatTime(new Date(load.at)) };
}

function settledBy(
  { request, limit }: Size,
  stored: ResourceEnforcement | undefined,
  scale: Scale,
): Pick<ResourceNfr, 'enforcement' | 'applied'> {
  const { applying } = stored ?? {};
  const isThere = applying?.request === request && (applying?.limit ?? limit) === limit;
  if (applying === undefined || !isThere) return { enforcement: stored };
  const done = { ...stored, applying: undefined, failure: undefined, ...scale };
  return { enforcement: defined(done) as ResourceEnforcement, applied: applying };
}

/** When a container of a function was last killed for want of memory. */
function outOfMemory(pods: readonly LivePod[], { metadata: { name } }: LiveDeployment): string | undefined {
  const times = pods
    .filter(({ metadata }) => metadata.labels?.['app'] === name && metadata.deletionTimestamp === undefined)
    .flatMap(({ status }) => status?.containerStatuses ?? [])
    .flatMap(({ state, lastState }) => [state?.terminated, lastState?.terminated])
    .flatMap((ended) =>
      ended?.reason === 'OOMKilled' && ended.finishedAt !== undefined ? ended.finishedAt : [],
    );
  return times.toSorted().at(-1);
}

function scalesBy(autoscaler: LiveAutoscaler | undefined, resource: Resource): boolean {
  // Without metrics it goes by CPU.
  const { metrics } = autoscaler?.spec ?? {};
  if (metrics === undefined) return autoscaler !== undefined && resource === 'cpu';
  return metrics.some(
    ({ resource: source, containerResource = source }) =>
      containerResource?.name === resource && containerResource.target.type === 'Utilization',
  );
}

/** Failed enforcement of a current target: the class is degraded until it succeeds. */
export function resourceAnomalies(
  { runtime, settings }: Pick<ObservedClass, 'runtime' | 'settings'>,
  resources: readonly ResourceNfr[],
): readonly Anomaly[] {
  if (!settings.nfrEnforcement) return [];
  return resources.flatMap(({ enforcement, resource, live }) => {
    const failure = enforcement?.failure;
    const isCurrent = failure?.generation === runtime.metadata.generation && isEnforced(runtime, resource);
    if (failure === undefined || !isCurrent) return [];
    const reason = DEGRADED_REASONS.find((each) => each === failure.reason) ?? 'EnforceFailed';
    return [{ reason, message: failure.message, workload: live.metadata.name, wait: 0 }];
  });
}
