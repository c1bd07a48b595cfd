import { getOwn, isJsonObject, type JsonObject, type KubeObject } from '@kubewright/kube';
import type { AdmissionRequest } from '@kubewright/runtime';
import type { Review } from '../decide/review.ts';

const OPERATIONS = ['CREATE', 'UPDATE', 'DELETE'] as const;

/** The write that a request asks about; `ignored`: it is none of ours; `unreadable`: its object is none. */
export function readReview(
  request: AdmissionRequest,
  isOwn: (username: string) => boolean,
): Review | 'ignored' | 'unreadable' {
  const { subResource, userInfo } = request;
  const operation = OPERATIONS.find((one) => one === request.operation);
  const isStatus = subResource === 'status';
  if (operation === undefined || (subResource !== '' && !isStatus)) return 'ignored';
  if (isStatus && operation !== 'UPDATE') return 'ignored';
  const old = objectOf(request, request.oldObject);
  const object = operation === 'DELETE' ? old : objectOf(request, request.object);
  if (object === undefined || (operation === 'UPDATE' && old === undefined)) return 'unreadable';
  const { username, uid } = userInfo;
  return {
    operation,
    isStatus,
    object,
    old: operation === 'CREATE' ? undefined : old,
    user: username === '' ? uid : username,
    isOwn: isOwn(username),
  };
}

/** The object, with the name that the request has where it has none itself yet. */
function objectOf({ name, namespace, kind }: AdmissionRequest, from: JsonObject | undefined): KubeObject | undefined {
  const metadata = from === undefined ? undefined : getOwn(from, 'metadata');
  if (from === undefined || !isJsonObject(metadata)) return undefined;
  const apiVersion = kind.group === '' ? kind.version : `${kind.group}/${kind.version}`;
  const place = { ...(name === '' ? {} : { name }), ...(namespace === '' ? {} : { namespace }) };
  return { ...from, apiVersion, kind: kind.kind, metadata: { ...place, ...metadata } } as KubeObject;
}
