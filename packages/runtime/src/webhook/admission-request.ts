import {
  getOwn,
  type GroupVersionKind,
  type GroupVersionResource,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
} from '@kubewright/kube';

/** The user of the API request. */
export type AdmissionUser = {
  readonly username: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
};

/** `admission.k8s.io/v1 AdmissionRequest`. Absent strings are empty. */
export type AdmissionRequest = {
  readonly uid: string;
  /** Of `object`; `requestKind` is the kind of the API request, which differs where the rules matched an equivalent one. */
  readonly kind: GroupVersionKind;
  readonly resource: GroupVersionResource;
  readonly subResource: string;
  readonly requestKind: GroupVersionKind;
  readonly requestResource: GroupVersionResource;
  readonly requestSubResource: string;
  /** Empty when a created object gets its name from `generateName`. */
  readonly name: string;
  readonly namespace: string;
  /** `CREATE`, `UPDATE`, `DELETE` or `CONNECT`. */
  readonly operation: string;
  readonly userInfo: AdmissionUser;
  /** Absent on delete. */
  readonly object: JsonObject | undefined;
  /** Of an update and a delete. */
  readonly oldObject: JsonObject | undefined;
  readonly dryRun: boolean;
  /** `CreateOptions`, `UpdateOptions`, … */
  readonly options: JsonObject | undefined;
};

/** Decodes a request: fields that are absent, or of another type, are empty. */
export function readAdmissionRequest(from: JsonObject): AdmissionRequest {
  const part = (name: string): JsonObject | undefined => objectAt(from, name);
  const kind = part('kind') ?? {};
  const resource = part('resource') ?? {};
  return {
    uid: textAt(from, 'uid'),
    kind: kindOf(kind),
    resource: resourceOf(resource),
    subResource: textAt(from, 'subResource'),
    requestKind: kindOf(part('requestKind') ?? kind),
    requestResource: resourceOf(part('requestResource') ?? resource),
    requestSubResource: textAt(from, 'requestSubResource'),
    name: textAt(from, 'name'),
    namespace: textAt(from, 'namespace'),
    operation: textAt(from, 'operation'),
    userInfo: userOf(part('userInfo') ?? {}),
    object: part('object'),
    oldObject: part('oldObject'),
    dryRun: getOwn(from, 'dryRun') === true,
    options: part('options'),
  };
}

function kindOf(from: JsonObject): GroupVersionKind {
  return { group: textAt(from, 'group'), version: textAt(from, 'version'), kind: textAt(from, 'kind') };
}

function resourceOf(from: JsonObject): GroupVersionResource {
  const [group, version] = [textAt(from, 'group'), textAt(from, 'version')];
  return { group, version, resource: textAt(from, 'resource') };
}

function userOf(from: JsonObject): AdmissionUser {
  const extra = Object.entries(objectAt(from, 'extra') ?? {}).map(([key, value]) => [key, texts(value)]);
  return {
    username: textAt(from, 'username'),
    uid: textAt(from, 'uid'),
    groups: texts(getOwn(from, 'groups')),
    extra: Object.fromEntries(extra) as AdmissionUser['extra'],
  };
}

function texts(value: Json | undefined): readonly string[] {
  return isJsonArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

function textAt(from: JsonObject, name: string): string {
  const value = getOwn(from, name);
  return typeof value === 'string' ? value : '';
}

function objectAt(from: JsonObject, name: string): JsonObject | undefined {
  const value = getOwn(from, name);
  return isJsonObject(value) ? value : undefined;
}
