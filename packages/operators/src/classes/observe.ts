import {
  appsv1,
  autoscalingv2,
  compareText,
  corev1,
  defined,
  type KubeObject,
  type Stored,
} from '@kubewright/kube';
import {
  type Cache,
  formatRequest,
  type Io,
  type PartRef,
  partOf,
  type Request,
  requestFor,
} from '@kubewright/runtime';
import { CLASS_RUNTIMES, type ClassRuntime, LABELS, ROUTER_LABELS } from './api.ts';
import { storedGrid } from './decide/grid-readiness.ts';
import { kindText, type LiveAutoscaler, type ObservedClass } from './decide/observed-class.ts';
import type { Grids } from './grid/grid-controller.ts';
import type { GridHealth } from './grid/grid-health.ts';
import { KNATIVE_SERVICES } from './knative-api.ts';
import type { Loads } from './class-load.ts';
import type { ClassRenderer } from './templates/class-renderer.ts';
import type { Rendered } from './templates/rendering.ts';
import { type Router, routerOf } from './templates/router-of.ts';

const LABELLED = { labelSelector: LABELS.owner };

/** Only objects with the label of a class are cached. */
export const DEPLOYMENTS = partOf(appsv1.deployments, 'classes', LABELLED);
/** Data grids may be StatefulSets. */
export const STATEFUL_SETS = partOf(appsv1.statefulsets, 'classes', LABELLED);
export const SERVICES = partOf(corev1.services, 'classes', LABELLED);
export const PODS = partOf(corev1.pods, 'classes', LABELLED);
/** Few clusters have Knative. */
export const KNATIVE = partOf(KNATIVE_SERVICES, 'classes', { ...LABELLED, isOptional: true });

/** Of whole namespaces: people's autoscalers do not bear the label. */
export const AUTOSCALERS = partOf(autoscalingv2.horizontalpodautoscalers, 'classes', {});

/** The Zenoh routers of a namespace. */
export const ROUTERS = partOf(corev1.services, 'routers', { labelSelector: ROUTER_LABELS });

const BY_CLASS = 'class';
const BY_TARGET = 'target';

/** Adds the indexes that {@link observe} reads. */
export function addClassIndexes(cache: Cache): void {
  cache.addIndex(DEPLOYMENTS, BY_CLASS, classesOf);
  cache.addIndex(STATEFUL_SETS, BY_CLASS, classesOf);
  cache.addIndex(SERVICES, BY_CLASS, classesOf);
  cache.addIndex(PODS, BY_CLASS, classesOf);
  cache.addIndex(KNATIVE, BY_CLASS, classesOf);
  cache.addIndex(AUTOSCALERS, BY_TARGET, (autoscaler) => targetOf(autoscaler).map(formatRequest));
}

/** The class that an object's label names. */
export function requestsOf({ metadata }: KubeObject): readonly Request[] {
  const { namespace, labels } = metadata;
  const name = labels?.[LABELS.owner];
  return namespace === undefined || name === undefined ? [] : [{ namespace, name }];
}

/** The class, its rendered objects, and the live ones. `grids`: absent where data grids are not asked how they are. */
export function observe(
  request: Request,
  { cache }: Pick<Io, 'cache'>,
  renderClass: ClassRenderer,
  loads: Loads,
  grids?: Grids,
): ObservedClass | undefined {
  const runtime = cache.get(CLASS_RUNTIMES, request);
  if (runtime === undefined) return undefined;
  const of = <T extends KubeObject>(ref: PartRef<T>) => cache.byIndex(ref, BY_CLASS, formatRequest(request));
  const live = [...of(DEPLOYMENTS), ...of(STATEFUL_SETS), ...of(SERVICES), ...of(KNATIVE)];
  const load = loads.get(formatRequest(request));
  const routers = routersIn(cache, request.namespace);
  const { settings, rendered } = renderClass(runtime, { routers, hasKnative: hasKnative(cache) });
  const autoscalers = autoscalersOf(rendered, request, cache);
  const unobserved = unobservedKinds(cache);
  const grid = grids && gridOf(runtime, grids);
  return { runtime, settings, rendered, routers, live, pods: of(PODS), load, grid, autoscalers, unobserved };
}

/** What the data grid was last found to be: by this process, or as the status says. */
function gridOf(runtime: ClassRuntime, grids: Grids): GridHealth | undefined {
  const { metadata, status = {} } = runtime;
  const found = grids.get(formatRequest(requestFor(runtime)));
  return found?.uid === metadata.uid ? found.health : storedGrid(status);
}

/** Whether the cluster serves Services of Knative. */
export function hasKnative(cache: Pick<Cache, 'informer'>): boolean {
  return cache.informer(KNATIVE).served;
}

/** The Deployment that an autoscaler scales. */
function targetOf({ metadata: { namespace }, spec: { scaleTargetRef } }: LiveAutoscaler): readonly Request[] {
  const { kind, name } = scaleTargetRef;
  return kind === 'Deployment' ? [{ ...defined({ namespace }), name }] : [];
}

function autoscalersOf(
  rendered: Rendered,
  { namespace }: Request,
  cache: Pick<Cache, 'byIndex'>,
): readonly LiveAutoscaler[] {
  const workloads = 'error' in rendered ? [] : rendered.functions.flatMap(({ workload = [] }) => workload);
  return workloads.flatMap((name) =>
    cache
      .byIndex(AUTOSCALERS, BY_TARGET, formatRequest({ ...defined({ namespace }), name }))
      .toSorted((a, b) => compareText(a.metadata.name, b.metadata.name)),
  );
}

/** The class whose Deployment an autoscaler scales. */
export function classOfTarget(cache: Pick<Cache, 'get'>, autoscaler: LiveAutoscaler): readonly Request[] {
  return targetOf(autoscaler).flatMap((key) => {
    const deployment = cache.get(DEPLOYMENTS, key);
    return deployment === undefined ? [] : requestsOf(deployment);
  });
}

/** Kinds that the server does not let us list or watch, or not any more. */
function unobservedKinds(cache: Pick<Cache, 'health' | 'informer'>): readonly string[] {
  const bad = cache
    .health()
    .kinds.filter(({ condition }) => condition === 'failing' || condition === 'stale');
  const names = new Set(bad.map(({ name }) => name));
  const children = [DEPLOYMENTS, STATEFUL_SETS, SERVICES, PODS, KNATIVE];
  return children.filter((ref) => names.has(cache.informer<KubeObject>(ref).name)).map(kindText);
}

/** Sorted by name, so that workloads keep theirs. */
function routersIn(cache: Pick<Cache, 'list'>, namespace: string | undefined): readonly Router[] {
  return cache
    .list(ROUTERS, defined({ namespace }))
    .map((service) => routerOf(service))
    .toSorted((a, b) => compareText(a.service, b.service));
}

/** All classes of an object's namespace. */
export function classesIn(cache: Pick<Cache, 'list'>, { metadata }: KubeObject): readonly Request[] {
  const inNamespace = defined({ namespace: metadata.namespace });
  return cache
    .list(CLASS_RUNTIMES, inNamespace)
    .map((runtime) => ({ ...inNamespace, name: runtime.metadata.name }));
}

/** The pods of a class. */
export function podsOf(request: Request, { cache }: Pick<Io, 'cache'>): readonly Stored<corev1.Pod>[] {
  return cache.byIndex(PODS, BY_CLASS, formatRequest(request));
}

const classesOf = (object: KubeObject): readonly string[] =>
  requestsOf(object).map((each) => formatRequest(each));
