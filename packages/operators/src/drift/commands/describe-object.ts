import { textTable } from '../../kit/text-table.ts';
import { printable } from '../../kit/paint.ts';
import type { Approval, Hop, Rejection } from '../api.ts';
import { modeOf } from '../annotations/find-approval.ts';
import type { LoggedHop } from '../decision-log/decision-logs.ts';
import type { ModeFound } from './read-mode.ts';
import type { Shown } from './shown.ts';
import type { OwnerState } from './state-of.ts';

/** One object for people: a heading, then a section for each thing that is known. */
export function describeObject({ state, namespace, mode, parent, trace, drifts, next }: Shown): string {
  const where = namespace === undefined ? '' : ` in namespace ${namespace}`;
  const lines = [
    `${state.kind} ${state.name}${where}: ${modeText(mode)}`,
    parent === undefined
      ? 'It has no controller owner: its changes are never drift'
      : `Its parent is ${parent.kind} ${parent.name}: ${phaseText(parent)}`,
    ...section('Trace', trace.map(hopText)),
    ...section(
      'Drift',
      drifts.map(({ state: is, times, last, message }) => `${is}, ${times} times, last ${last}: ${message}`),
    ),
    ...[...(parent === undefined ? [] : [parent]), state].flatMap((owner) =>
      section(`On ${owner.kind} ${owner.name}`, ownerTexts(owner)),
    ),
  ];
  const steps = next.map(({ command, does }) => [`  ${command}`, does]);
  const whatToDo = steps.length === 0 ? '' : `\nWhat to do\n${textTable(steps)}`;
  return `${printable(`${lines.join('\n')}\n`)}${whatToDo}`;
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ['', title, ...lines.map((line) => `  ${line}`)];
}

function modeText(found: ModeFound): string {
  switch (found.mode) {
    case 'untracked':
      return 'no policy tracks it';
    case 'unknown':
      return 'its mode is unknown, because you may not list kausalities';
    default:
      return `mode ${found.mode}, by policy ${found.policy}`;
  }
}

/** What the state of an owner means for the changes by its controller. */
export function phaseText({ phase, reconciling, generation }: OwnerState): string {
  switch (phase) {
    case 'Deleting':
      return 'it is being deleted, so every change is allowed';
    case 'Initializing':
      return 'it was never ready, so what its controller changes is expected';
    case 'Initialized':
      return reconciling
        ? `its controller works on generation ${generation}, so what it changes is expected`
        : `generation ${generation} is reconciled, so what its controller changes is drift`;
  }
}

/** A hop in one line: who changed what, when, and why that was allowed. */
function hopText(hop: Hop): string {
  return `${hop.timestamp}   ${changeText(hop)}${approvedText(hop)}`;
}

/** `alice changed Site web to generation 4 (ticket: J-1)` */
export function changeText(hop: LoggedHop): string {
  const { kind, name, generation = 0, user, labels = {}, tool } = hop;
  if (tool !== undefined) return toolText(tool, user);
  const said = Object.entries(labels).map(([key, value]) => `${key}: ${value}`);
  const to = generation === 0 ? '' : ` to generation ${generation}`;
  const who = user === '' ? 'somebody unknown' : user;
  const because = said.length === 0 ? '' : ` (${said.join(', ')})`;
  return `${who} changed ${kind} ${name}${to}${because}`;
}

/** `Flux Kustomization shop/apps, main@sha1:…, by system:serviceaccount:flux-system:kustomize-controller` */
function toolText({ title, revision, again }: NonNullable<LoggedHop['tool']>, user: string): string {
  const parts = [title, revision ?? 'revision not known', `by ${user}`];
  return `${parts.join(', ')}${again === true ? ', which corrects what had been changed' : ''}`;
}

function approvedText({ approval, causedBy }: Hop): string {
  if (approval === undefined) return '';
  const by = approval.by === undefined ? '' : ` by ${approval.by}`;
  const where = causedBy === undefined ? '' : ` on ${causedBy.kind} ${causedBy.name}`;
  return `, approved ${approval.mode ?? 'once'}${by}${where}`;
}

function ownerTexts({ freeze, snoozedUntil, approvals, rejections }: OwnerState): readonly string[] {
  return [
    ...(freeze === undefined ? [] : [freezeText(freeze)]),
    ...(snoozedUntil === undefined ? [] : [`snoozed until ${snoozedUntil}`]),
    ...approvals.map(approvalText),
    ...rejections.map(rejectionText),
  ];
}

function freezeText({ message, at }: NonNullable<OwnerState['freeze']>): string {
  const since = typeof at === 'string' ? ` since ${at}` : '';
  return `frozen${since}${message === undefined ? '' : `: ${message}`}`;
}

function approvalText(approval: Approval): string {
  const { kind, name, generation, by, at, reason } = approval;
  const details = [
    ...(generation === undefined ? [] : [`for generation ${generation}`]),
    ...(by === undefined ? [] : [`by ${by}`]),
    ...(at === undefined ? [] : [`at ${at}`]),
    ...(approval.expiry === undefined ? [] : [`until ${approval.expiry}`]),
  ];
  const why = reason === undefined ? '' : `: ${reason}`;
  return `approved ${modeOf(approval)}: ${[`${kind} ${name}`, ...details].join(', ')}${why}`;
}

function rejectionText({ kind, name, generation = 0, reason }: Rejection): string {
  const scope = generation === 0 ? '' : `, for generation ${generation}`;
  return `rejected: ${kind} ${name}${scope}${reason === undefined ? '' : `: ${reason}`}`;
}
