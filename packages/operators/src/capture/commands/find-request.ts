import { type Client, isNotFound, type ObjectKey, type Ref } from '@kubewright/client';
import type { KubeObject, Stored } from '@kubewright/kube';
import type { CommandCall } from '../../kit/operator.ts';
import { printable } from '../../kit/paint.ts';
import { OperatorError } from '../../operator-error.ts';

/** The request that `--resume` names. */
export async function findRequest<T extends KubeObject>(
  client: Client,
  ref: Ref<T>,
  key: ObjectKey & { readonly namespace: string },
): Promise<Stored<T>> {
  try {
    return await client.get(ref, key);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    const { namespace, name } = key;
    const message = `there is no ${ref.kind} "${name}" in namespace ${namespace}: requests go some time after their end; "kubewright capture list -n ${namespace}" lists those that are there`;
    throw new OperatorError('NotFound', printable(message), { cause: error });
  }
}

/** How to come back to a request that goes on in the cluster, with the same result as if nobody had interrupted the command. */
export function resumeLine(
  command: string,
  name: string,
  { for: duration, keep }: CommandCall['options'],
): string {
  const kept = duration === undefined ? '' : ` --for ${duration}`;
  const isKept = keep === undefined ? kept : ' --keep';
  return `"kubewright capture ${command} --resume ${name}${isKept}" goes on with it`;
}
