import type { Client } from '@kubewright/client';
import { defined } from '@kubewright/kube';
import type { AdmissionUser } from '@kubewright/runtime';
import { inParallel } from '../../kit/in-parallel.ts';
import { isAllowed } from '../../kit/is-allowed.ts';
import type { Right } from './right.ts';

type Asking = { readonly client: Client; readonly signal: AbortSignal };

/** The first right that a user lacks, as the API server would report it; undefined if there is none. */
export async function missingRight(
  user: AdmissionUser,
  rights: readonly Right[],
  asking: Asking,
): Promise<string | undefined> {
  for (const right of rights) {
    const [only] = right.names;
    if (right.names.length !== 1 && (await mayDo(user, right, '', asking))) continue;
    if (only === undefined) return forbidden(user, right, '');
    const answers = await inParallel(right.names, async (name) => ({
      name,
      allowed: await mayDo(user, right, name, asking),
    }));
    const denied = answers.find(({ allowed }) => !allowed);
    if (denied !== undefined) return forbidden(user, right, denied.name);
  }
  return undefined;
}

/** Without a name: on every object of the resource, so that thousands of targets need one review. */
function mayDo(
  user: AdmissionUser,
  { verb, group, version, resource, namespace }: Right,
  name: string,
  asking: Asking,
): Promise<boolean> {
  return isAllowed(user, { verb, group, version, resource, name, ...defined({ namespace }) }, asking);
}

function forbidden(
  { username }: AdmissionUser,
  { verb, group, resource, namespace }: Right,
  name: string,
): string {
  const place = namespace === undefined ? 'at the cluster scope' : `in the namespace "${namespace}"`;
  const what = `${resource}${group === '' ? '' : `.${group}`}${name === '' ? '' : ` "${name}"`}`;
  return `${what} is forbidden: User "${username}" cannot ${verb} resource "${resource}" in API group "${group}" ${place}`;
}
