import type { JsonObject, KubeObject, Stored } from '@kubewright/kube';
import type { Catalogue } from '@kubewright/kube/schema';
import type { ExtensionHost, ServerExtension } from '../registry/server-extension.ts';
import { changeObject, withField } from '../objects/change-object.ts';
import { metadataOf, specOf, stringsAt } from '../objects/read.ts';
import { acceptNames } from './accept-names.ts';
import { withApproval } from './approval.ts';
import { customResources, storedReader } from './custom-resources.ts';
import {
  CLEANUP_FINALIZER,
  GROUP,
  groupOf,
  isConditionTrue,
  isDeleting,
  requestedNames,
  RESOURCE,
} from './definition-view.ts';
import { type CrdCondition, withCondition } from './with-condition.ts';
import { namespaceOf } from '../objects/name-of.ts';

const STATUS = { manager: 'kube-apiserver', subresource: 'status' } as const;

type Host = ExtensionHost;
type Ref = {
  readonly group: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
};

/**
 * Makes a CustomResourceDefinition a resource that is served: accepts its names, establishes it, and empties it
 * before it goes. What three controllers do inside a real API server, each on the write before it.
 */
export function serveCustomResources(catalogue: Catalogue): ServerExtension {
  return (host) => start(host, catalogue);
}

function start(host: Host, catalogue: Catalogue): void {
  const state: State = { host, catalogue, served: new Map(), readBy: new Map(), emptying: new Map() };
  host.observe(GROUP, RESOURCE, ({ type, object }) => {
    if (type === 'DELETED') forget(state, object);
    else sync(state, object.metadata.name);
    if (type !== 'ADDED') syncGroup(host, object);
  });
  for (const { metadata } of host.list(GROUP, RESOURCE)) sync(state, metadata.name);
}

type State = {
  readonly host: Host;
  readonly catalogue: Catalogue;
  /** Versions of each definition that are served now. */
  readonly served: Map<string, readonly string[]>;
  /** The spec of each definition by which its stored objects are read. */
  readonly readBy: Map<string, JsonObject>;
  /** How to stop waiting for the last instance of a definition. */
  readonly emptying: Map<string, () => void>;
};

function forget(state: State, crd: Stored): void {
  const name = crd.metadata.name;
  state.emptying.get(name)?.();
  state.emptying.delete(name);
  withdraw(state.host, crd, state.served.get(name) ?? []);
  state.served.delete(name);
  state.readBy.delete(name);
}

function refOf(name: string): Ref {
  return { group: GROUP, resource: RESOURCE, namespace: '', name };
}

function sync(state: State, name: string): void {
  const { host, emptying } = state;
  const crd = host.get(refOf(name));
  if (crd === undefined) return;
  if (isDeleting(crd)) {
    if (hasFinalizer(crd) && !emptying.has(name)) emptying.set(name, empty(host, name));
  } else {
    acceptAndEstablish(host, name);
  }
  const settled = host.get(refOf(name));
  if (settled !== undefined) serve(state, settled);
}

/** A write for each of the controllers that make them. */
function acceptAndEstablish(host: Host, name: string): void {
  host.update(refOf(name), (crd) => withApproval(crd, host.now()), STATUS);
  host.update(refOf(name), (crd) => acceptNames(crd, host.list(GROUP, RESOURCE), host.now()), STATUS);
  host.update(
    refOf(name),
    (crd) => (isConditionTrue(crd, 'NamesAccepted') ? withCondition(crd, ESTABLISHED, host.now()) : crd),
    STATUS,
  );
}

const ESTABLISHED: CrdCondition = {
  type: 'Established',
  status: 'True',
  reason: 'InitialNamesAccepted',
  message: 'the initial names have been accepted',
};

/** Names that a definition has given up may be what another one waits for. */
function syncGroup(host: Host, changed: KubeObject): void {
  for (const crd of host.list(GROUP, RESOURCE)) {
    if (crd.metadata.name === changed.metadata.name || groupOf(crd) !== groupOf(changed)) continue;
    if (!isDeleting(crd) && !isConditionTrue(crd, 'NamesAccepted'))
      acceptAndEstablish(host, crd.metadata.name);
  }
}

function serve({ host, catalogue, served, readBy }: State, crd: Stored): void {
  const name = crd.metadata.name;
  if (!isConditionTrue(crd, 'Established')) return;
  const definitions = customResources(crd, catalogue);
  const versions = definitions.map((definition) => definition.version);
  const gone = (served.get(name) ?? []).filter((version) => !versions.includes(version));
  withdraw(host, crd, gone);
  for (const definition of definitions) host.registry.add(definition);
  served.set(name, versions);
  if (readBy.get(name) === specOf(crd)) return;
  readBy.set(name, specOf(crd));
  host.reread(groupOf(crd), requestedNames(crd).plural, storedReader(crd));
}

function withdraw(host: Host, crd: KubeObject, versions: readonly string[]): void {
  for (const version of versions) host.registry.remove(groupOf(crd), version, requestedNames(crd).plural);
}

function hasFinalizer(crd: KubeObject): boolean {
  return stringsAt(metadataOf(crd), 'finalizers').includes(CLEANUP_FINALIZER);
}

const IN_PROGRESS: CrdCondition = {
  type: 'Terminating',
  status: 'True',
  reason: 'InstanceDeletionInProgress',
  message: 'CustomResource deletion is in progress',
};
const COMPLETED: CrdCondition = {
  type: 'Terminating',
  status: 'False',
  reason: 'InstanceDeletionCompleted',
  message: 'removed all instances',
};
const NEVER_ESTABLISHED: CrdCondition = {
  type: 'Terminating',
  status: 'False',
  reason: 'NeverEstablished',
  message: 'resource was never established',
};

/** Deletes the instances, and lets the definition go when the last one has gone. Returns how to stop waiting. */
function empty(host: Host, name: string): () => void {
  const crd = host.get(refOf(name));
  if (crd === undefined) return () => undefined;
  const [group, resource] = [groupOf(crd), requestedNames(crd).plural];
  host.update(refOf(name), (current) => withCondition(current, IN_PROGRESS, host.now()), STATUS);
  const instances = (): readonly Stored[] => host.list(group, resource);
  const finish = (): void => {
    if (instances().length > 0) return;
    stop();
    const last = isConditionTrue(crd, 'Established') ? COMPLETED : NEVER_ESTABLISHED;
    host.update(refOf(name), (current) => withoutFinalizer(withCondition(current, last, host.now())), STATUS);
  };
  const stop = host.observe(group, resource, ({ type }) => {
    if (type === 'DELETED') finish();
  });
  for (const instance of instances()) {
    host.delete({ group, resource, namespace: namespaceOf(instance), name: instance.metadata.name });
  }
  finish();
  return stop;
}

function withoutFinalizer(crd: KubeObject): KubeObject {
  const rest = stringsAt(metadataOf(crd), 'finalizers').filter((name) => name !== CLEANUP_FINALIZER);
  const metadata = withField(metadataOf(crd), 'finalizers', rest.length === 0 ? undefined : [...rest]);
  return changeObject(crd, (body) => withField(body, 'metadata', metadata));
}
