import { defined } from '@kubewright/kube';
import type { EventNote } from '@kubewright/runtime';
import type { AppliedRecommendation, Resource, ResourceDetail } from '../api.ts';
import { quantityOf, sizeManagers } from '../size-of.ts';
import { RESOURCE_ENFORCERS } from '../api.ts';
import { enforcementMode, enforces, isEnforced } from '../enforcement-mode.ts';
import { enforce, type Enforced } from './enforce.ts';
import type { Facts } from './facts.ts';
import type { ClassAction, ResizeAction } from './observed-class.ts';
import { isWorthResizing, nextSize } from './recommend-resource.ts';
import type { ResourceNfr } from './resource-nfr.ts';

/** What memory and CPU of functions add to a decision. */
export type ResourceDecision = {
  readonly details: readonly (ResourceDetail & { readonly function_key: string })[];
  readonly audit: readonly AppliedRecommendation[];
  readonly action?: ClassAction | undefined;
  readonly waits: readonly number[];
  readonly events: readonly EventNote[];
  /** A dimension that is enforced and does not have what is recommended, and why. */
  readonly open?: string | undefined;
};

type Decided = { readonly nfr: ResourceNfr; readonly enforced: Enforced; readonly detail: ResourceDetail };

/** Changes one resource of one function at a time, and none while new pods of any still come. */
export function decideResources(facts: Facts, isOpen: boolean, mayWrite: boolean): ResourceDecision {
  const isCalm = facts.children.every(({ readiness }) => readiness.reason !== 'Scaling');
  const all = facts.resources.map((nfr) => ({ nfr, enforced: enforced(facts, nfr, isOpen && isCalm) }));
  const next = mayWrite ? all.find((one) => one.enforced.step !== undefined) : undefined;
  const decided = all.map((one): Decided => ({ ...one, detail: detailOf(one, one === next) }));
  return {
    details: decided.map(({ nfr, detail }) => ({ ...detail, function_key: nfr.function.key })),
    audit: decided.flatMap(({ nfr }) => auditOf(nfr)),
    action: next === undefined ? releaseOf(facts, mayWrite) : resizeOf(facts, next),
    waits: decided.flatMap(({ enforced: { wait } }) => wait ?? []),
    events: decided.flatMap((one) => eventsOf(one)),
    open: decided.find(
      ({ nfr, enforced: { decision } }) => isEnforced(facts.runtime, nfr.resource) && decision !== 'NoChange',
    )?.enforced.decision,
  };
}

function enforced({ runtime, settings, now }: Facts, nfr: ResourceNfr, isOpen: boolean): Enforced {
  const { resource, recommended, use, enforcement, isFresh, loadAt, isSettled, hasConflict } = nfr;
  const { applying: _size, ...stored } = enforcement ?? { applying: undefined, target: -1, since: '' };
  const decided = enforce({
    settings: { ...settings, maxReplicas: Number.MAX_SAFE_INTEGER, maxDelta: 0, stabilization: 'exact' },
    now,
    generation: runtime.metadata.generation ?? 0,
    isEnforcing: enforcementMode(runtime) === 'enforce',
    isListed: enforces(runtime, resource),
    isOpen,
    recommended,
    isFresh,
    loadAt,
    isSettled,
    current: use.size.request ?? 0,
    minScale: undefined,
    maxScale: undefined,
    isWorthwhile: (target, current) => isWorthResizing(resource, target, current),
    stored: enforcement === undefined ? undefined : stored,
  });
  const isBlocked = hasConflict && decided.state !== undefined && decided.decision !== 'NoChange';
  return isBlocked ? { decision: 'SkipConflict' } : decided;
}

function detailOf(
  { nfr, enforced: { decision, state, step } }: Pick<Decided, 'nfr' | 'enforced'>,
  isNext: boolean,
): ResourceDetail {
  const { resource, recommended, observed_at, use, outOfMemoryAt } = nfr;
  const applying = isNext && step !== undefined ? nextSize(resource, step, use) : undefined;
  const {
    clamped: _bounds,
    earlier: _window,
    applying: _replicas,
    ...aim
  } = state ?? { target: 0, since: '' };
  return defined({
    dimension: resource,
    recommended,
    observed_at,
    ...use.size,
    out_of_memory_at: outOfMemoryAt,
    decision,
    enforcement:
      state === undefined ? undefined : defined({ ...aim, applying: applying && defined(applying) }),
  });
}

function resizeOf(
  { runtime }: Facts,
  { nfr, enforced: { step = 0 } }: Pick<Decided, 'nfr' | 'enforced'>,
): ResizeAction {
  const {
    live,
    resource,
    use,
    function: { key },
  } = nfr;
  const size = nextSize(resource, step, use);
  return { type: 'resize', runtime, object: live, resource, size, function_key: key };
}

/** Once a resource is no longer enforced, what the enforcer set is removed: the class's own values hold. */
function releaseOf({ runtime, resources, isDeleting }: Facts, mayWrite: boolean): ClassAction | undefined {
  if (!mayWrite || isDeleting) return undefined;
  const found = resources.find(
    ({ live, resource }) =>
      !isEnforced(runtime, resource) && sizeManagers(live, resource).includes(RESOURCE_ENFORCERS[resource]),
  );
  return found && { type: 'unsize', object: found.live, resource: found.resource };
}

function auditOf({ applied, resource, function: { key } }: ResourceNfr): readonly AppliedRecommendation[] {
  if (applied?.request === undefined) return [];
  const what = { component: 'function', function_key: key, dimension: resource };
  return [{ ...what, target: applied.request, basis: 'enforcer', confidence: 1 }];
}

/** Once per change. */
function eventsOf({ nfr, detail }: Decided): readonly EventNote[] {
  const {
    resource,
    applied,
    outOfMemoryAt,
    stored,
    function: { key },
  } = nfr;
  const isNewlyShort = outOfMemoryAt !== undefined && outOfMemoryAt !== stored?.out_of_memory_at;
  const isNewlySkipped = detail.decision === 'SkipConflict' && stored?.decision !== 'SkipConflict';
  return [
    ...(isNewlyShort ? [note('Warning', 'OOMKilled', 'a container was killed for want of memory', key)] : []),
    ...(isNewlySkipped
      ? [note('Normal', 'NFRSkippedConflict', `an autoscaler scales by ${resource}`, key)]
      : []),
    ...(applied === undefined
      ? []
      : [note('Normal', 'NFRApplied', appliedText(resource, applied.request ?? 0), key)]),
  ];
}

function appliedText(resource: Resource, request: number): string {
  return `Applied NFR enforcement: ${resource} -> ${quantityOf(request, resource)}`;
}

function note(type: EventNote['type'], reason: string, text: string, key: string): EventNote {
  return { type, reason, message: `${text} (${key})` };
}
