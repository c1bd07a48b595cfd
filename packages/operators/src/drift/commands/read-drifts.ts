import { ignoreNotFound, systemClock } from '@kubewright/client';
import { compareText, corev1, defined, type KubeObject, parseApiVersion } from '@kubewright/kube';
import type { CommandStage } from '../../kit/operator.ts';
import {
  approvalsOf,
  type Child,
  findApproval,
  findRejection,
  rejectionsOf,
} from '../annotations/find-approval.ts';
import { viewOf } from '../annotations/recorded-view.ts';
import { freezeOf } from '../annotations/freeze-of.ts';

/** A drift, and its state. */
export type Drift = {
  /** The child's; undefined for a cluster-scoped one. */
  readonly namespace?: string;
  readonly parent: string;
  readonly child: string;
  /** The child does not exist: its creation is the drift. */
  readonly isNew: boolean;
  readonly state: 'approved' | 'rejected' | 'frozen' | 'open' | 'gone';
  readonly times: number;
  readonly last: string;
  readonly message: string;
};

/** The drift of a namespace, or of all, within the last hour, the newest first: one for each parent and child. */
export async function readDrifts(
  stage: CommandStage,
  isWanted: (event: corev1.Event) => boolean = () => true,
  isOfAll = false,
): Promise<readonly Drift[]> {
  const { client } = stage;
  const { items } = await client.list(corev1.events, {
    ...(isOfAll ? {} : { namespace: stage.namespace }),
    fieldSelector: 'reason=DriftDetected',
  });
  return Promise.all(latestOf(items.filter(isWanted)).map((event) => driftOf(event, stage)));
}

/** The latest Event of each parent and child: a controller retries. */
function latestOf(events: readonly corev1.Event[]): readonly corev1.Event[] {
  const byPair = new Map<string, corev1.Event>();
  for (const event of events.toSorted((a, b) => compareText(a.lastTimestamp ?? '', b.lastTimestamp ?? '')))
    byPair.set(`${event.involvedObject.uid} ${nameOf(event.related)}`, event);
  return [...byPair.values()].toReversed();
}

async function driftOf(event: corev1.Event, stage: CommandStage): Promise<Drift> {
  const { involvedObject, related, count = 1, lastTimestamp, message = '' } = event;
  return {
    ...defined({ namespace: related?.namespace }),
    parent: nameOf(involvedObject),
    child: nameOf(related),
    isNew: related?.uid === undefined,
    state: stateOf(await readOwner(event, stage), related),
    times: count,
    last: lastTimestamp ?? '',
    message,
  };
}

async function readOwner(
  { involvedObject }: corev1.Event,
  { client }: CommandStage,
): Promise<KubeObject | undefined> {
  const { apiVersion = '', kind = '', name = '', namespace = '' } = involvedObject;
  const key = namespace === '' ? { name } : { namespace, name };
  const owner = await ignoreNotFound(client.get<KubeObject>({ ...parseApiVersion(apiVersion), kind }, key));
  return owner && viewOf<KubeObject>(owner);
}

function stateOf(
  parent: KubeObject | undefined,
  related: corev1.ObjectReference | undefined,
): Drift['state'] {
  if (parent === undefined) return 'gone';
  if (freezeOf(parent) !== undefined) return 'frozen';
  const child = childIn(related ?? {});
  const { generation = 0 } = parent.metadata;
  if (findRejection(rejectionsOf(parent) ?? [], child, generation) !== undefined) return 'rejected';
  const now = new Date(systemClock.now());
  return findApproval(approvalsOf(parent), child, { parent, now, used: [] }) === undefined
    ? 'open'
    : 'approved';
}

function childIn({ apiVersion = '', kind = '', name = '' }: corev1.ObjectReference): Child {
  return { apiVersion, kind, name };
}

function nameOf(reference: corev1.ObjectReference | undefined): string {
  const { kind = '', name = '' } = reference ?? {};
  return `${kind.toLowerCase()}/${name}`;
}
