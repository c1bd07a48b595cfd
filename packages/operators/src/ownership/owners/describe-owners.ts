import type { Stored } from '@kubewright/kube';
import { parsePathPattern, selectByPattern } from '@kubewright/kube/fields';
import { type Paint, printable } from '../../kit/paint.ts';
import { type Claim, type Claims, readManagedFields } from '../read-managed-fields.ts';
import type { FieldPath } from './field-path/resolve-field-path.ts';
import { ownerTree } from './owner-tree.ts';
import { ownerName, renderTree } from './render-tree.ts';

/** The tree of owners of a live object, or of the part of it that `path` selects. */
export function describeOwners(live: Stored, path: FieldPath | undefined, paint: Paint): string {
  const all = readManagedFields(live);
  const shown = claimsWithin(all.claims, path?.pattern);
  const { namespace, name } = live.metadata;
  const title = `${live.kind} ${name}${namespace === undefined ? '' : ` in ${namespace}`}`;
  const summary = shown.length === 0 ? [nobody(path)] : shown.map((claim) => summaryOf(claim));
  return [
    `${paint('bold', printable(title))}\n`,
    ...whole(path),
    ...summary,
    ...unreadable(all, paint),
    shown.length === 0 ? '' : `\n${renderTree(ownerTree(shown), paint)}`,
  ].join('');
}

/** The claims at and below what a pattern selects; all of them without one. */
export function claimsWithin(claims: readonly Claim[], pattern: string | undefined): readonly Claim[] {
  if (pattern === undefined) return claims.filter(({ set }) => !set.isEmpty);
  const patterns = [parsePathPattern(pattern)];
  return claims
    .map((claim) => ({ ...claim, set: selectByPattern(claim.set, patterns) }))
    .filter(({ set }) => !set.isEmpty);
}

function whole(path: FieldPath | undefined): readonly string[] {
  if (path?.within === undefined) return [];
  return [
    `  ${printable(path.within)} has no owners of its own: ${printable(path.pattern)} is owned as a whole\n`,
  ];
}

function nobody(path: FieldPath | undefined): string {
  if (path === undefined) return '  no field has a recorded owner\n';
  const name = printable(path.pattern);
  return path.isSet ? `  nobody owns ${name}\n` : `  ${name} is not set, and nobody owns it\n`;
}

function summaryOf({ owner, set, entry }: Claim): string {
  const count = set.size === 1 ? '1 field' : `${set.size} fields`;
  return `  ${ownerName(owner)}: ${count}${entry.time === undefined ? '' : `, ${printable(entry.time)}`}\n`;
}

function unreadable({ undecodable }: Claims, paint: Paint): readonly string[] {
  return undecodable.map(
    ({ manager, problem }) =>
      `  ${paint('red', `unreadable entry of ${printable(manager)}: ${printable(problem)}`)}\n`,
  );
}
