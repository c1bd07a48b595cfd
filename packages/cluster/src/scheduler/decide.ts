import type { Check, Filter, FilterName, Refusal } from './filters/filter.ts';
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
      /** Whose mind has to change. */
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
    return unschedulable({ nodes: snapshot.nodes.size, refusals: [], rejected }, info, new Set([by]));
  }
  const { fitting, refusals, filters: refusing } = ask(prepared, snapshot);
  const best = fitting.length === 0 ? undefined : bestNode(info, fitting, snapshot);
  if (best !== undefined) return { type: 'bind', node: best.name };
  const absent =
    prepared.by === undefined ? {} : { absent: `node(s) didn't satisfy plugin(s) [${prepared.by}]` };
  return unschedulable({ nodes: snapshot.nodes.size, refusals, ...absent }, info, refusing);
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

type Answers = {
  readonly fitting: readonly NodeInfo[];
  readonly refusals: readonly Refusal[];
  readonly filters: ReadonlySet<FilterName>;
};

function ask({ checks, only, by }: Prepared, { nodes }: Snapshot): Answers {
  const fitting: NodeInfo[] = [];
  const refusals: Refusal[] = [];
  const filters = new Set<FilterName>(by === undefined ? [] : [by]);
  const candidates = only === undefined ? nodes.values() : [...only].flatMap((name) => nodes.get(name) ?? []);
  for (const node of candidates) {
    const refused = firstRefusal(checks, node, filters);
    if (refused === undefined) fitting.push(node);
    else refusals.push(refused);
  }
  return { fitting, refusals, filters };
}

function firstRefusal(
  checks: Prepared['checks'],
  node: NodeInfo,
  filters: Set<FilterName>,
): Refusal | undefined {
  for (const { name, check } of checks) {
    const refused = check(node);
    if (refused === undefined) continue;
    filters.add(name);
    return refused;
  }
  return undefined;
}
