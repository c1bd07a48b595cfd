import { ApiError, type Client } from '@kubewright/client';
import { parseApiVersion, type Stored } from '@kubewright/kube';
import type { FieldSet } from '@kubewright/kube/fields';
import { readManagedFields } from '../read-managed-fields.ts';
import { explainRemoval } from './explain-removal.ts';
import { extractOwned } from './extract-owned.ts';

/** Who would remove what. `path` is a pattern. */
export type RemovalQuestion = { readonly live: Stored; readonly path: string; readonly manager: string };

/** What leaving a path out would do, and what would make it work. */
export type Removal = Omit<RemovalQuestion, 'live'> & {
  readonly result: 'Removed' | 'Stays' | 'Rejected' | 'NotTried';
  /** The server's, of a dry run that it rejected or did not allow. */
  readonly message?: string;
  /** Why nothing is removed, by what is recorded. */
  readonly reason?: string;
  /** What the ownership operator would do first. */
  readonly remedy: readonly string[];
};

/** Finds out by what is recorded and by a dry run: nothing is written. */
export async function findRemoval(
  client: Client,
  { live, path, manager }: RemovalQuestion,
): Promise<Removal> {
  const { kept, why, remedy } = explainRemoval(live, readManagedFields(live).claims, path, manager);
  const tried = await tryRemoval(client, live, kept, manager);
  const result = tried?.result ?? (why === undefined ? 'Removed' : 'Stays');
  const reason = why === undefined ? {} : { reason: why };
  return { path, manager, result, ...(tried && { message: tried.message }), ...reason, remedy };
}

type Failed = { readonly result: 'Rejected' | 'NotTried'; readonly message: string };

/** An apply of all that `manager` keeps, or undefined when the server accepts it. Persists nothing. */
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
    // One who may only look is told what is recorded all the same.
    if (error.code === 403) return { result: 'NotTried', message: error.message };
    if (error.code === 422) return { result: 'Rejected', message: error.message };
    throw error;
  }
}
