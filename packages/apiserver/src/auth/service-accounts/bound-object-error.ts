import type { JsonObject, KubeObject, Stored } from '@kubewright/kube';
import { maybeObject, objectAt, stringAt } from '../../objects/read.ts';
import type { AccountLookup } from './account-lookup.ts';

/** What has been deleted for longer than this, and waits for its finalizers, is as good as gone. */
const LEEWAY_MS = 60_000;
const INVALIDATED = 'service account token has been invalidated';

/** Why the account of a token, or what the token is bound to, is no longer what it was; undefined where all is there. */
export function boundObjectError(own: JsonObject, lookup: AccountLookup, now: Date): string | undefined {
  const namespace = stringAt(own, 'namespace');
  const account = accountError(namespace, objectAt(own, 'serviceaccount'), lookup, now);
  if (account !== undefined) return account;
  const check = (key: string, resource: string, place: string): string | undefined => {
    const reference = maybeObject(own, key);
    if (reference === undefined) return undefined;
    const object = lookup(resource, place, stringAt(reference, 'name'));
    return object === undefined ? INVALIDATED : boundError(key, reference, object, now);
  };
  // The node of a pod is for information: the pod is what counts.
  const node = maybeObject(own, 'pod') === undefined ? check('node', 'nodes', '') : undefined;
  return check('secret', 'secrets', namespace) ?? check('pod', 'pods', namespace) ?? node;
}

function accountError(
  namespace: string,
  claim: JsonObject,
  lookup: AccountLookup,
  now: Date,
): string | undefined {
  const [name, uid] = [stringAt(claim, 'name'), stringAt(claim, 'uid')];
  const account = lookup('serviceaccounts', namespace, name);
  if (account === undefined) return `serviceaccounts "${name}" not found`;
  const live = account.metadata.uid;
  if (live !== uid) return `service account UID (${live}) does not match claim (${uid})`;
  return isGone(account, now) ? `service account ${namespace}/${name} has been deleted` : undefined;
}

function boundError(key: string, reference: JsonObject, object: Stored, now: Date): string | undefined {
  const [uid, live] = [stringAt(reference, 'uid'), object.metadata.uid];
  if (uid === live) return isGone(object, now) ? INVALIDATED : undefined;
  return `${key} UID (${live}) does not match service account ${key} ref claim (${uid})`;
}

function isGone({ metadata: { deletionTimestamp } }: KubeObject, now: Date): boolean {
  return deletionTimestamp !== undefined && Date.parse(deletionTimestamp) < now.getTime() - LEEWAY_MS;
}
