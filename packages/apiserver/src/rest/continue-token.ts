import { errorText, isJsonObject, parseJson } from '@kubewright/kube';
import { badRequest } from '../api-server-error.ts';

/** Where a page ends: the revision of the list and the last key, within the namespace if it has one. */
export type ContinueToken = { readonly revision: number; readonly start: string };

/** Tokens that this server hands out and those of a real one look the same. */
export function encodeContinue(revision: number, lastKey: string): string {
  const token = { v: 'meta.k8s.io/v1', rv: revision, start: `${lastKey}\u0000` };
  return Buffer.from(JSON.stringify(token)).toString('base64url');
}

export function decodeContinue(token: string): ContinueToken {
  const { v, rv, start } = parse(token);
  if (v !== 'meta.k8s.io/v1') {
    reject(`: server does not recognize this encoded version ${typeof v === 'string' ? v : ''}`);
  }
  if (typeof rv !== 'number' || rv === 0) {
    return reject(': incorrect encoded start resourceVersion (version meta.k8s.io/v1)');
  }
  if (typeof start !== 'string' || start === '') {
    return reject(': encoded start key empty (version meta.k8s.io/v1)');
  }
  return { revision: rv, start };
}

function parse(token: string): { readonly v?: unknown; readonly rv?: unknown; readonly start?: unknown } {
  try {
    const value = parseJson(Buffer.from(token, 'base64url'));
    if (isJsonObject(value)) return value;
  } catch (error) {
    return reject(`: ${errorText(error)}`);
  }
  return reject('');
}

function reject(why: string): never {
  throw badRequest(`invalid continue token: continue key is not valid${why}`);
}
