import { defined, getOwn, isJsonObject, type JsonObject, type KubeObject } from '@kubewright/kube';
import type { AdmissionRequest } from '@kubewright/runtime';
import { merged } from '../../kit/merged.ts';
import { textAt } from '../annotations/read-annotation.ts';
import { sentView, viewOf } from '../annotations/recorded-view.ts';
import { storedAs } from '../decide/content-of.ts';
import type { Review } from '../decide/review.ts';

const OPERATIONS = ['CREATE', 'UPDATE', 'DELETE'] as const;

/**
 * The write in an admission request; `noted` adds to the stored object what it does not have yet. `ignored`: not tracked; `unreadable`: it has no object.
 */
export function readReview(
  request: AdmissionRequest,
  isOwn: (request: AdmissionRequest) => boolean,
  noted: (object: KubeObject) => KubeObject = (object) => object,
): Review | 'ignored' | 'unreadable' {
  const operation = operationOf(request);
  if (operation === undefined) return 'ignored';
  const before = objectOf(request, request.oldObject);
  const sent = operation === 'DELETE' ? before : objectOf(request, request.object);
  const stored = operation === 'CREATE' ? undefined : before;
  const old = stored && noted(viewOf(stored));
  if (sent === undefined || (operation === 'UPDATE' && old === undefined)) return 'unreadable';
  const object = meantBy(operation, sent, stored);
  const user = userOf(request);
  const isStatus = request.subResource === 'status';
  const isScale = request.requestSubResource === 'scale';
  const both = { object: sent, old: stored };
  const isUnderAnother = false;
  const write = { operation, isStatus, isScale, stored: both, isUnderAnother, object, old, user };
  return merged(write, defined({ isOwn: isOwn(request), fieldManager: fieldManagerOf(request) }));
}

function fieldManagerOf({ options = {} }: AdmissionRequest): string | undefined {
  return textAt(options, 'fieldManager');
}

function meantBy(
  operation: Review['operation'],
  sent: KubeObject,
  stored: KubeObject | undefined,
): KubeObject {
  if (operation === 'DELETE') return viewOf(sent);
  const meant = sentView(sent, stored);
  return stored === undefined ? meant : storedAs(stored, meant);
}

function userOf({ userInfo: { username, uid } }: AdmissionRequest): string {
  return username === '' ? uid : username;
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
  const isPlaced = hasOrIsEmpty(metadata, 'name', name) && hasOrIsEmpty(metadata, 'namespace', namespace);
  const place = { ...(name === '' ? {} : { name }), ...(namespace === '' ? {} : { namespace }) };
  return { ...from, apiVersion, kind: kind.kind, metadata: isPlaced ? metadata : merged(place, metadata) };
}

function hasOrIsEmpty(metadata: JsonObject, key: string, value: string): boolean {
  return value === '' || Object.hasOwn(metadata, key);
}
