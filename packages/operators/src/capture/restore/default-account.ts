import { getOwn, isJsonArray, isJsonObject, type Json, type JsonObject } from '@kubewright/kube';
import { textIn } from './text-in.ts';

/** The ServiceAccount that each namespace has, and that people change in place: pull secrets, annotations. */
export function isDefaultAccount(object: JsonObject): boolean {
  const { metadata } = object;
  const isNamed = isJsonObject(metadata) && getOwn(metadata, 'name') === 'default';
  return isNamed && isAccount(object);
}

/** Whether an account is as its controller makes it. */
export function isUnchangedAccount(object: JsonObject): boolean {
  const { metadata, secrets, imagePullSecrets, automountServiceAccountToken } = withoutTokenSecrets(object);
  const { labels, annotations } = isJsonObject(metadata) ? metadata : ({} as JsonObject);
  const parts = [labels, annotations, secrets, imagePullSecrets, automountServiceAccountToken];
  return parts.every(isEmpty);
}

function isEmpty(value: Json | undefined): boolean {
  if (isJsonArray(value)) return value.length === 0;
  return value === undefined || (isJsonObject(value) && Object.keys(value).length === 0);
}

/** Controllers make these names for each account: token Secrets (until Kubernetes 1.24), pull Secrets (OpenShift). */
const MADE = /^-(?:token|dockercfg)-[a-z0-9]{5}$/;

/** Without the Secrets that controllers make for each account, and name after it. */
export function withoutTokenSecrets(account: JsonObject): JsonObject {
  if (!isAccount(account)) return account;
  const { metadata } = account;
  const name = isJsonObject(metadata) ? textIn(metadata, 'name') : '';
  const isMade = (entry: Json): boolean => {
    const secret = isJsonObject(entry) ? textIn(entry, 'name') : '';
    return secret.startsWith(name) && MADE.test(secret.slice(name.length));
  };
  const entries = Object.entries(account).flatMap(([key, value]): [string, Json][] => {
    const isList = key === 'secrets' || key === 'imagePullSecrets';
    if (!isList || !isJsonArray(value) || !value.some(isMade)) return [[key, value]];
    const others = value.filter((entry) => !isMade(entry));
    return others.length === 0 ? [] : [[key, others]];
  });
  return Object.fromEntries(entries);
}

function isAccount(object: JsonObject): boolean {
  return textIn(object, 'apiVersion') === 'v1' && textIn(object, 'kind') === 'ServiceAccount';
}
