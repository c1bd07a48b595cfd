import { jsonEqual, type KubeObject } from '@kubewright/kube';
import { matchesLabels, parseLabelSelector } from '@kubewright/kube/selectors';
import type { CacheEvent } from '../cache/informer.ts';

/** Whether a change is worth a reconcile. */
export type Predicate<T extends KubeObject = KubeObject> = (event: CacheEvent<T>) => boolean;

/**
 * Passes updates that changed the spec, and all creations and deletions. Kinds without `metadata.generation` never
 * pass an update.
 */
export const generationChanged: Predicate = (event) =>
  event.type !== 'Update' || event.object.metadata.generation !== event.old.metadata.generation;

/** Passes updates whose resourceVersion changed. */
export const resourceVersionChanged: Predicate = (event) =>
  event.type !== 'Update' || event.object.metadata.resourceVersion !== event.old.metadata.resourceVersion;

/** Passes changes of objects whose new state matches `selector` (`app=web,tier!=test`). */
export function labelsMatch(selector: string): Predicate {
  const parsed = parseLabelSelector(selector);
  return ({ object }) => matchesLabels(parsed, object.metadata.labels);
}

export const labelsChanged: Predicate = (event) =>
  event.type !== 'Update' || !jsonEqual(event.object.metadata.labels, event.old.metadata.labels);

export const annotationsChanged: Predicate = (event) =>
  event.type !== 'Update' || !jsonEqual(event.object.metadata.annotations, event.old.metadata.annotations);

export function allOf<T extends KubeObject>(...predicates: readonly Predicate<T>[]): Predicate<T> {
  return (event) => predicates.every((predicate) => predicate(event));
}

export function anyOf<T extends KubeObject>(...predicates: readonly Predicate<T>[]): Predicate<T> {
  return (event) => predicates.some((predicate) => predicate(event));
}

export function not<T extends KubeObject>(predicate: Predicate<T>): Predicate<T> {
  return (event) => !predicate(event);
}
