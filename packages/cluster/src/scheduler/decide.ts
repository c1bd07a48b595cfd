import type { Check, Filter, FilterName, Rejection } from './filters/filter.ts';
import {
  nodeAffinity,
  nodePorts,
  nodeResourcesFit,
  nodeUnschedulable,
  taintToleration,
} from './filters/node-filters.ts';
import { interPodAffinity } from './filters/inter-pod-affinity.ts';
import { podTopologySpread } from './filters/pod-topology-spread.ts';
import { type Diagnosis, fitError, NO_NODES } from './fit-error.ts';
import { bestNode } from './best-node.ts';
import type { PodInfo } from './state/pod-info.ts';
import type { NodeInfo, Snapshot } from './state/snapshot.ts';

export type Decision =
  | { readonly type: 'bind'; readonly node: string }
  | {
      readonly type: 'unschedulable';
      readonly message: string;
      /** The filters that rejected it: an event may make one of them accept a node. */
      readonly filters: ReadonlySet<FilterName>;
    };

/** In kube-scheduler's order: a node counts for the first filter that rejects it. */
const BEFORE_VOLUMES: readonly Filter[] = [
  nodeUnschedulable,
  taintToleration,
  nodeAffinity,
  nodePorts,
  nodeResourcesFit,
];
const AFTER_VOLUMES: readonly Filter[] = [podTopologySpread, interPodAffinity];

type Prepared = {
  readonly checks: readonly { readonly name: FilterName; readonly check: Check }[];
  readonly only?: ReadonlySet<string>;
  readonly by?: FilterName;
};

/** On which node a pod goes, or why on none. Looks at the snapshot and nothing else; `volumes` is what its claims say. */
export function decide(info: PodInfo, snapshot: Snapshot, volumes?: Filter): Decision {
  if (snapshot.nodes.size === 0) return { type: 'unschedulable', message: NO_NODES, filters: new Set() };
  const filters = [...BEFORE_VOLUMES, ...(volumes === undefined ? [] : [volumes]), ...AFTER_VOLUMES];
  const prepared = prepare(info, snapshot, filters);
  if ('rejected' in prepared) {
    const { rejected, by } = prepared;
    return unschedulable({ nodes: snapshot.nodes.size, rejections: [], rejected }, info, new Set([by]));
  }
  const { fitting, rejections, filters: rejecting } = runFilters(prepared, snapshot);
  const best = fitting.length === 0 ? undefined : bestNode(info, fitting, snapshot);
  if (best !== undefined) return { type: 'bind', node: best.name };
  const absent =
    prepared.by === undefined ? {} : { absent: `node(s) didn't satisfy plugin(s) [${prepared.by}]` };
  return unschedulable({ nodes: snapshot.nodes.size, rejections, ...absent }, info, rejecting);
}

function unschedulable(diagnosis: Diagnosis, info: PodInfo, filters: ReadonlySet<FilterName>): Decision {
  return { type: 'unschedulable', message: fitError(diagnosis, info), filters };
}

function prepare(
  info: PodInfo,
  snapshot: Snapshot,
  filters: readonly Filter[],
): Prepared | { readonly rejected: string; readonly by: FilterName } {
  const checks: { name: FilterName; check: Check }[] = [];
  let narrowed: Pick<Prepared, 'only' | 'by'> = {};
  for (const filter of filters) {
    const { check, rejected, only } = filter.prepare(info, snapshot);
    if (rejected !== undefined) return { rejected, by: filter.name };
    if (only?.size === 0)
      return { rejected: `node(s) didn't satisfy plugin ${filter.name}`, by: filter.name };
    if (only !== undefined) narrowed = { only, by: filter.name };
    if (check !== undefined) checks.push({ name: filter.name, check });
  }
  return { checks, ...narrowed };
}

type FilterResults = {
  readonly fitting: readonly NodeInfo[];
  readonly rejections: readonly Rejection[];
  readonly filters: ReadonlySet<FilterName>;
};

function runFilters({ checks, only, by }: Prepared, { nodes }: Snapshot): FilterResults {
  const fitting: NodeInfo[] = [];
  const rejections: Rejection[] = [];
  const filters = new Set<FilterName>(by === undefined ? [] : [by]);
  const candidates = only === undefined ? nodes.values() : [...only].flatMap((name) => nodes.get(name) ?? []);
  for (const node of candidates) {
    const rejection = firstRejection(checks, node, filters);
    if (rejection === undefined) fitting.push(node);
    else rejections.push(rejection);
  }
  return { fitting, rejections, filters };
}

function firstRejection(
  checks: Prepared['checks'],
  node: NodeInfo,
  filters: Set<FilterName>,
): Rejection | undefined {
  for (const { name, check } of checks) {
    const rejection = check(node);
    if (rejection === undefined) continue;
    filters.add(name);
    return rejection;
  }
  return undefined;
}
