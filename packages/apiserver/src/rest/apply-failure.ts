import { type JsonObject, getOwn, KubeError } from '@kubewright/kube';
import { ConflictError } from '@kubewright/kube/merge';
import { failure } from '../api-server-error.ts';

/** An error of kube's merge code as an API error. */
export function applyFailure(error: unknown): unknown {
  if (error instanceof ConflictError) {
    const { causes } = error;
    return failure(409, 'Conflict', error.message, { causes });
  }
  return error instanceof KubeError ? failure(500, '', error.message) : error;
}

export function ownText(object: JsonObject, key: string): string {
  const value = getOwn(object, key);
  return typeof value === 'string' ? value : '';
}
