import { isNotFound } from '@kubewright/client';
import { getOwn, isJsonObject, type Json, type JsonObject, type Stored } from '@kubewright/kube';
import type { CommandStage } from '../../../kit/operator.ts';
import { OperatorError } from '../../../operator-error.ts';

/** Objects in a record at most; etcd stores no more. */
export const MOST_OBJECTS = 50_000;

/** The custom resource in which a tool keeps its record, in whichever version the server prefers. */
export async function readCustom(
  { group, kind }: { readonly group: string; readonly kind: string },
  name: string,
  stage: CommandStage,
): Promise<Stored & JsonObject> {
  const { resources } = await stage.discover();
  const served = resources.find(({ ref }) => ref.group === group && ref.kind === kind);
  if (served === undefined) throw new OperatorError('NotFound', `the cluster serves no ${kind} of ${group}`);
  try {
    const object = await stage.client.get(served.ref, { namespace: stage.namespace, name });
    return object;
  } catch (error) {
    if (!isNotFound(error)) throw error;
    throw new OperatorError(
      'NotFound',
      `there is no ${kind} "${name}" in namespace ${stage.namespace}; choose another with -n`,
    );
  }
}

/** The value at these field names; undefined where there is none. */
export function at(object: Json, ...names: readonly string[]): Json | undefined {
  let current: Json | undefined = object;
  for (const name of names) current = isJsonObject(current) ? getOwn(current, name) : undefined;
  return current;
}

/** A text that is there and not empty. */
export function textAt(object: Json, ...names: readonly string[]): string | undefined {
  const value = at(object, ...names);
  return typeof value === 'string' && value !== '' ? value : undefined;
}
