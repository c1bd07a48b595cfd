import { type JsonObject, type Stored, parseApiVersion } from '@kubewright/kube';
import { maybeObject, specOf, stringAt } from '../../objects/read.ts';
import { badRequest, conflict, notFound } from '../../api-server-error.ts';
import type { AccountLookup } from './account-lookup.ts';
import type { BoundReference, TokenOrder } from './account-tokens.ts';

/** Whom a token is for. */
type Account = { readonly namespace: string; readonly name: string };

const RESOURCES = new Map([
  ['Pod', 'pods'],
  ['Node', 'nodes'],
  ['Secret', 'secrets'],
]);

/** The object of `spec.boundObjectRef` of a TokenRequest: the token is valid as long as it exists. */
export function boundTo(spec: JsonObject, account: Account, lookup: AccountLookup): TokenOrder['bound'] {
  const reference = maybeObject(spec, 'boundObjectRef');
  if (reference === undefined) return {};
  const kind = stringAt(reference, 'kind');
  const name = stringAt(reference, 'name');
  const resource = resourceOf(reference, kind);
  const object = lookup(resource, resource === 'nodes' ? '' : account.namespace, name);
  if (object === undefined) throw notFound({ group: '', resource }, name);
  const bound = referencesTo(resource, object, account.name, lookup);
  const [wanted, live] = [stringAt(reference, 'uid'), object.metadata.uid];
  if (wanted === '' || wanted === live) return bound;
  const why = `the UID in the bound object reference (${wanted}) does not match the UID in record. The object might have been deleted and then recreated`;
  throw conflict({ group: '', resource: kind }, name, why);
}

function resourceOf(reference: JsonObject, kind: string): string {
  const { group, version } = parseApiVersion(stringAt(reference, 'apiVersion'));
  const resource = group === '' ? RESOURCES.get(kind) : undefined;
  if (resource !== undefined) return resource;
  throw badRequest(`cannot bind token to object of type ${group}/${version}, Kind=${kind}`);
}

function referencesTo(
  resource: string,
  object: Stored,
  account: string,
  lookup: AccountLookup,
): TokenOrder['bound'] {
  if (resource === 'nodes') return { node: referenceTo(object) };
  if (resource === 'secrets') return { secret: referenceTo(object) };
  const spec = specOf(object);
  if (stringAt(spec, 'serviceAccountName') !== account) {
    const why = 'to pod running with different serviceaccount name.';
    throw badRequest(`cannot bind token for serviceaccount ${JSON.stringify(account)} ${why}`);
  }
  const nodeName = stringAt(spec, 'nodeName');
  const pod = referenceTo(object);
  if (nodeName === '') return { pod };
  const node = lookup('nodes', '', nodeName);
  return { pod, node: node === undefined ? { name: nodeName } : referenceTo(node) };
}

function referenceTo({ metadata: { name, uid } }: Stored): BoundReference {
  return { name, uid };
}
