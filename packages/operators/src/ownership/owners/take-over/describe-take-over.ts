import { defined, type Json, type Stored, stringifyJson } from '@kubewright/kube';
import { formatPath } from '@kubewright/kube/fields';
import { type Paint, printable } from '../../../kit/paint.ts';
import { rewritePatch } from '../../decide/rewrite.ts';
import { describeLeft } from '../../decide/shared-field.ts';
import type { Move } from '../../decide/migration-plan.ts';
import { describeOwner } from '../../read-managed-fields.ts';
import type { TakeOver, TakeOverPlan } from './plan-take-over.ts';

/** A plan for people. */
export function describeTakeOver(of: TakeOver, { plan, adopting }: TakeOverPlan, paint: Paint): string {
  const { kind, metadata } = of.live;
  const lines = [
    ...(plan.kind === 'blocked' ? [paint('red', `blocked: ${printable(plan.message)}`)] : []),
    ...(plan.kind === 'nothing' ? [`nothing to move: ${printable(nothingReason(of))}`] : []),
    ...(plan.kind === 'rewrite' ? plan.moves.map((move) => printable(moveText(move, newOwnerOf(of)))) : []),
    ...plan.left.map((field) => paint('yellow', `stays: ${printable(describeLeft(field))}`)),
    ...(of.releaseTo === undefined ? [printable(adoptingText(adopting, of.manager))] : []),
  ];
  const title = paint('bold', printable(`${kind} ${metadata.name}: ${goalOf(of)}`));
  return `${title}\n${lines.map((line) => `  ${line}\n`).join('')}`;
}

/** The exact patch, as it would be sent; undefined where nothing is to be written. */
export function patchOf({ plan }: TakeOverPlan, live: Stored): readonly Json[] | undefined {
  return plan.kind === 'rewrite' ? rewritePatch(plan.rewrite, live.metadata.resourceVersion) : undefined;
}

/** `kubectl patch …`, to be pasted into a shell. */
export function kubectlPatch({ kind, metadata }: Stored, patch: readonly Json[]): string {
  const { namespace, name } = metadata;
  const where = namespace === undefined ? '' : ` -n ${namespace}`;
  const quoted = stringifyJson([...patch]).replaceAll("'", String.raw`'\''`);
  return `kubectl patch ${kind.toLowerCase()} ${name}${where} --type=json -p '${quoted}'`;
}

/** The JSON output. */
export function takeOverFindings(of: TakeOver, taken: TakeOverPlan): Record<string, Json> {
  const { plan, adopting } = taken;
  const { apiVersion, kind, metadata } = of.live;
  const { namespace, name } = metadata;
  return defined({
    object: defined({ apiVersion, kind, namespace, name }),
    manager: of.manager,
    [of.releaseTo === undefined ? 'remove' : 'release']: of.remove.length === 0 ? undefined : [...of.remove],
    to: of.releaseTo,
    result: RESULTS[plan.kind],
    reason: plan.kind === 'blocked' ? plan.reason : undefined,
    message: plan.kind === 'blocked' ? plan.message : undefined,
    moves:
      plan.kind === 'rewrite'
        ? plan.moves.map(({ path, from }) => ({ path: formatPath(path), from: from.map(describeOwner) }))
        : [],
    left: plan.left.map(({ path, owners, why }) => ({
      path: formatPath(path),
      owners: owners.map(describeOwner),
      why,
    })),
    adopting,
    patch: patchOf(taken, of.live)?.map((step) => step),
  });
}

const RESULTS = { nothing: 'NothingToMove', blocked: 'Blocked', rewrite: 'Move' } as const;

function newOwnerOf({ manager, releaseTo = manager }: TakeOver): string {
  return releaseTo;
}

function goalOf({ manager, remove, releaseTo }: TakeOver): string {
  if (releaseTo !== undefined)
    return `so that ${remove.join(', ')} stays when ${manager} leaves it out, owned by ${releaseTo}`;
  return remove.length === 0
    ? `so that ${manager} alone owns what it applies`
    : `so that ${manager} can remove ${remove.join(', ')}`;
}

function nothingReason({ manager, remove }: TakeOver): string {
  return remove.length === 0
    ? `nobody else owns what ${manager} applies`
    : `leaving it out of what ${manager} applies removes it`;
}

/** `moves .data.key from helm (Update) to platform`. */
export function moveText({ path, from }: Move, manager: string): string {
  const names = from.map((owner) => describeOwner(owner)).join(', ');
  if (from.length === 0) return `adds ${formatPath(path)} to what ${manager} owns`;
  return `moves ${formatPath(path)} from ${names} to ${manager}`;
}

function adoptingText(adopting: string | undefined, manager: string): string {
  return adopting === undefined
    ? `if ${manager} adopted all that others own, its next apply would remove nothing else`
    : `not done here, because ${adopting}`;
}
