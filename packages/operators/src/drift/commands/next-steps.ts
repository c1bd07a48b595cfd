import type { Drift } from './read-drifts.ts';
import type { NextStep, Shown } from './shown.ts';
import type { OwnerState } from './state-of.ts';

/** What a person can do about an object now, the most likely first. */
export function nextSteps({
  state,
  parent,
  namespace,
  drifts,
}: Pick<Shown, 'state' | 'parent' | 'namespace' | 'drifts'>): readonly NextStep[] {
  const flag = namespace === undefined ? '' : ` -n ${namespace}`;
  const step = (verb: string, target: string, does: string): NextStep => ({
    command: `kubewright drift ${verb} ${target}${flag}`,
    does,
  });
  const owners = [state, ...(parent === undefined ? [] : [parent])];
  return [
    ...owners
      .filter(({ freeze }) => freeze !== undefined)
      .map((owner) => step('unfreeze', targetOf(owner), `allow changes of what ${titleOf(owner)} owns`)),
    ...drifts.flatMap((drift) => stepsFor(drift, step)),
    ...owners
      .filter(({ snoozedUntil }) => snoozedUntil !== undefined)
      .map((owner) => step('snooze', `${targetOf(owner)} --for 0`, 'send Events and reports again')),
  ];
}

function stepsFor(
  { parent, child, isNew, state }: Drift,
  step: (verb: string, target: string, does: string) => NextStep,
): readonly NextStep[] {
  const target = isNew ? `${child} --parent ${parent}` : child;
  if (state === 'rejected')
    return [step('approve', target, 'allow it once after all; this ends the rejection')];
  if (state !== 'open') return [];
  return [
    step('approve', target, 'allow one such change'),
    step('reject', `${target} --reason '…'`, 'deny it, with your reason'),
    step('snooze', `${parent} --for 8h`, 'decide later, without Events and reports'),
  ];
}

function targetOf({ kind, name }: OwnerState): string {
  return `${kind.toLowerCase()}/${name}`;
}

function titleOf({ kind, name }: OwnerState): string {
  return `${kind} ${name}`;
}
