import type { JsonObject, KubeObject } from '@kubewright/kube';
import { type FieldError, fieldErrors } from '@kubewright/kube/validation';
import { invalid as invalidField } from '../../validation/errors.ts';
import { maybeObject, objectAt, specOf, stringAt, stringsAt } from '../../objects/read.ts';
import { showing } from '../../validation/shown-as.ts';
import type { ReviewHandler } from './review-handler.ts';
import { invalid } from '../../api-server-error.ts';
import type { Access, Authorizer } from '../authorizer.ts';
import type { UserInfo } from '../../request/user-info.ts';
import { namespaceOf } from '../../objects/name-of.ts';

type Sources = { readonly authorize: Authorizer };

/** SelfSubjectAccessReview: whether the sender may do something. */
export function selfAccessReview({ authorize }: Sources): ReviewHandler {
  return ({ user }, review) => {
    const spec = specOf(review);
    check([...attributesErrors(spec), ...metadataErrors(review, [])]);
    return decided(review, authorize, user);
  };
}

/** SubjectAccessReview: whether a user may do something. */
export function subjectAccessReview({ authorize }: Sources): ReviewHandler {
  return (_request, review) => {
    const spec = specOf(review);
    check([...attributesErrors(spec), ...subjectErrors(spec), ...metadataErrors(review, [])]);
    return decided(review, authorize, subjectOf(spec));
  };
}

/** LocalSubjectAccessReview: whether a user may do something in the namespace of the review. */
export function localAccessReview({ authorize }: Sources): ReviewHandler {
  return (_request, review) => {
    const spec = specOf(review);
    check([
      ...attributesErrors(spec),
      ...subjectErrors(spec),
      ...metadataErrors(review, ['namespace']),
      ...namespaceErrors(spec, namespaceOf(review)),
    ]);
    return decided(review, authorize, subjectOf(spec));
  };
}

function decided(review: KubeObject, authorize: Authorizer, user: UserInfo): KubeObject {
  const { allowed, reason } = authorize({ user, info: accessOf(specOf(review)) });
  return { ...review, status: { allowed, ...(reason === '' ? {} : { reason }) } };
}

function subjectOf(spec: JsonObject): UserInfo {
  return { username: stringAt(spec, 'user'), groups: stringsAt(spec, 'groups') };
}

function accessOf(spec: JsonObject): Access {
  const attributes = maybeObject(spec, 'resourceAttributes');
  if (attributes === undefined) {
    const { verb, path } = texts(objectAt(spec, 'nonResourceAttributes'), ['verb', 'path']);
    return { verb, path };
  }
  const { verb, ...resource } = texts(attributes, [
    'verb',
    'group',
    'namespace',
    'resource',
    'subresource',
    'name',
  ]);
  return { verb, path: '', resource };
}

function texts<K extends string>(object: JsonObject, keys: readonly K[]): Record<K, string> {
  return Object.fromEntries(keys.map((key) => [key, stringAt(object, key)])) as Record<K, string>;
}

/** The kind has no name in these errors: the real server has lost it by then. */
function check(errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid({ group: 'authorization.k8s.io', kind: '' }, '', errors);
}

function attributesErrors(spec: JsonObject): readonly FieldError[] {
  const resource = maybeObject(spec, 'resourceAttributes');
  const path = maybeObject(spec, 'nonResourceAttributes');
  if (resource !== undefined && path !== undefined) {
    const detail = 'cannot be specified in combination with resourceAttributes';
    return pathInvalid(path, detail);
  }
  if (resource !== undefined || path !== undefined) return [];
  const detail = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
  return [{ type: 'Invalid', field: 'spec.resourceAttributes', value: null, detail }];
}

function pathInvalid(path: JsonObject, detail: string): readonly FieldError[] {
  return showing('authorization.NonResourceAttributes', [
    fieldErrors.invalid('spec.nonResourceAttributes', path, detail),
  ]);
}

function subjectErrors(spec: JsonObject): readonly FieldError[] {
  if (stringAt(spec, 'user') !== '' || stringsAt(spec, 'groups').length > 0) return [];
  const detail = 'at least one of user or group must be specified';
  return [{ type: 'Invalid', field: 'spec.user', value: '', detail }];
}

function metadataErrors({ metadata }: KubeObject, except: readonly string[]): readonly FieldError[] {
  const { managedFields: _, ...rest } = metadata;
  if (Object.keys(rest).every((key) => except.includes(key))) return [];
  const detail = except.length === 0 ? 'must be empty' : 'must be empty except for namespace';
  return showing('meta.ObjectMeta', [fieldErrors.invalid('metadata', metadata, detail)]);
}

function namespaceErrors(spec: JsonObject, namespace: string): readonly FieldError[] {
  const attributes = maybeObject(spec, 'resourceAttributes');
  const path = maybeObject(spec, 'nonResourceAttributes');
  const namespaceOfAttributes = attributes === undefined ? namespace : stringAt(attributes, 'namespace');
  return [
    ...invalidField(
      namespaceOfAttributes !== namespace,
      'spec.resourceAttributes.namespace',
      namespaceOfAttributes,
      'must match metadata.namespace',
    ),
    ...(path === undefined ? [] : pathInvalid(path, 'disallowed on this kind of request')),
  ];
}
