import { type CommandCall, type CommandStage } from '../../kit/operator.ts';
import { textTable } from '../../kit/text-table.ts';
import { ignoreNotFound, systemClock } from '@kubewright/client';
import { compareText, corev1, type KubeObject, parseApiVersion } from '@kubewright/kube';
import {
  approvalsOf,
  type Child,
  findApproval,
  findRejection,
  rejectionsOf,
} from '../annotations/find-approval.ts';
import { freezeOf } from '../annotations/freeze-of.ts';

/** A drift, and its state. */
type Drift = {
  readonly parent: string;
  readonly child: string;
  readonly state: 'approved' | 'rejected' | 'frozen' | 'open' | 'gone';
  readonly times: number;
  readonly last: string;
  readonly message: string;
};

/** `kubewright drift list`: the drift Events of the last hour, the newest first. */
export async function list(_call: CommandCall, connect: () => Promise<CommandStage>): Promise<void> {
  const stage = await connect();
  const { client, namespace, print } = stage;
  const { items } = await client.list(corev1.events, { namespace, fieldSelector: 'reason=DriftDetected' });
  const newest = latestOf(items);
  const drifts = await Promise.all(newest.map((event) => driftOf(event, stage)));
  const none = `no drift in namespace ${namespace} within the last hour\n`;
  print({ json: drifts, text: () => (drifts.length === 0 ? none : tableOf(drifts)) });
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
    parent: nameOf(involvedObject),
    child: nameOf(related),
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
  return ignoreNotFound(client.get({ ...parseApiVersion(apiVersion), kind }, key));
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

function tableOf(drifts: readonly Drift[]): string {
  return textTable([
    ['PARENT', 'CHILD', 'STATE', 'TIMES', 'LAST', 'WHAT'],
    ...drifts.map(({ parent, child, state, times, last, message }) => [
      parent,
      child,
      state,
      String(times),
      last,
      message,
    ]),
  ]);
}
