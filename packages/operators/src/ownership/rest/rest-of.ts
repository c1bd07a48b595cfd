import { canonicalJson, defined, jsonEqual, type Stored } from '@kubewright/kube';
import type { ManifestState } from '../api.ts';
import type { ObservedResource } from '../decide/observed-resource.ts';
import type { ResourceDecision } from '../decide/resource-decision.ts';
import { isOfRestored } from '../decide/report-moved.ts';
import { textDigest } from './text-digest.ts';

/** What the last look at an object found, where that left nothing to do. Its texts are digests: there may be many. */
export type Rest = {
  /** {@link versionText} of the live object. */
  readonly version: string;
  /** What was reported, without `applied`. */
  readonly state: string;
  readonly applied: string | undefined;
  /** What was reported is that it is reconciled and ready, and nothing else. */
  readonly isPlain: boolean;
  /** Since when the readiness checks pass; absent: not all of them do. */
  readonly readySince?: string;
  readonly requeueAfter?: number;
};

/** One look, which ended in a decision. */
export type Look = {
  readonly observed: ObservedResource & { readonly previous: ManifestState };
  readonly decision: ResourceDecision;
  readonly readySince: string | undefined;
};

/** Decisions that depend on nothing but the manifest, the settings, the live object and the last report. */
const SETTLED: ReadonlySet<string> = new Set(['InSync', 'UpdatesDisabled', 'Disabled']);

/** What is remembered of a look; undefined where the next look may find something else although nothing has changed. */
export function restOf({ observed, decision, readySince }: Look): Rest | undefined {
  const { live, previous } = observed;
  const { reason, status, action, requeueAfter } = decision;
  if (action !== undefined || status === undefined || !SETTLED.has(reason)) return undefined;
  if (live === undefined || isOpen(observed) || !isSteady(status, previous)) return undefined;
  return {
    version: versionText(live),
    ...reportDigests(status),
    isPlain: status.ownership === undefined && status.deleted === undefined,
    ...defined({ readySince, requeueAfter }),
  };
}

/** What goes, what others change, and what does not only depend on its own manifest. */
function isOpen({ manifest, live }: ObservedResource): boolean {
  const isContested = (manifest.contested ?? []).length > 0;
  const isGoing = manifest.deleted || live?.metadata.deletionTimestamp !== undefined;
  return isContested || isGoing || manifest.patch !== undefined;
}

/**
 * A check that was stopped because of its cost may pass the next time. What webhooks put back, and what others claim again,
 * is tried again after a while; other reports have to be repeated.
 */
function isSteady({ ready, ownership: now }: ManifestState, { ownership: before }: ManifestState): boolean {
  if (now === undefined || ready === undefined) return ready !== undefined;
  const isFinal = now.state === 'Moved' || now.state === 'Observed' || now.state === 'Left';
  return isFinal && !isOfRestored(now) && before !== undefined && jsonEqual(now, before);
}

export function reportDigests({ applied, ...state }: ManifestState): Pick<Rest, 'state' | 'applied'> {
  return {
    state: textDigest(canonicalJson(state)),
    applied: applied === undefined ? undefined : textDigest(applied),
  };
}

/**
 * Of an object that was deleted and created again, the uid differs. Joined, because a concatenated text keeps its parts, and
 * there is one for each object.
 */
export function versionText({ metadata: { uid, resourceVersion } }: Pick<Stored, 'metadata'>): string {
  return [uid, resourceVersion].join(' ');
}
