import { ApiError, type Client } from '@kubewright/client';
import { parseApiVersion, type Stored } from '@kubewright/kube';
import type { FieldSet } from '@kubewright/kube/fields';
import { type Paint, printable } from '../../kit/paint.ts';
import { readClaims } from '../decide/claims.ts';
import { explainRemoval, type RemovalExplanation } from './explain-removal.ts';
import { extractOwned } from './extract-owned.ts';

/** Who would remove what. */
export type RemovalQuestion = { readonly live: Stored; readonly path: string; readonly manager: string };

/** What leaving a path out would do, asked of the server in a dry run, and what would make it work. */
export async function describeRemoval(
  client: Client,
  { live, path, manager }: RemovalQuestion,
  paint: Paint,
): Promise<string> {
  const explanation = explainRemoval(live, readClaims(live).claims, path, manager);
  const refusal = await tryRemoval(client, live, explanation.kept, manager);
  const { why, remedy } = explanation;
  return [
    `\n${paint('bold', `If ${printable(manager)} no longer applied ${printable(path)}`)}\n`,
    `  ${verdict(explanation, refusal, paint)}\n`,
    why === undefined ? '' : `  because ${printable(why)}\n`,
    ...remedy.map((step) => `  the ownership operator would first ${printable(step)}\n`),
  ].join('');
}

function verdict({ why }: RemovalExplanation, refusal: string | undefined, paint: Paint): string {
  if (refusal !== undefined) return `${paint('red', 'it would be refused:')} ${printable(refusal)}`;
  return why === undefined ? paint('green', 'it would be removed') : paint('yellow', 'it would stay');
}

/** The server's refusal of an apply of all that `manager` keeps, or undefined when it accepts. Persists nothing. */
async function tryRemoval(
  client: Client,
  live: Stored,
  kept: FieldSet,
  manager: string,
): Promise<string | undefined> {
  if (kept.isEmpty) return undefined;
  const ref = { ...parseApiVersion(live.apiVersion), kind: live.kind };
  try {
    await client.apply(ref, extractOwned(live, kept), { fieldManager: manager, force: true, dryRun: true });
    return undefined;
  } catch (error) {
    if (error instanceof ApiError && error.code === 422) return error.message;
    throw error;
  }
}
