import { compareText, type KubeObject } from '@kubewright/kube';
import type { BrakeSpec, ObjectPlace } from '../api.ts';
import { placeKey, placeOf } from '../annotations/place-of.ts';
import { traceOf } from '../annotations/trace-of.ts';
import type { Braked, Counted } from '../decide/braked.ts';
import type { AdmissionDecision } from '../decide/decide-admission.ts';
import type { Facts, Review } from '../decide/review.ts';
import { parseDuration } from '../../kit/parse-duration.ts';
import { countedAs } from './counted-as.ts';

/** Counts what drifts, and what controllers delete, by its origin. In memory: each replica counts what it decides. */
export type Brake = {
  /** Counts a change; what it returns was one too many, and the count begins again. */
  count(change: CountedChange, limits: BrakeSpec | undefined): Braked | undefined;
};

type CountedChange = {
  readonly review: Review;
  readonly facts: Facts;
  readonly decision: AdmissionDecision;
};

/** One origin: when each child was counted, and its parent. */
type Tree = Map<string, { readonly at: number; readonly parent: ObjectPlace }>;

/** The origin that was quiet the longest makes room. */
const MOST_TREES = 1000;
/** Of a larger tree, the parents counted last are frozen. */
const MOST_FROZEN = 50;

/** @param now milliseconds, of a clock that nobody sets */
export function createBrake(now: () => number): Brake {
  const trees = new Map<string, Tree>();
  const treeOf = (key: string): Tree => {
    const tree = trees.get(key) ?? new Map();
    // The latest is the last.
    trees.delete(key);
    trees.set(key, tree);
    if (trees.size > MOST_TREES) trees.delete(trees.keys().next().value ?? '');
    return tree;
  };
  const isTooMany = (tree: Tree, child: string, parent: KubeObject, limits: Limits): boolean => {
    const time = now();
    for (const [key, { at }] of tree) if (time - at >= limits.windowMs) tree.delete(key);
    tree.delete(child);
    tree.set(child, { at: time, parent: placeOf(parent) });
    return tree.size > limits.limit;
  };
  return {
    count({ review, facts, decision }, spec) {
      const { parent } = facts;
      if (spec === undefined || parent === undefined) return undefined;
      for (const counted of countedAs(review, facts, decision)) {
        const limits = limitsOf(spec, counted);
        if (limits === undefined) continue;
        const origin = originOf(parent);
        const key = `${counted} ${placeKey(origin)}`;
        const tree = treeOf(key);
        if (!isTooMany(tree, childKeyOf(review), parent, limits)) continue;
        trees.delete(key);
        return { counted, limit: limits.limit, window: spec.window, origin, tree: frozenIn(tree, origin) };
      }
      return undefined;
    },
  };
}

type Limits = { readonly limit: number; readonly windowMs: number };

function limitsOf(spec: BrakeSpec, counted: Counted): Limits | undefined {
  const limit = spec[counted];
  const windowMs = parseDuration(spec.window);
  return limit === undefined || windowMs === undefined ? undefined : { limit, windowMs };
}

/** Whoever repeats a change is counted once. */
function childKeyOf({ operation, object }: Review): string {
  const { uid = '', generateName = '' } = object.metadata;
  return operation === 'CREATE' ? `${placeKey(placeOf(object))} ${generateName}` : uid;
}

function originOf(parent: KubeObject): Braked['origin'] {
  const own = placeOf(parent);
  const [hop] = traceOf(parent);
  if (hop === undefined || hop.kind === '' || hop.name === '') return { ...own, user: '' };
  const { apiVersion, kind, name, user } = hop;
  // Hops have no namespace: what owns an object has its namespace, or none, which the client knows.
  return { apiVersion, kind, namespace: own.namespace, name, user };
}

function frozenIn(tree: Tree, { user: _user, ...origin }: Braked['origin']): readonly ObjectPlace[] {
  const latest = [...tree.values()].map(({ parent }) => parent).slice(-MOST_FROZEN);
  const parents = latest.toSorted((a, b) => compareText(placeKey(a), placeKey(b)));
  return [...new Map([origin, ...parents].map((place) => [placeKey(place), place])).values()];
}
