import { defined, type KubeObject } from '@kubewright/kube';
import { textTable } from '../../kit/text-table.ts';
import { printable } from '../../kit/paint.ts';
import type { JudgedChange, PlanDecision } from '../decide/decide-plan.ts';
import {
  type DeferredChange,
  type FailingCheck,
  isDestructive,
  type Plan,
  type PlannedChange,
} from '../plan/plan.ts';
import { phaseText } from './describe-object.ts';
import type { NextStep } from './shown.ts';
import { type OwnerState, stateOf } from './state-of.ts';

type CheckedChange = PlannedChange & {
  readonly destructive: boolean;
  readonly allowed: boolean;
  readonly reason: JudgedChange['verdict']['reason'];
};

/** A plan, the decision on it, and what a person can do. */
export type CheckedPlan = {
  readonly allowed: boolean;
  readonly parent: OwnerState;
  readonly namespace?: string;
  readonly isComplete: boolean;
  readonly changes: readonly CheckedChange[];
  readonly outside: readonly PlannedChange[];
  readonly deferred: readonly DeferredChange[];
  readonly failingChecks: readonly FailingCheck[];
  /** Why the first change that is denied is denied. */
  readonly why?: string;
  readonly next: readonly NextStep[];
};

export function checkedPlan(
  plan: Plan,
  { allowed, changes }: PlanDecision,
  { parent, now }: { readonly parent: KubeObject; readonly now: Date },
): CheckedPlan {
  const state = stateOf(parent, now);
  const denied = changes.filter((change) => !change.allowed);
  const [first] = denied;
  const { namespace } = parent.metadata;
  return {
    allowed,
    parent: state,
    isComplete: plan.isComplete,
    changes: changes.map(({ verdict: { reason }, ...change }) => ({
      ...change,
      destructive: isDestructive(change),
      reason,
    })),
    outside: plan.outside,
    deferred: plan.deferred,
    failingChecks: plan.failingChecks,
    next: nextSteps(denied, state, { namespace, isTimed: plan.timestamp !== undefined }),
    ...defined({ namespace, why: first && whyOf(first, state) }),
  };
}

/** For people: what the plan changes, each with its verdict; what has changed outside; what to do. */
export function describePlan(checked: CheckedPlan): string {
  const { parent, changes, outside, deferred, failingChecks, isComplete, allowed, next } = checked;
  const rows = changes.map((change) => [
    titleOf(change),
    change.action,
    change.allowed ? 'allowed' : 'denied',
    change.reason,
  ]);
  const table =
    rows.length === 0 ? '' : `\n${textTable([['ADDRESS', 'ACTION', 'VERDICT', 'REASON'], ...rows])}`;
  const rest = isComplete ? '' : 'The plan is not complete: plan again after it is applied\n';
  const verdict = allowed ? `\n${rest}${allowedText(changes.length)}\n` : rest && `\n${rest}`;
  return [
    printable(`${parent.kind} ${parent.name}: ${phaseText(parent)}\n`),
    table,
    section(
      'Changed outside of Terraform',
      outside.map((change) => [titleOf(change), change.action]),
    ),
    section(
      'Deferred: not in this plan',
      deferred.map(({ address, reason = '' }) => [address, reason]),
    ),
    section(
      'Checks that fail',
      failingChecks.map(({ address, status }) => [address, status]),
    ),
    section(
      'What to do',
      next.map(({ command, does }) => [command, does]),
    ),
    verdict,
  ].join('');
}

function section(title: string, rows: readonly (readonly [string, string])[]): string {
  const indented = rows.map(([first, ...rest]) => [`  ${first}`, ...rest]);
  return rows.length === 0 ? '' : `\n${title}\n${textTable(indented)}`;
}

/** In one line, with the next step. */
export function whyDenied({ changes, why = '', next }: CheckedPlan): string {
  const denied = changes.filter(({ allowed }) => !allowed).length;
  const [step] = next;
  const command = step === undefined ? '' : `. To ${step.does}: ${step.command}`;
  return `${denied} of ${countText(changes.length)} denied: ${why}${command}`;
}

function allowedText(count: number): string {
  return count === 0 ? 'The plan changes nothing' : `The plan may be applied: ${countText(count)} allowed`;
}

const countText = (count: number): string => (count === 1 ? '1 change is' : `${count} changes are`);

function titleOf({ address, action, deposed, movedFrom, isImported }: PlannedChange): string {
  const notes = [
    ...(deposed === undefined ? [] : [`deposed ${deposed}`]),
    ...(movedFrom === undefined ? [] : [`was ${movedFrom}`]),
    ...(isImported === undefined || action === 'import' ? [] : ['imported']),
  ];
  return notes.length === 0 ? address : `${address} (${notes.join(', ')})`;
}

function whyOf(change: JudgedChange, { kind, name, generation }: OwnerState): string {
  const what = `${titleOf(change)} (${change.action})`;
  const owner = `${kind} ${name}`;
  switch (change.verdict.reason) {
    case 'Frozen': {
      const { message } = change.verdict.freeze;
      return `${owner} is frozen${message === undefined ? '' : `: ${message}`}`;
    }
    case 'Rejected':
      return `${what} is rejected: ${change.verdict.rejection.reason ?? 'no reason given'}`;
    case 'Destructive':
      return `${what} destroys what exists, which needs an approval although ${owner} is not yet reconciled`;
    default:
      return `${what} is drift: nobody has changed ${owner}, its generation ${generation} is reconciled`;
  }
}

type Flags = { readonly namespace: string | undefined; readonly isTimed: boolean };

/** One for each resource; a freeze comes first, because nothing else helps until it ends. */
function nextSteps(
  denied: readonly JudgedChange[],
  { kind, name, freeze }: OwnerState,
  { namespace, isTimed }: Flags,
): readonly NextStep[] {
  const target = `${kind.toLowerCase()}/${name}`;
  const flag = namespace === undefined ? '' : ` -n ${namespace}`;
  if (denied.length > 0 && freeze !== undefined)
    return [{ command: `kubewright drift unfreeze ${target}${flag}`, does: 'end the freeze' }];
  const mode = isTimed ? '' : ' --mode generation';
  return [...new Set(denied.map(({ address }) => address))].map((address) => ({
    command: `kubewright drift approve ${target} --address ${quoted(address)}${mode}${flag}`,
    does: `approve ${address}`,
  }));
}

/** For a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
