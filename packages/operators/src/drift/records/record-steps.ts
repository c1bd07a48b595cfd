import type { Client } from '@kubewright/client';
import { defined, type Stored } from '@kubewright/kube';
import type { Steps } from '@kubewright/runtime';
import { ANNOTATIONS, type ObjectPlace } from '../api.ts';
import type { RecordPlace } from '../annotations/object-record.ts';
import { approvalId, approvalsOf, type Change, isExact, modeOf } from '../annotations/find-approval.ts';
import { hashesOf } from '../annotations/user-hash.ts';
import { TERRAFORM } from '../plan/resource-at.ts';
import { annotateParent } from './annotate-parent.ts';
import { decideRecord, type ObservedRecord, type RecordAction } from './decide-record.ts';
import { placeFrom, placeOf } from '../annotations/place-of.ts';
import { type Notes, requestFor, type Use } from './notes.ts';
import { readPlace } from './read-place.ts';

/** Whether the write that used an approval is stored. */
export type IsStored = (use: Use, client: Client) => Promise<boolean>;

/** How many children are read at the same time. */
const AT_ONCE = 10;

/** Writes what admission learned to the annotations of parents, and removes used approvals. */
export function recordSteps(
  notes: Notes,
  isStored: IsStored,
  place: RecordPlace,
): Steps<ObservedRecord, RecordAction, never> {
  return {
    async observe({ name: key }, { client }) {
      const note = notes.of(key);
      const parent = await readPlace(client, placeFrom(key));
      if (parent === undefined) return undefined;
      const uses = usesOf(parent, note?.uses ?? []);
      const stored: boolean[] = [];
      // People may have written a hundred approvals on any number of parents.
      for (let at = 0; at < uses.length; at += AT_ONCE)
        stored.push(...(await Promise.all(uses.slice(at, at + AT_ONCE).map((use) => isStored(use, client)))));
      const used = uses.filter((_use, index) => stored[index]).map(({ approval }) => approval);
      const isPending = uses.some((use, index) => !stored[index] && note?.uses.includes(use) === true);
      return { parent, note, used, isPending, place };
    },
    decide: decideRecord,
    async act({ parent, annotations }, { client }) {
      await annotateParent(parent, annotations, client, place);
      if (annotations[ANNOTATIONS.freeze] !== undefined) notes.frozen(requestFor(placeOf(parent)).name);
      return 'done';
    },
    subject: ({ parent }) => parent,
  };
}

/**
 * The uses seen, and possible uses of approvals for one child or reserved ones, as far as the approvals still exist.
 */
function usesOf(parent: Stored, seen: readonly Use[]): readonly Use[] {
  const { namespace = '' } = parent.metadata;
  // Approvals for older generations too: the parent may have changed before they were removed.
  const once = approvalsOf(parent).filter((one) => modeOf(one) === 'once');
  const ids = new Set(once.map(approvalId));
  const possible = once.flatMap((one): readonly Use[] => {
    const change: Change = one.reservedFor ?? one;
    // No object that tells: `drift plan` reserves them, and they stay until they are void.
    if (change.apiVersion === TERRAFORM) return [];
    const child = { ...placeIn(change), namespace: change.namespace ?? namespace };
    return isExact(change) ? [{ approval: approvalId(one), child, ...defined({ deleted: change.uid }) }] : [];
  });
  return [...seen.filter(({ approval }) => ids.has(approval)), ...possible];
}

function placeIn({ apiVersion, kind, name }: Change): Omit<ObjectPlace, 'namespace'> {
  return { apiVersion, kind, name };
}

/** From the child's own record; for a deletion, from the absence of the child. */
export async function isUseStored({ approval, child, deleted }: Use, client: Client): Promise<boolean> {
  const live = await readPlace(client, child);
  if (deleted !== undefined)
    return live?.metadata.uid !== deleted || live.metadata.deletionTimestamp !== undefined;
  return hashesOf(live, ANNOTATIONS.usedApprovals).includes(approval);
}
