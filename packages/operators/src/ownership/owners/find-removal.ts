import { ApiError, type Client } from '@kubewright/client';
import { defined, parseApiVersion, type Stored } from '@kubewright/kube';
import type { FieldSet } from '@kubewright/kube/fields';
import { readManagedFields } from '../read-managed-fields.ts';
import { explainRemoval } from './explain-removal.ts';
import { extractOwned } from './extract-owned.ts';

/** A removal, and the manager that would make it. `path` is a pattern. */
export type RemovalQuestion = { readonly live: Stored; readonly path: string; readonly manager: string };

/** The effect of leaving a path out, and what would remove it. */
export type Removal = Omit<RemovalQuestion, 'live'> & {
  readonly result: 'Removed' | 'Stays' | 'Rejected' | 'NotTried';
  /** The server's message for a dry run that it rejected or denied. */
  readonly message?: string;
  /** Why nothing would be removed, from the managedFields. */
  readonly reason?: string;
  /** What the ownership operator would do first. */
  readonly remedy: readonly string[];
};

/** From the managedFields and a dry run; nothing is written. */
export async function findRemoval(client: Client, query: RemovalQuestion): Promise<Removal> {
  const { kept, ...expected } = explained(query);
  const tried = await tryRemoval(client, query.live, kept, query.manager);
  return { ...expected, ...tried };
}

/** From the managedFields alone: what the server would reject stays, too. */
export function expectRemoval(query: RemovalQuestion): Removal {
  const { kept: _kept, ...expected } = explained(query);
  return expected;
}

function explained({ live, path, manager }: RemovalQuestion): Removal & { readonly kept: FieldSet } {
  const { kept, why, remedy } = explainRemoval(live, readManagedFields(live).claims, path, manager);
  const result = why === undefined ? 'Removed' : 'Stays';
  return { path, manager, result, ...defined({ reason: why }), remedy, kept };
}

type Failed = { readonly result: 'Rejected' | 'NotTried'; readonly message: string };

/** A dry-run apply of everything that `manager` keeps; undefined if the server accepts it. */
async function tryRemoval(
  client: Client,
  live: Stored,
  kept: FieldSet,
  manager: string,
): Promise<Failed | undefined> {
  if (kept.isEmpty) return undefined;
  const ref = { ...parseApiVersion(live.apiVersion), kind: live.kind };
  try {
    await client.apply(ref, extractOwned(live, kept), { fieldManager: manager, force: true, dryRun: true });
    return undefined;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    // Users without the right to patch still get the answer from managedFields.
    if (error.code === 403) return { result: 'NotTried', message: error.message };
    if (error.code === 422) return { result: 'Rejected', message: error.message };
    throw error;
  }
}
