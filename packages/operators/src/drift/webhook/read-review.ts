import { getOwn, isJsonObject, type JsonObject, type KubeObject } from '@kubewright/kube';
import type { AdmissionRequest } from '@kubewright/runtime';
import { notedControllers, withNotedControllers } from '../annotations/noted-controllers.ts';
import type { Review } from '../decide/review.ts';

const OPERATIONS = ['CREATE', 'UPDATE', 'DELETE'] as const;

/** The write in an admission request; `ignored`: not tracked; `unreadable`: it has no object. */
export function readReview(
  request: AdmissionRequest,
  isOwn: (request: AdmissionRequest) => boolean,
): Review | 'ignored' | 'unreadable' {
  const operation = operationOf(request);
  if (operation === undefined) return 'ignored';
  const before = objectOf(request, request.oldObject);
  const object = operation === 'DELETE' ? before : objectOf(request, request.object);
  const stored = operation === 'CREATE' ? undefined : before;
  const old = stored && withNotedControllers(stored);
  if (object === undefined || (operation === 'UPDATE' && old === undefined)) return 'unreadable';
  const { username, uid } = request.userInfo;
  const user = username === '' ? uid : username;
  const isStatus = request.subResource === 'status';
  const isScale = request.requestSubResource === 'scale';
  const isNoted = notedControllers(stored) !== undefined;
  return { operation, isStatus, isScale, isNoted, object, old, user, isOwn: isOwn(request) };
}

/** Create, update and delete of the object itself, update of its status. */
function operationOf({ operation, subResource }: AdmissionRequest): Review['operation'] | undefined {
  const judged = subResource === '' ? OPERATIONS : subResource === 'status' ? (['UPDATE'] as const) : [];
  return judged.find((one) => one === operation);
}

/** The object, with the request's name if it has none yet. */
function objectOf(
  { name, namespace, kind }: AdmissionRequest,
  from: JsonObject | undefined,
): KubeObject | undefined {
  const metadata = from === undefined ? undefined : getOwn(from, 'metadata');
  if (from === undefined || !isJsonObject(metadata)) return undefined;
  const apiVersion = kind.group === '' ? kind.version : `${kind.group}/${kind.version}`;
  const place = { ...(name === '' ? {} : { name }), ...(namespace === '' ? {} : { namespace }) };
  return { ...from, apiVersion, kind: kind.kind, metadata: { ...place, ...metadata } };
}
