import type { KubeObject } from '@kubewright/kube';
import type { FieldError } from '@kubewright/kube/validation';
import { uncheckedRules, validateStructural } from '@kubewright/kube/schema';
import { type Errors, invalid, NONE, nameIsDnsSubdomain } from '../validation/errors.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../validation/validate-object-meta.ts';
import { bodyOf } from '../objects/read.ts';
import type { CustomKind } from './custom-kind.ts';
import { validateScaleSpec, validateScaleStatus } from './validate-scale-spec.ts';

const CUSTOM = { anyFinalizer: true };

/** What a new custom resource must satisfy: its type, metadata, schema, scale, and last its rules. */
export function validateCustomResource(kind: CustomKind, object: KubeObject): Errors {
  const type = validateTypeMeta(kind, object);
  const meta = { namespaced: kind.namespaced, name: nameIsDnsSubdomain, ...CUSTOM };
  const before =
    type.length > 0
      ? type
      : [
          ...validateObjectMeta(object, meta),
          ...validateSchema(kind, object),
          ...validateScale(kind, object),
        ];
  return withRules(kind, before, object);
}

export function validateCustomResourceUpdate(kind: CustomKind, object: KubeObject, old: KubeObject): Errors {
  const type = validateTypeMeta(kind, object);
  const before =
    type.length > 0
      ? type
      : [
          ...validateObjectMetaUpdate(object, old, CUSTOM),
          ...validateSchema(kind, object, old),
          ...validateScale(kind, object),
        ];
  return withRules(kind, before, object, old);
}

/** Only the status is looked at: the rest is as it was. */
export function validateCustomResourceStatusUpdate(
  kind: CustomKind,
  object: KubeObject,
  old: KubeObject,
): Errors {
  const type = validateTypeMeta(kind, object);
  if (type.length > 0) return type;
  const before = [
    ...validateObjectMetaUpdate(object, old, CUSTOM),
    ...validateStatus(kind, object, old),
    ...validateScaleStatus(kind.scale, object),
  ];
  return withRules(kind, before, object, old);
}

function validateSchema(kind: CustomKind, object: KubeObject, old?: KubeObject): Errors {
  return validateStructural(kind.structural, bodyOf(object), old === undefined ? undefined : bodyOf(old));
}

function validateStatus(kind: CustomKind, object: KubeObject, old: KubeObject): Errors {
  const { structural } = kind;
  const field = structural.kind === 'struct' ? structural.fields.get('status') : undefined;
  const status = bodyOf(object).status;
  if (field === undefined || status === undefined) return NONE;
  return validateStructural(field.node, status, bodyOf(old).status, 'status');
}

function validateScale(kind: CustomKind, object: KubeObject): Errors {
  return [...validateScaleSpec(kind.scale, object), ...validateScaleStatus(kind.scale, object)];
}

/** Rules are evaluated on objects that the schema accepts; on others one error stands for all of them. */
function withRules({ rules }: CustomKind, errors: Errors, object: KubeObject, old?: KubeObject): Errors {
  if (rules.isEmpty) return errors;
  const unchecked: FieldError | undefined = uncheckedRules(errors);
  if (unchecked !== undefined) return [...errors, unchecked];
  return [...errors, ...rules.validate(bodyOf(object), old && bodyOf(old))];
}

function validateTypeMeta({ group, version, kind }: CustomKind, object: KubeObject): Errors {
  const apiVersion = `${group}/${version}`;
  return [
    ...invalid(object.kind !== kind, 'kind', object.kind, `must be ${kind}`),
    ...invalid(object.apiVersion !== apiVersion, 'apiVersion', object.apiVersion, `must be ${apiVersion}`),
  ];
}
