import type { Json, JsonObject, KubeObject } from '@kubewright/kube';
import { applyJsonPatch, applyMergePatch, getOwn, isJsonArray, isJsonObject } from '@kubewright/kube';
import type { ScaleMapping } from '../registry/resource-definition.ts';
import { inVersion, objectKey } from '../storage/stored-object.ts';
import { badRequest, invalid, notFound } from './api-server-error.ts';
import { mediaType, parseJsonBody, parseYamlBody } from './body.ts';
import { apiVersionOfDefinition, type ResourceRequest, type RestContext } from './context.ts';
import { recordUpdate } from './managed-fields.ts';
import { patchType } from './patch.ts';
import { compact, jsonReply, type Reply } from './reply.ts';
import { writeOptions } from './request-options.ts';
import { changeObject } from './update.ts';

/** `autoscaling/v1 Scale` of an object. */
export function scaleOf(mapping: ScaleMapping, { metadata }: KubeObject, object: KubeObject): JsonObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = metadata;
  const replicas = mapping.specReplicas(object);
  const selector = mapping.selector(object);
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: compact({ name, namespace, uid, resourceVersion, creationTimestamp }),
    spec: replicas === 0 ? {} : { replicas },
    status: compact({
      replicas: mapping.statusReplicas(object),
      selector: selector === '' ? undefined : selector,
    }),
  };
}

/** GET, PUT and PATCH of `/scale`. */
export function serveScale(
  context: RestContext,
  request: ResourceRequest,
  verb: string,
  mapping: ScaleMapping,
): Reply {
  const { definition, namespace, name } = request;
  const key = objectKey(definition.namespaced ? namespace : '', name);
  const stored = context.store.collection(definition.group, definition.resource).get(key);
  if (stored === undefined) throw notFound(definition, name);
  const live = inVersion(stored.object, apiVersionOfDefinition(definition));
  const current = scaleOf(mapping, live, live);
  if (verb === 'get') return jsonReply(200, current);
  const wanted = verb === 'update' ? parseScale(request) : patchScale(request, current);
  const object = writeScale(context, request, mapping, checked(request, wanted), verb);
  return jsonReply(200, scaleOf(mapping, object, object));
}

function parseScale({ body, header }: ResourceRequest): Json {
  try {
    const yaml = mediaType(header('content-type')) === 'application/yaml';
    return (yaml ? parseYamlBody(body, false) : parseJsonBody(body, false)).value;
  } catch (error) {
    throw badRequest(
      `couldn't get version/kind; json parse error: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

function patchScale(request: ResourceRequest, current: JsonObject): Json {
  const type = patchType(request);
  const patch = parseScale(request);
  if (type === 'application/json-patch+json') return applyJsonPatch(current, isJsonArray(patch) ? patch : []);
  return applyMergePatch(current, patch);
}

type Wanted = { readonly replicas: number; readonly resourceVersion: string };

function checked({ name }: ResourceRequest, value: Json): Wanted {
  const scale = isJsonObject(value) ? value : {};
  const spec = getOwn(scale, 'spec');
  const metadata = getOwn(scale, 'metadata');
  const replicas = isJsonObject(spec) ? (getOwn(spec, 'replicas') ?? 0) : 0;
  if (typeof replicas !== 'number' || !Number.isInteger(replicas)) {
    throw badRequest(
      `Scale in version "v1" cannot be handled as a Scale: json: cannot unmarshal ${typeof replicas} into Go struct field ScaleSpec.spec.replicas of type int32`,
    );
  }
  const version = isJsonObject(metadata) ? getOwn(metadata, 'resourceVersion') : undefined;
  if (replicas < 0) {
    throw invalid({ group: 'autoscaling', kind: 'Scale' }, name, [
      {
        type: 'Invalid',
        field: 'spec.replicas',
        value: replicas,
        detail: 'must be greater than or equal to 0',
      },
    ]);
  }
  return { replicas, resourceVersion: typeof version === 'string' ? version : '' };
}

function writeScale(
  context: RestContext,
  request: ResourceRequest,
  mapping: ScaleMapping,
  { replicas, resourceVersion }: Wanted,
  verb: string,
): KubeObject {
  const { definition, query, header } = request;
  const options = writeOptions(
    verb === 'update' ? 'UpdateOptions' : 'PatchOptions',
    query,
    header('user-agent'),
    false,
  );
  const { strategy } = definition;
  const written = changeObject(context, request, {
    dryRun: options.dryRun,
    strategy,
    creates: false,
    apply: (live) => {
      if (live === undefined) throw notFound(definition, request.name);
      const scaled = mapping.withReplicas(live, replicas);
      const wanted =
        resourceVersion === '' ? scaled : { ...scaled, metadata: { ...scaled.metadata, resourceVersion } };
      if (!anyoneOwnsReplicas(live, scaled)) return wanted;
      return recordUpdate(context.registry, definition, live, wanted, {
        manager: options.manager,
        subresource: 'scale',
        strategy,
        now: context.clock.now(),
      });
    },
  });
  return written.object;
}

/** Scaling is recorded only where somebody owned the replicas before; the path is where the two differ. */
function anyoneOwnsReplicas(live: KubeObject, scaled: KubeObject): boolean {
  const path = differingPath(live, scaled);
  const entries = live.metadata.managedFields ?? [];
  return entries.some(({ fieldsV1 }) => path !== undefined && owns(fieldsV1, path));
}

function owns(fields: Json | undefined, path: readonly string[]): boolean {
  let node = fields;
  for (const name of path) {
    if (!isJsonObject(node)) return false;
    node = getOwn(node, `f:${name}`);
  }
  return node !== undefined;
}

/** The one path of field names at which two objects differ; undefined when they do not. */
function differingPath(a: Json | undefined, b: Json | undefined): string[] | undefined {
  if (a === b) return undefined;
  if (!isJsonObject(a) || !isJsonObject(b)) return [];
  for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
    const below = differingPath(getOwn(a, key), getOwn(b, key));
    if (below !== undefined) return [key, ...below];
  }
  return undefined;
}
