import { type Client, ignoreNotFound, type KindRef, type ObjectKey } from '@kubewright/client';
import { defined, type KubeObject, parseApiVersion, type Stored } from '@kubewright/kube';
import type { Steps } from '@kubewright/runtime';
import { ANNOTATIONS } from '../api.ts';
import { approvalId, approvalsOf, type Change, isExact, modeOf } from '../annotations/find-approval.ts';
import { hashesOf } from '../annotations/user-hash.ts';
import { annotateParent } from './annotate-parent.ts';
import { decideRecord, type ObservedRecord, type RecordAction } from './decide-record.ts';
import { type Notes, type ObjectPlace, placeFrom, type Use } from './notes.ts';

/** Whether the write that used an approval has reached the store. */
export type IsStored = (use: Use, client: Client) => Promise<boolean>;

/** Keeps what admission learns in the annotations of parents, and takes approvals away that were used. */
export function recordSteps(notes: Notes, isStored: IsStored): Steps<ObservedRecord, RecordAction, never> {
  return {
    async observe({ name: key }, { client }) {
      const note = notes.of(key);
      const parent = await read(client, placeFrom(key));
      if (parent === undefined) return undefined;
      const uses = usesOf(parent, note?.uses ?? []);
      const stored = await Promise.all(uses.map((use) => isStored(use, client)));
      const used = uses.filter((_use, index) => stored[index]).map(({ approval }) => approval);
      const isPending = uses.some((use, index) => !stored[index] && note?.uses.includes(use) === true);
      return { parent, note, used, isPending };
    },
    decide: decideRecord,
    async act({ parent, annotations }, { client }) {
      await annotateParent(parent, annotations, client);
      return 'done';
    },
    subject: ({ parent }) => parent,
  };
}

/** Uses that were seen, and those that may have been: of approvals for one child, or reserved. Of those that are still there. */
function usesOf(parent: Stored, seen: readonly Use[]): readonly Use[] {
  const { namespace = '' } = parent.metadata;
  // Also those of an older generation: the parent may have changed before they were taken away.
  const once = approvalsOf(parent).filter((one) => modeOf(one) === 'once');
  const ids = new Set(once.map(approvalId));
  const possible = once.flatMap((one): readonly Use[] => {
    const change: Change = one.reservedFor ?? one;
    const child = { ...placeIn(change), namespace: change.namespace ?? namespace };
    return isExact(change) ? [{ approval: approvalId(one), child, ...defined({ deleted: change.uid }) }] : [];
  });
  return [...seen.filter(({ approval }) => ids.has(approval)), ...possible];
}

function placeIn({ apiVersion, kind, name }: Change): Omit<ObjectPlace, 'namespace'> {
  return { apiVersion, kind, name };
}

/** By what the child remembers; of a deletion, by the child. */
export async function isUseStored({ approval, child, deleted }: Use, client: Client): Promise<boolean> {
  const live = await read(client, child);
  if (deleted !== undefined)
    return live?.metadata.uid !== deleted || live.metadata.deletionTimestamp !== undefined;
  return hashesOf(live, ANNOTATIONS.usedApprovals).includes(approval);
}

async function read(client: Client, place: ObjectPlace): Promise<Stored | undefined> {
  return ignoreNotFound(client.get(kindOf(place), keyOf(place)));
}

function kindOf({ apiVersion, kind }: Pick<KubeObject, 'apiVersion' | 'kind'>): KindRef {
  return { ...parseApiVersion(apiVersion), kind };
}

function keyOf({ namespace, name }: ObjectPlace): ObjectKey {
  return namespace === '' ? { name } : { namespace, name };
}
