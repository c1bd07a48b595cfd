import { type Client, ignoreNotFound } from '@kubewright/client';
import { parseApiVersion, type Stored } from '@kubewright/kube';
import type { ObjectPlace } from '../api.ts';

/** Reads an object of any kind from the server; undefined if there is none. */
export function readPlace(client: Client, place: ObjectPlace): Promise<Stored | undefined> {
  const { apiVersion, kind, namespace, name } = place;
  const key = namespace === '' ? { name } : { namespace, name };
  return ignoreNotFound(client.get({ ...parseApiVersion(apiVersion), kind }, key));
}
