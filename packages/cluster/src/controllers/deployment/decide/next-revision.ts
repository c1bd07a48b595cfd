import type { appsv1, Stored } from '@kubewright/kube';
import { parseInt64 } from '@kubewright/kube/selectors';
import {
  DESIRED_REPLICAS,
  LAST_APPLIED,
  MAX_REPLICAS,
  REVISION,
  REVISION_HISTORY,
  ROLLBACK_TO,
} from '../constants.ts';
import { desiredOf, maxPodsOf } from './replica-counts.ts';

type Deployment = Stored<appsv1.Deployment>;
type ReplicaSet = Stored<appsv1.ReplicaSet>;
type Annotations = Readonly<Record<string, string>>;

/** Annotations that belong to one object alone and are not handed down. */
const OWN = new Set([LAST_APPLIED, REVISION, REVISION_HISTORY, DESIRED_REPLICAS, MAX_REPLICAS, ROLLBACK_TO]);
/** Characters that the list of former revisions may take; the oldest are forgotten. */
const LONGEST_HISTORY = 2000;

export function revisionOf({ metadata }: ReplicaSet): bigint | undefined {
  const text = metadata.annotations?.[REVISION];
  return text === undefined ? 0n : parseInt64(text);
}

/** The revision after those of the old ReplicaSets. */
export function nextRevision(old: readonly ReplicaSet[]): bigint {
  const revisions = old.map((replicaSet) => revisionOf(replicaSet) ?? 0n);
  return 1n + revisions.reduce((highest, one) => (one > highest ? one : highest), 0n);
}

/** The annotations of ReplicaSets with their Deployment's size; a later difference is how scaling is recognized. */
export function sizeAnnotations(deployment: Deployment): Annotations {
  return {
    [DESIRED_REPLICAS]: String(desiredOf(deployment)),
    [MAX_REPLICAS]: String(maxPodsOf(deployment)),
  };
}

/**
 * Annotations of the current ReplicaSet: its own, those that the Deployment hands down, and its revision, which only
 * grows. One that comes back to be the current one (a rollback) remembers the revisions that it was.
 */
export function currentAnnotations(
  deployment: Deployment,
  present: Annotations,
  revision: bigint,
): Annotations {
  const inherited = Object.entries(deployment.metadata.annotations ?? {}).filter(([name]) => !OWN.has(name));
  const annotations = { ...present, ...Object.fromEntries(inherited) };
  const text = present[REVISION];
  const before = text === undefined || text === '' ? 0n : parseInt64(text);
  if (before === undefined || before >= revision) return annotations;
  const renewed = { ...annotations, [REVISION]: String(revision) };
  return text === undefined ? renewed : { ...renewed, ...history(present[REVISION_HISTORY] ?? '', text) };
}

function history(known: string, revision: string): Annotations {
  const revisions = known === '' ? [] : known.split(',');
  while (revisions.length > 0 && [...revisions, revision].join(',').length > LONGEST_HISTORY)
    revisions.shift();
  return { [REVISION_HISTORY]: [...revisions, revision].join(',') };
}
