import { appsv1, corev1, type KubeObject, type Stored } from '@kubewright/kube';
import { type Cache, formatRequest, type Io, type PartRef, partOf, type Request } from '@kubewright/runtime';
import { CLASS_RUNTIMES, LABELS } from './api.ts';
import type { ObservedClass } from './decide/observed-class.ts';
import type { Loads } from './class-load.ts';
import { type Settings, settingsFor } from './settings.ts';
import { render } from './templates/render.ts';

const LABELLED = { labelSelector: LABELS.owner };

/** Only objects with the label of a class are cached. */
export const DEPLOYMENTS = partOf(appsv1.deployments, 'classes', LABELLED);
export const SERVICES = partOf(corev1.services, 'classes', LABELLED);
export const PODS = partOf(corev1.pods, 'classes', LABELLED);

const BY_CLASS = 'class';

/** Adds the indexes that {@link observe} reads. */
export function addClassIndexes(cache: Cache): void {
  cache.addIndex(DEPLOYMENTS, BY_CLASS, classesOf);
  cache.addIndex(SERVICES, BY_CLASS, classesOf);
  cache.addIndex(PODS, BY_CLASS, classesOf);
}

/** The class that an object's label names. */
export function requestsOf({ metadata }: KubeObject): readonly Request[] {
  const { namespace, labels } = metadata;
  const name = labels?.[LABELS.owner];
  return namespace === undefined || name === undefined ? [] : [{ namespace, name }];
}

/** The class, its rendered objects, and the live ones. */
export function observe(
  request: Request,
  { cache }: Pick<Io, 'cache'>,
  process: Settings,
  loads: Loads,
): ObservedClass | undefined {
  const runtime = cache.get(CLASS_RUNTIMES, request);
  if (runtime === undefined) return undefined;
  const of = <T extends KubeObject>(ref: PartRef<T>) => cache.byIndex(ref, BY_CLASS, formatRequest(request));
  const live = [...of(DEPLOYMENTS), ...of(SERVICES)];
  const settings = settingsFor(process, runtime);
  const load = loads.get(formatRequest(request));
  return { runtime, settings, rendered: render(runtime, settings), live, pods: of(PODS), load };
}

/** The pods of a class. */
export function podsOf(request: Request, { cache }: Pick<Io, 'cache'>): readonly Stored<corev1.Pod>[] {
  return cache.byIndex(PODS, BY_CLASS, formatRequest(request));
}

const classesOf = (object: KubeObject): readonly string[] =>
  requestsOf(object).map((each) => formatRequest(each));
