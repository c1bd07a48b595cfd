import { formatTime } from '@kubewright/kube';
import type { ClassRuntimeStatus, Phase } from '../api.ts';
import type { FunctionLoad } from '../class-load.ts';
import { enforcementMode, enforces } from '../enforcement-mode.ts';
import type { Facts } from './facts.ts';
import { isGrid } from './grid-readiness.ts';
import { recommend } from './recommend.ts';
import type { Verdict } from './verdict.ts';

/** A data grid has one node id, which one pod can have. */
const REPLICAS = 1;

/**
 * The nodes that the load of the data grid needs, and why it is not scaled. It never is: a second pod would own the same
 * shards.
 */
export function gridReplicas(
  facts: Facts,
  { phase }: Pick<Verdict, 'phase'>,
): ClassRuntimeStatus['nfr_odgm'] {
  const { children, runtime } = facts;
  if (!children.some(({ desired }) => isGrid(desired, runtime.metadata.name))) return undefined;
  const recommendation = recommendedNodes(facts);
  if (recommendation === undefined) return undefined;
  const decision = decisionOf(facts, phase, recommendation.recommended);
  return { ...recommendation, current: REPLICAS, decision };
}

type Recommended = { readonly recommended: number; readonly observed_at: string };

/** By CPU. Without a load the last one stays; that of some pods only does not lower it. */
function recommendedNodes(facts: Facts): Recommended | undefined {
  const { nfr_odgm: stored } = facts.status;
  const old = stored && { recommended: stored.recommended, observed_at: stored.observed_at };
  const load = gridLoad(facts);
  if (load === undefined) return old;
  const recommended = nodesFor(load, facts);
  const isLess = load.isPartial === true && recommended < (old?.recommended ?? 0);
  if (isLess || recommended === old?.recommended) return old;
  return { recommended, observed_at: formatTime(new Date(load.at)) };
}

/** That of this generation of the class. */
function gridLoad({ load, runtime: { metadata } }: Facts): FunctionLoad | undefined {
  const { uid, grid } = load ?? {};
  return uid === metadata.uid && grid?.generation === metadata.generation ? grid : undefined;
}

function nodesFor({ cpu }: FunctionLoad, { runtime, settings }: Facts): number {
  const { replicas } = recommend({ cpu }, {}, settings.cpuPerPod);
  return quorumOf(Math.max(replicas, runtime.spec.odgm_config?.replica_count ?? 1));
}

/** An even number of nodes survives no more failures than one less. */
function quorumOf(nodes: number): number {
  return nodes % 2 === 0 ? nodes + 1 : nodes;
}

function decisionOf({ runtime, grid }: Facts, phase: Phase | undefined, recommended: number): string {
  if (enforcementMode(runtime) !== 'enforce') return 'SkipMode';
  if (!enforces(runtime, 'odgm_replicas')) return 'SkipDimension';
  if (phase !== 'available') return 'SkipPhase';
  if (recommended === REPLICAS) return 'NoChange';
  const { degraded = 0, lost = 0 } = grid?.counts ?? {};
  return degraded + lost > 0 ? 'PartitionsDegraded' : 'NotScalable';
}
