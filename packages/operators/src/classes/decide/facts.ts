import { isControlledBy } from '@kubewright/runtime';
import {
  ANNOTATIONS,
  type ClassRuntime,
  type ClassRuntimeStatus,
  FINALIZER,
  type Lifecycle,
  type Phase,
} from '../api.ts';
import { KNATIVE_API } from '../knative-api.ts';
import type { Settings } from '../settings.ts';
import type { Desired, Rendering } from '../templates/rendering.ts';
import { wasScaled } from './was-scaled.ts';
import { type Anomaly, byWeight, workloadAnomalies } from './workload-anomalies.ts';
import { enforcementAnomalies, type FunctionNfr, functionNfrs } from './function-nfr.ts';
import { gridAnomalies, gridReadiness } from './grid-readiness.ts';
import { isSameObject, isWorkload, type Live, type ObservedClass, titleOf } from './observed-class.ts';
import type { Readiness } from './knative-readiness.ts';
import { resourceAnomalies, type ResourceNfr, resourceNfrs } from './resource-nfr.ts';
import { readinessOf } from './readiness.ts';
import { secondsSince } from './seconds-since.ts';

/** A desired object, its live state and its readiness. */
export type Child = {
  readonly desired: Desired;
  readonly live?: Live | undefined;
  readonly readiness: Readiness;
};

/** The facts on which the table decides. */
export type Facts = ObservedClass & {
  readonly now: Date;
  readonly status: ClassRuntimeStatus;
  readonly phase: Phase | undefined;
  readonly lifecycle: Partial<Lifecycle>;
  readonly isDeleting: boolean;
  readonly hasFinalizer: boolean;
  readonly isPaused: boolean;
  readonly renderError?: string;
  readonly rendering?: Rendering;
  readonly children: readonly Child[];
  /** Objects that the class controls, desired or not. */
  readonly owned: readonly Live[];
  /** Orphans: controlled by the class, no longer desired, and ours to delete. */
  readonly orphans: readonly Live[];
  /** The next object that differs from its desired state. */
  readonly toApply?: Desired | undefined;
  /** What the next one waits for, where functions are updated one after the other. */
  readonly held?: string | undefined;
  readonly isRecorded: boolean;
  readonly anomalies: readonly Anomaly[];
  /** Those that are visible already, and count only if they last; the next one first. */
  readonly coming: readonly Anomaly[];
  /** Functions with a recommendation. */
  readonly functions: readonly FunctionNfr[];
  /** Memory and CPU of functions, with a recommendation. */
  readonly resources: readonly ResourceNfr[];
  readonly ready: number;
  readonly total: number;
  readonly inPhase: number;
  readonly sinceProgress: number;
  readonly unreadyFor: number;
};

export function factsOf(observed: ObservedClass, now: Date): Facts {
  const { runtime, rendered } = observed;
  const { status = {} } = runtime;
  const rendering = 'error' in rendered ? undefined : rendered;
  const children = (rendering?.objects ?? []).map((desired) => childOf(desired, observed, now));
  const owned = observed.live.filter((object) => isControlledBy(object, runtime));
  const lifecycle: Partial<Lifecycle> = status.lifecycle ?? {};
  const isRecorded = isOnRecord(lifecycle, rendering, runtime);
  const functions = functionNfrs(observed, rendering, now);
  const resources = resourceNfrs(observed, rendering, now);
  const orphans = owned.filter((object) => isOrphan(object, rendering));
  const found = [
    ...childAnomalies(observed, owned, children, isRecorded, now),
    ...orphanAnomalies(orphans, lifecycle, observed.settings, now),
    ...enforcementAnomalies(observed, functions),
    ...resourceAnomalies(observed, resources),
  ].toSorted(byWeight);
  return {
    ...observed,
    now,
    status,
    phase: status.phase,
    lifecycle,
    ...wishesOf(runtime),
    ...('error' in rendered ? { renderError: rendered.error } : { rendering: rendered }),
    children,
    owned,
    orphans,
    ...nextOf(children, isRecorded, runtime),
    isRecorded,
    anomalies: found.filter(({ wait }) => wait <= 0),
    coming: found.filter(({ wait }) => wait > 0).toSorted((a, b) => a.wait - b.wait),
    functions,
    resources,
    ready: children.filter(({ readiness }) => readiness.ready).length,
    total: children.length,
    ...elapsed(lifecycle, now),
  };
}

function elapsed(
  { since, progress_at, unready_since }: Partial<Lifecycle>,
  now: Date,
): Pick<Facts, 'inPhase' | 'sinceProgress' | 'unreadyFor'> {
  return {
    inPhase: secondsSince(since, now),
    sinceProgress: secondsSince(progress_at, now),
    unreadyFor: secondsSince(unready_since, now),
  };
}

