import {
  canonicalJson,
  getOwn,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  type KubeObject,
} from '@kubewright/kube';
import { hashOf } from '../../kit/hash-of.ts';
import { NOT_SPEC, specHash } from '../annotations/spec-hash.ts';
import type { AcceptedContent } from './accepted-content.ts';
import { specOf } from './parent-status.ts';
import { withoutPlacement } from './pod-content.ts';
import { profileOf } from '../profiles/profiles.ts';
import { unstoredPaths } from './unstored-fields.ts';

/**
 * A hash of what a controller wants of a child: of its spec and data, without what the server gives to each object, and
 * what differs each time. Of a Secret, the keys count and not their values.
 */
export function contentOf(child: KubeObject, parent: KubeObject): string {
  const { varying = [], changing = [] } = profileOf(parent) ?? {};
  const wanted = Object.entries(normal(child)).filter(([key]) => !NOT_SPEC.has(key));
  const free = [...varying, ...changing]
    .filter(({ kind }) => kind === child.kind)
    .flatMap(({ fields }) => fields);
  const rest = free.reduce(withoutField, Object.fromEntries(wanted));
  return hashOf(rest);
}

/** A hash of what a parent asks for. */
export function inputsOf(parent: KubeObject): string {
  const known: unknown = (parent.metadata as { readonly inputs?: unknown }).inputs;
  return typeof known === 'string' ? known : specHash(parent);
}

/** What a child would be remembered as. */
export function entryOf(child: KubeObject, parent: KubeObject): AcceptedContent {
  const { apiVersion, kind, metadata } = child;
  const name = metadata.name ?? `${metadata.generateName ?? ''}*`;
  return { apiVersion, kind, name, inputs: inputsOf(parent), content: contentOf(child, parent) };
}

/** Fields of a Service that the server gives it, and keeps where an update leaves them out. */
const ASSIGNED = ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy', 'healthCheckNodePort'] as const;

/**
 * What the server makes of an update: a Service keeps what was assigned to it, and what it has dropped before it drops again.
 * Other objects have their defaults when a webhook sees them.
 */
export function storedAs(old: KubeObject, object: KubeObject): KubeObject {
  if (object.apiVersion === 'v1' && object.kind === 'Service') return withAssigned(old, object);
  const paths = unstoredPaths(old);
  return paths.length === 0 ? object : { ...object, ...paths.reduce(withoutField, object as JsonObject) };
}

function withAssigned(old: KubeObject, object: KubeObject): KubeObject {
  const [before, spec] = [specOf(old), specOf(object)];
  if (before['type'] !== spec['type']) return object;
  const kept = ASSIGNED.filter((key) => isUnset(getOwn(spec, key)) && getOwn(before, key) !== undefined);
  const ports = portsWithNodes(getOwn(before, 'ports'), getOwn(spec, 'ports'));
  const assigned = Object.fromEntries(kept.map((key) => [key, getOwn(before, key)]));
  return {
    ...object,
    spec: { ...spec, ...assigned, ...(ports === undefined ? {} : { ports }) },
  };
}

const isUnset = (value: Json | undefined): boolean =>
  value === undefined || value === null || value === '' || (isJsonArray(value) && value.length === 0);

function portsWithNodes(before: Json | undefined, ports: Json | undefined): Json[] | undefined {
  if (!isJsonArray(before) || !isJsonArray(ports)) return undefined;
  const nodes = new Map(
    before.filter((one) => isJsonObject(one)).map((port) => [portKey(port), port['nodePort']]),
  );
  return ports.map((port) => {
    const nodePort = isJsonObject(port) && isUnset(port['nodePort']) ? nodes.get(portKey(port)) : undefined;
    return nodePort === undefined ? port : { ...(port as JsonObject), nodePort };
  });
}

const portKey = ({ port, protocol = 'TCP' }: JsonObject): string => canonicalJson([port ?? null, protocol]);

/** What is left of a child without what the server gives to each of its kind, or what must not be hashed. */
const NORMAL: ReadonlyMap<string, (child: KubeObject) => JsonObject> = new Map([
  ['v1/Secret', (child) => ({ ...child, data: keysOf(child['data']), stringData: [] })],
  ['v1/Service', withoutAssigned],
  ['v1/Pod', withoutPlacement],
  ['v1/PersistentVolumeClaim', (child) => withoutField(child, 'spec.volumeName')],
  ['batch/v1/Job', withoutJobLabels],
]);

function normal(child: KubeObject): JsonObject {
  return NORMAL.get(`${child.apiVersion}/${child.kind}`)?.(child) ?? child;
}

function keysOf(data: Json | undefined): string[] {
  return isJsonObject(data) ? Object.keys(data).toSorted() : [];
}

function withoutAssigned(child: JsonObject): JsonObject {
  const rest = ASSIGNED.map((key) => `spec.${key}`).reduce(withoutField, child);
  const spec = rest['spec'];
  if (!isJsonObject(spec) || !isJsonArray(spec['ports'])) return rest;
  const ports = spec['ports'].map((port) => (isJsonObject(port) ? withoutField(port, 'nodePort') : port));
  return { ...rest, spec: { ...spec, ports } };
}

/** The server gives a Job its own labels. */
function withoutJobLabels(child: JsonObject): JsonObject {
  return ['spec.selector', 'spec.template.metadata.labels'].reduce(withoutField, child);
}

function withoutField(object: JsonObject, path: string): JsonObject {
  const [key = '', ...rest] = path.split('.');
  const value = getOwn(object, key);
  if (value === undefined) return object;
  if (rest.length > 0)
    return isJsonObject(value) ? { ...object, [key]: withoutField(value, rest.join('.')) } : object;
  return Object.fromEntries(Object.entries(object).filter(([each]) => each !== key));
}
