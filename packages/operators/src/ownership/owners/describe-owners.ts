import type { Stored } from '@kubewright/kube';
import { parsePathPattern, selectByPattern } from '@kubewright/kube/fields';
import { type Paint, printable } from '../../kit/paint.ts';
import { type Claim, type Claims, readClaims } from '../decide/claims.ts';
import { ownerTree } from './owner-tree.ts';
import { ownerName, renderTree } from './render-tree.ts';

/** The tree of owners of a live object, or of the part of it that `path` selects. */
export function describeOwners(live: Stored, path: string | undefined, paint: Paint): string {
  const all = readClaims(live);
  const shown = all.claims.map((claim) => within(claim, path)).filter(({ set }) => !set.isEmpty);
  const { namespace, name } = live.metadata;
  const title = `${live.kind} ${name}${namespace === undefined ? '' : ` in ${namespace}`}`;
  const summary = shown.length === 0 ? [nobody(path)] : shown.map((claim) => summaryOf(claim));
  return [
    `${paint('bold', printable(title))}\n`,
    ...summary,
    ...unreadable(all, paint),
    shown.length === 0 ? '' : `\n${renderTree(ownerTree(shown), paint)}`,
  ].join('');
}

function within(claim: Claim, path: string | undefined): Claim {
  return path === undefined ? claim : { ...claim, set: selectByPattern(claim.set, [parsePathPattern(path)]) };
}

function nobody(path: string | undefined): string {
  return path === undefined ? '  no field has a recorded owner\n' : `  nobody owns ${printable(path)}\n`;
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
