import { type Client, ignoreNotFound } from '@kubewright/client';
import { parseApiVersion, type Stored } from '@kubewright/kube';
import { viewOf } from '../annotations/recorded-view.ts';
import type { ObjectPlace } from '../api.ts';

/** Reads an object of any kind from the server, with the annotations that count; undefined if there is none. */
export async function readPlace(client: Client, place: ObjectPlace): Promise<Stored | undefined> {
  const { apiVersion, kind, namespace, name } = place;
  const key = namespace === '' ? { name } : { namespace, name };
  const found = await ignoreNotFound(client.get({ ...parseApiVersion(apiVersion), kind }, key));
  return found && viewOf<Stored>(found);
}
