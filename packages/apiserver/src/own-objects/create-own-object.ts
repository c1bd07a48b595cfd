import type { JsonObject, KubeObject } from '@kubewright/kube';
import { nameOf } from '../objects/name-of.ts';
import type { Handler } from '../request/handled-request.ts';
import { ADMIN } from '../request/user-info.ts';

/** Creates an object that the server itself has in every cluster. */
export function createOwnObject(handler: Handler, path: string, object: JsonObject): void {
  send(handler, 'POST', path, object);
}

/** Of an object that may be there already: it can be a snapshot's, of a server with other certificates and ports. */
export function createOrReplace(handler: Handler, path: string, object: KubeObject): void {
  send(handler, 'POST', path, object);
  send(handler, 'PUT', `${path}/${nameOf(object)}`, object);
}

function send(handler: Handler, method: 'POST' | 'PUT', path: string, object: JsonObject | KubeObject): void {
  const headers = { 'content-type': 'application/json', 'user-agent': 'kube-apiserver' };
  const reply = handler({ method, path, headers, body: Buffer.from(JSON.stringify(object)) }, ADMIN);
  if (reply instanceof Promise) reply.catch(() => undefined);
}