function wishesOf({ metadata, spec }: ClassRuntime): Pick<Facts, 'isDeleting' | 'hasFinalizer' | 'isPaused'> {
  return {
    isDeleting: metadata.deletionTimestamp !== undefined,
    hasFinalizer: metadata.finalizers?.includes(FINALIZER) === true,
    isPaused: spec.paused === true || metadata.annotations?.[ANNOTATIONS.paused] === 'true',
  };
}

function isOnRecord(
  { applied_hash, applied_generation }: Partial<Lifecycle>,
  rendering: Rendering | undefined,
  { metadata }: ClassRuntime,
): boolean {
  return applied_hash === rendering?.hash && applied_generation === metadata.generation;
}

function childOf(desired: Desired, observed: ObservedClass, now: Date): Child {
  const live = observed.live.find((object) => isSameObject(object, desired));
  const isScaling = wasScaled(desired.metadata.name, observed, now);
  const readiness = gridReadiness(desired, readinessOf(live, desired, isScaling), observed);
  return { desired, live, readiness };
}

/** New pods are still to come, or old ones to go. */
const UPDATING = ['NotObserved', 'Updating', 'OldReplicas'];

/** The next object to apply. One by one, a function that is there already is updated when those before it are. */
function nextOf(
  children: readonly Child[],
  isRecorded: boolean,
  { spec }: ClassRuntime,
): Pick<Facts, 'toApply' | 'held'> {
  const next = toApply(children, isRecorded);
  const index = children.findIndex(({ desired }) => desired === next);
  if (spec.rollout?.strategy !== 'sequential' || children[index]?.live === undefined)
    return { toApply: next };
  const coming = children
    .slice(0, index)
    .find(({ readiness: { ready, reason = '' } }) => !ready && UPDATING.includes(reason));
  return coming === undefined ? { toApply: next } : { held: titleOf(coming.desired) };
}

/** An object that is missing after everything was applied is an anomaly, not a first apply. */
function toApply(children: readonly Child[], isRecorded: boolean): Desired | undefined {
  return children.find(({ desired, live }) =>
    live === undefined ? !isRecorded : hashIn(live) !== hashIn(desired),
  )?.desired;
}

/** Of its template, as it was applied. */
export function hashIn({ metadata }: Desired | Live): string | undefined {
  return metadata.annotations?.[ANNOTATIONS.appliedHash];
}

function isOrphan(object: Live, rendering: Rendering | undefined): boolean {
  const { deletionTimestamp, annotations } = object.metadata;
  const isLeft = deletionTimestamp !== undefined || annotations?.[ANNOTATIONS.ignore] === 'true';
  if (isLeft || rendering === undefined) return false;
  return !rendering.objects.some((desired) => isSameObject(object, desired));
}

function childAnomalies(
  observed: ObservedClass,
  owned: readonly Live[],
  children: readonly Child[],
  isRecorded: boolean,
  now: Date,
): readonly Anomaly[] {
  return children.flatMap((child): readonly Anomaly[] => {
    const { desired, live, readiness } = child;
    if (live === undefined) return isRecorded ? [missing(child, observed, now)] : [];
    if (!isControlledBy(live, observed.runtime)) return isKnatives(live, owned) ? [] : [notOwned(child)];
    if (!isWorkload(live) || !isWorkload(desired) || readiness.ready) return [];
    return [
      ...workloadAnomalies(desired, { live, readiness }, observed.pods, observed.settings, now),
      ...gridAnomalies(child, observed, now),
    ];
  });
}

function missing({ desired }: Child, { runtime, settings }: ObservedClass, now: Date): Anomaly {
  const wait = settings.cacheLag - secondsSince(runtime.status?.lifecycle?.applied_at, now);
  const message = `Expected ${titleOf(desired)} not found.`;
  return { reason: 'ChildMissing', message, workload: desired.metadata.name ?? '', wait };
}

/** Knative makes a Service for each of its own, which goes with it. */
function isKnatives({ apiVersion, metadata }: Live, owned: readonly Live[]): boolean {
  return (
    apiVersion === 'v1' &&
    owned.some((other) => other.apiVersion === KNATIVE_API && other.metadata.name === metadata.name)
  );
}

function notOwned({ desired }: Child): Anomaly {
  const message = `${titleOf(desired)} belongs to another owner.`;
  return { reason: 'NotOwned', message, workload: desired.metadata.name ?? '', wait: 0 };
}

/** Clean-up that fails for too long; until then orphans are not an anomaly. */
function orphanAnomalies(
  orphans: readonly Live[],
  { orphans_since }: Partial<Lifecycle>,
  { orphanGrace }: Settings,
  now: Date,
): readonly Anomaly[] {
  if (orphans_since === undefined) return [];
  const wait = orphanGrace - secondsSince(orphans_since, now);
  return orphans.map((object) => ({
    reason: 'Orphaned',
    message: `Found unmanaged ${titleOf(object)}; cleanup scheduled.`,
    workload: object.metadata.name,
    wait,
  }));
}
