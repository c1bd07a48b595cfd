import { defined, type KubeObject } from '@kubewright/kube';
import { managedFieldsAfterScale, type ReplicasPaths, updateManagedFields } from '@kubewright/kube/merge';
import { type WriteAttributes, updateAttributes } from './admission-attributes.ts';
import type { ResourceDefinition, ScaleMapping } from '../model/resource-definition.ts';
import { collectionOf } from '../storage/collection-of.ts';
import { objectKey } from '../storage/stored-object.ts';
import { inVersion } from '../model/in-version.ts';
import { invalid, notFound } from '../api-server-error.ts';
import { type RestContext } from './rest-context.ts';
import type { ResourceRequest } from './resource-request.ts';
import { converting } from './converting.ts';
import { admitMutating } from './admit-mutating.ts';
import { mergeOntoScale } from './merge-onto-scale.ts';
import { decodeBody } from './decode-body.ts';
import { patchType, readPatch } from './patch-object.ts';
import { checkName, inRequestNamespace, withMeta } from './object-metadata.ts';
import { jsonReply, type Reply } from '../request/reply.ts';
import { replicasPaths, SCALE_VERSION, scaleOf, scaleSchemas, specReplicas } from './scale-of.ts';
import { type WriteOptions, writeOptions } from './write-options.ts';
import type { Steps } from '../request/steps.ts';
import { writeObject } from './write-object.ts';

/** GET, PUT and PATCH of `/scale`. */
export function* serveScale(
  context: RestContext,
  request: ResourceRequest,
  verb: string,
  mapping: ScaleMapping,
): Steps<Reply> {
  const { definition, namespace, name } = request;
  const key = objectKey(definition.namespaced ? namespace : '', name);
  const stored = collectionOf(context.store, definition).get(key);
  if (stored === undefined) throw notFound(definition, name);
  const live = yield* converting(context, () => inVersion(stored.object, definition));
  if (verb === 'get') return jsonReply(200, shown(mapping, live));
  const written = yield* writeScale(context, request, mapping, verb);
  return jsonReply(200, shown(mapping, written));
}

/** A Scale as it is returned: the managers of its replicas are in the object itself. */
function shown(mapping: ScaleMapping, object: KubeObject): KubeObject {
  return scaleOf(mapping, object, {});
}

/** Admission sees Scales, not the objects that are scaled. */
function scaleAttributes(
  request: ResourceRequest,
  scale: KubeObject,
  live: KubeObject,
  dryRun: boolean,
): WriteAttributes {
  return { ...updateAttributes(request, scale, live, dryRun), kind: scaleDefinition(request.definition) };
}

/** The change of a Scale, and the uid of the object that the client believes to change. */
type Wanted = { readonly change: (scale: KubeObject) => KubeObject; readonly uid: string | undefined };

function* writeScale(
  context: RestContext,
  request: ResourceRequest,
  mapping: ScaleMapping,
  verb: string,
): Steps<KubeObject> {
  const { definition, query, header } = request;
  const apply = verb === 'patch' && patchType(request) === 'application/apply-patch+yaml';
  const kind = verb === 'update' ? 'UpdateOptions' : 'PatchOptions';
  const options = writeOptions(kind, query, header('user-agent'), apply);
  const wanted = wantedScale(context, request, verb, apply, options);
  const { object } = yield* writeObject(context, request, {
    dryRun: options.dryRun,
    strategy: definition.strategy,
    creates: false,
    uid: wanted.uid,
    *updatedObject(live) {
      if (live === undefined) throw notFound(definition, request.name);
      const paths = yield* converting(context, () => replicasPaths(context.registry, definition, live));
      const scale = scaleOf(mapping, live, paths);
      const attributes = scaleAttributes(request, wanted.change(scale), scale, options.dryRun);
      return scaled(request, mapping, live, yield* admitMutating(context, attributes), paths);
    },
    attributes: (object, live) =>
      scaleAttributes(request, shown(mapping, object), shown(mapping, live), options.dryRun),
  });
  return object;
}

/** From the present Scale the wanted one, its managedFields recorded. */
function wantedScale(
  context: RestContext,
  request: ResourceRequest,
  verb: string,
  apply: boolean,
  options: WriteOptions,
): Wanted {
  const scaleRequest = { ...request, definition: scaleDefinition(request.definition) };
  const now = context.now();
  if (apply) return { uid: '', change: (scale) => mergeOntoScale(scaleRequest, scale, options, now) };
  const sent = verb === 'update' ? sentScale(scaleRequest, options) : undefined;
  const patch = sent === undefined ? readPatch(scaleRequest, patchType(request), options) : () => sent;
  const change = (scale: KubeObject): KubeObject => {
    const object = inRequestNamespace(patch(scale), request);
    checkName(object, request.name);
    const { manager } = options;
    return updateManagedFields({
      live: scale,
      object,
      manager,
      subresource: 'scale',
      now,
      schemas: scaleSchemas,
    });
  };
  return { change, uid: sent?.metadata.uid };
}

function sentScale(
  { definition, body, header, warnings, sent }: ResourceRequest,
  options: WriteOptions,
): KubeObject {
  return decodeBody(definition, body, header('content-type'), options, { warnings, sent });
}

/** A Scale is read and patched as an object of its own kind. */
function scaleDefinition(definition: ResourceDefinition): ResourceDefinition {
  const [group, version] = SCALE_VERSION.split('/') as [string, string];
  const { resource } = definition;
  return {
    ...definition,
    group,
    version,
    resource,
    kind: 'Scale',
    builtIn: true,
    schema: scaleSchemas.schema,
    strategy: {},
  };
}

/** The scaled object as the Scale wants it, its claims those of the Scale. */
function scaled(
  request: ResourceRequest,
  mapping: ScaleMapping,
  live: KubeObject,
  scale: KubeObject,
  paths: ReplicasPaths,
): KubeObject {
  const replicas = specReplicas(scale);
  if (replicas < 0 && request.definition.builtIn) {
    throw invalid({ group: 'autoscaling', kind: 'Scale' }, request.name, [
      {
        type: 'Invalid',
        field: 'spec.replicas',
        value: replicas,
        detail: 'must be greater than or equal to 0',
      },
    ]);
  }
  const { managedFields: _, ...metadata } = live.metadata;
  const claims = managedFieldsAfterScale(_, scale.metadata.managedFields, paths, live.apiVersion);
  const { resourceVersion = metadata.resourceVersion, uid = metadata.uid } = scale.metadata;
  const meta = {
    ...metadata,
    ...defined({ resourceVersion, uid }),
  };
  return withMeta(
    mapping.withReplicas(live, replicas),
    claims === undefined ? meta : { ...meta, managedFields: claims },
  );
}
