import {
  errorText,
  getOwn,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type KubeObject,
  apiVersionOf,
} from '@kubewright/kube';
import { badRequest, conflict, failure } from '../api-server-error.ts';
import { applyFailure, ownText } from './apply-failure.ts';
import { asApplied } from '../model/as-read.ts';
import { type Body, parseYaml } from './body.ts';
import { type RestContext } from './rest-context.ts';
import type { ResourceRequest } from './resource-request.ts';
import type { Written } from './create-object.ts';
import { decodeValue, goKind } from './decode-body.ts';
import { mergedApply } from './record-update.ts';
import { checkName, inRequestNamespace } from './object-metadata.ts';
import { converterMessage } from './converter-message.ts';
import type { WriteOptions } from './write-options.ts';
import type { Steps } from '../request/steps.ts';
import { strategyOf, writeObject } from './write-object.ts';
import { admitUpdated } from './admit-mutating.ts';
import { nameOf, namespaceOf } from '../objects/name-of.ts';

/** PATCH of type apply: the configuration becomes all that its manager wants. Creates what is not there. */
export function* applyObject(
  context: RestContext,
  request: ResourceRequest,
  options: WriteOptions,
): Steps<Written> {
  const { definition, subresource, name, warnings } = request;
  const strategy = strategyOf(request);
  const body = readConfiguration(request.body, options.fieldValidation !== 'Ignore');
  return yield* writeObject(context, request, {
    dryRun: options.dryRun,
    strategy,
    creates: subresource === '',
    *updatedObject(live) {
      const config = checkedConfiguration(request, body.value as JsonObject);
      const writer = {
        manager: options.manager,
        subresource,
        strategy,
        now: context.now(),
        force: options.force,
      };
      const merged = yield* merge(mergedApply(context, definition, live, config, writer));
      reportDuplicates(body, options, warnings);
      const object = inRequestNamespace(typed(request, merged), request);
      checkUid(request, object, live);
      checkName(object, name);
      return yield* admitUpdated(context, request, object, live, options.dryRun);
    },
  });
}

/** The body of an apply; throws 400. */
export function readConfiguration(bytes: Uint8Array, strict: boolean): Body {
  let body: Body;
  try {
    body = parseYaml(bytes, strict);
  } catch (error) {
    throw badRequest(`error decoding YAML: ${errorText(error)}`);
  }
  if (body.value === null) return { ...body, value: {} };
  if (isJsonObject(body.value)) return body;
  const kind = goKind(body.value);
  throw badRequest(
    `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${kind} into Go value of type map[string]interface {}`,
  );
}

/** The configuration as an object of the endpoint's kind. */
export function checkedConfiguration({ definition }: ResourceRequest, value: JsonObject): KubeObject {
  const [apiVersion, kind] = [ownText(value, 'apiVersion'), ownText(value, 'kind')];
  if (apiVersion !== apiVersionOf(definition) || kind !== definition.kind) {
    const slash = apiVersion.includes('/') || apiVersion === '' ? '' : '/';
    throw badRequest(`invalid object type: ${apiVersion === '' ? '/' : slash + apiVersion}, Kind=${kind}`);
  }
  const metadata = getOwn(value, 'metadata');
  const meta = isJsonObject(metadata) ? metadata : {};
  if (isJsonArray(getOwn(meta, 'managedFields'))) throw badRequest('metadata.managedFields must be nil');
  return { ...value, apiVersion, kind, metadata: meta };
}

function* merge(merging: Steps<KubeObject>): Steps<KubeObject> {
  try {
    return yield* merging;
  } catch (error) {
    throw applyFailure(error);
  }
}

/** The merged value through its kind's decoder, as an object on its way to the store must go. */
function typed({ definition, sent }: ResourceRequest, merged: KubeObject): KubeObject {
  sent.object = merged;
  if (!definition.builtIn) return asApplied(definition, merged);
  const { object, errors } = decodeValue(definition, merged);
  if (errors.length === 0) return object;
  const { apiVersion, kind } = merged;
  const type = `${apiVersion.includes('/') ? '' : '/'}${apiVersion}, Kind=${kind}`;
  const why = errors.map(converterMessage).join(', ');
  throw failure(
    500,
    '',
    `failed to convert new object (${namespaceOf(merged)}/${nameOf(merged)}; ${type}) to proper version: ` +
      `unable to convert unstructured object to ${type}: ${why}`,
  );
}

function reportDuplicates({ strict }: Body, { fieldValidation }: WriteOptions, warnings: string[]): void {
  if (strict.length === 0) return;
  const text = `error converting YAML to JSON: yaml: unmarshal errors:\n  ${strict.join('\n  ')}`;
  if (fieldValidation === 'Strict') throw badRequest(`error strict decoding YAML: ${text}`);
  warnings.push(...strict);
}

function checkUid(
  { definition, name }: ResourceRequest,
  { metadata }: KubeObject,
  live: KubeObject | undefined,
): void {
  if (live !== undefined || metadata.uid === undefined || metadata.uid === '') return;
  const why = `uid mismatch: the provided object specified uid ${metadata.uid}, and no existing object was found`;
  throw conflict(definition, name, why);
}
