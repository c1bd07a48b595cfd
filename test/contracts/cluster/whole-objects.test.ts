import { compareText, type Json, type JsonObject, type KubeObject, type ObjectMeta } from '@kubewright/kube';
import type { CommandResult } from '../../support/kubectl-session.ts';
import { replayOnClusters } from './replay-on-clusters.ts';

/** What is another each time, and where a pod happens to run. */
const VARYING: readonly (readonly [RegExp, string])[] = [
  [/\b(agent|bad|db|idx-\d|manual|ok|solo|web)-[a-z0-9]{8,10}(-[a-z0-9]{5})?\b/g, '$1-<drawn>'],
  [/\b(agent|bad|db|idx-\d|manual|ok|solo|web)-[bcdf-hj-np-tv-xz24-9]{5}\b/g, '$1-<drawn>'],
  [/"(pod-template-hash|controller-revision-hash)":"[^"]+"/g, '"$1":"<drawn>"'],
  [/\b(simulated:\/\/|csi-)[0-9a-f]{64}\b/g, '$1<drawn>'],
  [/\b(172\.18|192\.0)\.\d+\.\d+\b/g, '<ip>'],
  [/"Port":\d+/g, '"Port":0'],
  [/\bnode-\d\b/g, 'node-<n>'],
  [/\b\d+(\.\d+)?m?s\b/g, '<age>'],
];

type Item = KubeObject & { readonly [field: string]: Json | ObjectMeta };

/** Managers of one second come in any order. */
function withManagers({ metadata, ...item }: Item): JsonObject {
  const { managedFields = [], annotations = {}, ...rest } = metadata as JsonObject & ObjectMeta;
  const managers = managedFields.map(
    ({ manager, operation, apiVersion, subresource = '', fieldsV1 }) =>
      `${manager} ${operation} ${apiVersion} ${subresource} ${JSON.stringify(fieldsV1)}`,
  );
  const { 'kubectl.kubernetes.io/last-applied-configuration': _applied, ...kept } = annotations;
  const whole = { ...rest, annotations: kept, managedFields: managers.toSorted() };
  return { ...item, metadata: whole };
}

/**
 * Into how many writes the changes of pods are joined is a matter of time, and so is whether the last write was due to
 * a change that has a time of its own: an EndpointSlice's generation and its annotation are not compared.
 */
function whateverTheWrites(item: Item): Item {
  if (item.kind !== 'EndpointSlice') return item;
  const { generation: _generation, annotations: _annotations, ...rest } = item.metadata;
  const managedFields = rest.managedFields?.map(({ fieldsV1, ...entry }) => {
    const { 'f:annotations': _fields, ...fields } = (fieldsV1?.['f:metadata'] ?? {}) as JsonObject;
    return { ...entry, fieldsV1: { ...fieldsV1, 'f:metadata': fields } };
  });
  return { ...item, metadata: { ...rest, ...(managedFields && { managedFields }) } };
}

/** Addresses are in the order of the pods' IPs, which depend on where a pod happens to run. */
function wherever(item: Item): Item {
  if (item.kind !== 'Endpoints' || !Array.isArray(item['subsets'])) return item;
  const subsets = (item['subsets'] as readonly JsonObject[]).map(({ addresses = [], ...rest }) => ({
    addresses: (addresses as readonly JsonObject[]).toSorted((a, b) => compareText(podOf(a), podOf(b))),
    ...rest,
  }));
  return { ...item, subsets };
}

const podOf = ({ targetRef }: JsonObject): string => JSON.stringify(targetRef);

/** An Event as far as it says what happened: not how often, or when. */
function told({ involvedObject, reason, type, message, source }: Item): JsonObject {
  return { involvedObject, reason, type, message, source } as JsonObject;
}

/** Every object of a list in full, in an order that depends on no name that is drawn. */
function wholeObjects({ cmd, rc, out, err }: CommandResult): unknown {
  if (!out.startsWith('{')) return { cmd, rc, out, err };
  const { items } = JSON.parse(out) as { readonly items: readonly Item[] };
  // The server itself corrects an address that it was late to note.
  const lines = items
    .filter(({ reason }) => reason !== 'ClusterIPNotAllocated')
    .map((item) => {
      const text = JSON.stringify(
        item.kind === 'Event' ? told(item) : withManagers(whateverTheWrites(wherever(item))),
      );
      return VARYING.reduce((line, [pattern, by]) => line.replaceAll(pattern, by), text);
    });
  const objects = [...new Set(lines)].toSorted().map((line) => JSON.parse(line) as JsonObject);
  return { cmd, rc, objects, err };
}

replayOnClusters('the objects of a day', 'cluster-objects', wholeObjects);
