import type { FieldSet } from '../../fields/field-set.ts';
import { parseJson } from '../../json/parse-json.ts';
import { canonicalJson } from '../../json/stringify-json.ts';
import { isJsonObject, type JsonObject } from '../../json/json.ts';
import { KubeError } from '../../kube-error.ts';
import type { KubeObject } from '../../object/kube-object.ts';
import { compareTyped } from '../typed/compare-typed.ts';
import { toFieldSet } from '../typed/to-field-set.ts';
import { validateTyped } from '../typed/validate-typed.ts';
import type { Applied, ApplyRequest } from './apply-options.ts';
import { ConflictError } from './conflict-error.ts';
import { jsonOf, typedObject } from './typed-object.ts';

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
/** Kubernetes' bound on the sum of all annotations, in bytes. */
const MAX_ANNOTATIONS = 256 * 1024;

/**
 * An apply by the manager `kubectl`, which may have used client-side apply before: it owns the unchanged fields of its
 * last-applied annotation, so these cause no conflict; and the annotation, if there is one, is updated.
 * Source: apimachinery's `lastAppliedManager` and `lastAppliedUpdater`.
 */
export function applyAsKubectl(request: ApplyRequest, apply: (request: ApplyRequest) => Applied): Applied {
  const applied = applyAllowingLastApplied(request, apply);
  return { ...applied, object: followLastApplied(applied.object, request.object) };
}

function applyAllowingLastApplied(request: ApplyRequest, apply: (request: ApplyRequest) => Applied): Applied {
  try {
    return apply(request);
  } catch (error) {
    const own = error instanceof ConflictError ? lastAppliedFields(request) : undefined;
    if (!(error instanceof ConflictError) || own === undefined) throw error;
    const foreign = error.conflicts.filter(({ path }) => !own.has(path));
    if (foreign.length > 0) throw new ConflictError(foreign);
    return apply({ ...request, force: true });
  }
}

/** The fields of the last-applied annotation that still are as it has them; undefined where it cannot be read. */
function lastAppliedFields({ live, schemas }: ApplyRequest): FieldSet | undefined {
  const last = readLastApplied(live);
  if (last === undefined || last['apiVersion'] !== live.apiVersion) return undefined;
  const { node } = typedObject(schemas, live);
  if (validateTyped(node, last).length > 0 || validateTyped(node, jsonOf(live)).length > 0) return undefined;
  const { added, modified, removed } = compareTyped(node, last, jsonOf(live));
  return toFieldSet(node, last).difference(added).difference(modified).difference(removed);
}

function readLastApplied(live: KubeObject): JsonObject | undefined {
  const text = live.metadata.annotations?.[LAST_APPLIED] ?? '';
  try {
    const last = text === '' ? undefined : parseJson(text);
    return isJsonObject(last) ? last : undefined;
  } catch (error) {
    if (error instanceof KubeError) return undefined;
    throw error;
  }
}

function followLastApplied(object: KubeObject, config: KubeObject): KubeObject {
  const annotations = object.metadata.annotations ?? {};
  if ((annotations[LAST_APPLIED] ?? '') === '') return object;
  const { [LAST_APPLIED]: _, ...others } = annotations;
  const followed = { ...others, [LAST_APPLIED]: lastAppliedOf(config) };
  const size = Object.entries(followed).reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  return {
    ...object,
    metadata: { ...object.metadata, annotations: size > MAX_ANNOTATIONS ? others : followed },
  };
}

/** The configuration as the annotation holds it: without the annotation itself. */
function lastAppliedOf(config: KubeObject): string {
  const { managedFields: _, annotations, ...metadata } = config.metadata;
  if (annotations === undefined) return `${canonicalJson({ ...config, metadata })}\n`;
  const { [LAST_APPLIED]: __, ...others } = annotations;
  return `${canonicalJson({ ...config, metadata: { ...metadata, annotations: others } })}\n`;
}
