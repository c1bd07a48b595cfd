import { defined, formatTime, type KubeObject, stringifyJson } from '@kubewright/kube';
import type { EventNote } from '@kubewright/runtime';
import { ANNOTATIONS, type Freeze, type ObjectPlace } from '../api.ts';
import { freezeOf } from '../annotations/freeze-of.ts';
import type { Facts } from './review.ts';

/** What a brake counts. */
export type Counted = 'drifts' | 'deletes';

/** A change that is one too many for the brake of a policy. */
export type Braked = {
  readonly counted: Counted;
  readonly limit: number;
  /** As the policy has it: 10m. */
  readonly window: string;
  /** The first hop of the trace: what was changed, and by whom; without a trace, the parent and nobody. */
  readonly origin: ObjectPlace & { readonly user: string };
  /** What is frozen: the parents of all that was counted, and the origin. */
  readonly tree: readonly ObjectPlace[];
};

/** The annotation of what the brake freezes. */
export function freezeText(braked: Braked, now: Date): string {
  const freeze: Freeze = { message: messageOf(braked), at: formatTime(now), tree: braked.tree };
  return stringifyJson(freeze);
}

/** The facts as they are once the parent is frozen. */
export function frozenFacts({ parent, ...facts }: Facts, freeze: string): Facts {
  return { ...facts, ...defined({ parent: parent && withFreeze(parent, freeze) }) };
}

/** The parent with the freeze that it is about to get. */
export function withFreeze<T extends KubeObject>(parent: T, freeze: string): T {
  if (freezeOf(parent) !== undefined) return parent;
  const annotations = { ...parent.metadata.annotations, [ANNOTATIONS.freeze]: freeze };
  return { ...parent, metadata: { ...parent.metadata, annotations } };
}

/** Some names of a long list are enough. */
const MOST_NAMED = 5;

/** Recorded on the parent of the change; in mode `log` nothing is frozen. */
export function brakeEvent(braked: Braked, { mode }: Pick<Facts, 'mode'>): EventNote {
  const { origin, tree } = braked;
  const named = tree.slice(0, MOST_NAMED).map(({ kind, name }) => `${kind} ${name}`);
  const more = tree.length - named.length;
  const what = `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  const verdict = mode === 'enforce' ? 'frozen' : 'mode log: not frozen';
  const by = origin.user === '' ? '' : `, last changed by ${origin.user}`;
  return {
    type: 'Warning',
    reason: 'DriftBraked',
    message: `${messageOf(braked)}${by}; ${verdict}: ${what}`,
  };
}

const NOUNS = { drifts: 'drifts', deletes: 'deletions' } as const;

function messageOf({ counted, limit, window, origin: { kind, name } }: Braked): string {
  return `more than ${limit} ${NOUNS[counted]} below ${kind} ${name} within ${window}`;
}
