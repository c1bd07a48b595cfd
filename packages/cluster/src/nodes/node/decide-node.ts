import { type corev1, jsonEqual, type JsonObject, parseTime, type Stored } from '@kubewright/kube';
import { type NodeFacts, nodeStatus } from './node-object.ts';

export type NodeTimes = {
  /** Between two renewals of the Lease. */
  readonly renewMs: number;
  /** Between two status updates of a node to which nothing happens. */
  readonly statusMs: number;
};

export type ObservedNode = {
  readonly facts: NodeFacts;
  readonly live: Stored<corev1.Node> | undefined;
  /** It was registered since the start; a node that is deleted stays away. */
  readonly registered: boolean;
  /** Milliseconds since the Lease was renewed last, whatever was done to the wall clock; undefined: not since the start. */
  readonly sinceRenewal: number | undefined;
  readonly times: NodeTimes;
};

export type NodeDecision = {
  readonly register: boolean;
  /** The status to be written; undefined: it is as it should be. */
  readonly status?: corev1.NodeStatus;
  readonly renew: boolean;
  /** Milliseconds until the next heartbeat; undefined for a node that was deleted. */
  readonly requeueAfter?: number;
};

/** What a kubelet does for its Node: registers it, keeps its status, renews its Lease. `now` is in milliseconds. */
export function decideNode(
  { facts, live, registered, sinceRenewal, times }: ObservedNode,
  now: number,
): NodeDecision {
  if (live === undefined) return { register: !registered, renew: false };
  const left = times.renewMs - (sinceRenewal ?? Number.POSITIVE_INFINITY);
  const wanted = nodeStatus(facts, live, now);
  const isDue = differs(live, wanted) || heartbeatAge(live, now) >= times.statusMs;
  return {
    register: false,
    ...(isDue ? { status: wanted } : {}),
    renew: left <= 0,
    requeueAfter: left <= 0 ? times.renewMs : left,
  };
}

/** Whether there is more to say than that the node still lives. */
function differs({ status = {} }: Stored<corev1.Node>, wanted: corev1.NodeStatus): boolean {
  const { conditions = [], ...rest } = wanted;
  const old: JsonObject = status;
  if (Object.entries(rest).some(([key, value]) => !jsonEqual(old[key], value))) return true;
  return conditions.some((condition) => {
    const live = status.conditions?.find(({ type }) => type === condition.type);
    return live?.status !== condition.status || live.reason !== condition.reason;
  });
}

function heartbeatAge({ status }: Stored<corev1.Node>, now: number): number {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  const at = ready?.lastHeartbeatTime;
  return at === undefined || at === null ? Number.POSITIVE_INFINITY : now - parseTime(at).getTime();
}
