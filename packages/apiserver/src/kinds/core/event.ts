import type { JsonObject, KubeObject } from '@kubewright/kube';
import { isDns1123Subdomain } from '@kubewright/kube/validation';
import type { Strategy } from '../../model/resource-definition.ts';
import {
  type Errors,
  immutable,
  inside,
  invalid,
  invalidFor,
  NONE,
  nameIsDnsSubdomain,
  qualifiedName,
  required,
} from '../../validation/errors.ts';
import { byteLength } from '../../validation/validate-labels.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../validation/validate-object-meta.ts';
import { bodyOf, has, maybeObject, numberAt, objectAt, stringAt, valueAt } from '../../objects/read.ts';
import { showing } from '../../validation/shown-as.ts';
import { namespaceOf } from '../../objects/name-of.ts';

/** Field names of one kind of event: the two versions spell the same record differently. */
type Names = {
  readonly regarding: string;
  readonly reporting: string;
  readonly note: string;
};

const CORE: Names = { regarding: 'involvedObject', reporting: 'reportingComponent', note: 'message' };
const EVENTS: Names = {
  regarding: 'regarding',
  reporting: 'reportingController',
  note: 'note',
};

/** `v1 Event`: old clients write it, so little is validated. */
export const coreEvent: Strategy = {
  validateCreate: (object) => validateBasics(object, CORE),
  validateUpdate: (object) => validateBasics(object, CORE),
};

/** `events.k8s.io/v1 Event`: the same record, checked properly. Errors name the fields of the core version. */
export const event: Strategy = {
  validateCreate: (object) => [
    ...validateBasics(object, EVENTS),
    ...validateObjectMeta(object, { namespaced: true, name: nameIsDnsSubdomain }),
    ...validateSeries(bodyOf(object)),
    ...validateNew(bodyOf(object)),
  ],
  validateUpdate: (object, old) => [
    ...validateBasics(object, EVENTS),
    ...validateObjectMetaUpdate(object, old),
    ...validateSeries(bodyOf(object)),
    ...validateUnchanged(bodyOf(object), bodyOf(old)),
  ],
};

function validateBasics(object: KubeObject, names: Names): Errors {
  const body = bodyOf(object);
  const namespace = namespaceOf(object);
  return [
    ...(has(body, 'eventTime')
      ? validateTimed(body, names, namespace)
      : validateUntimed(body, names, namespace)),
    ...invalidFor('namespace', namespace, isDns1123Subdomain(namespace)),
  ];
}

const MISMATCH = 'does not match event.namespace';

function validateUntimed(body: JsonObject, names: Names, namespace: string): Errors {
  const own = stringAt(objectAt(body, names.regarding), 'namespace');
  const differs = own === '' ? namespace !== '' && namespace !== 'default' : namespace !== own;
  return invalid(differs, 'involvedObject.namespace', own, MISMATCH);
}

function validateTimed(body: JsonObject, names: Names, namespace: string): Errors {
  const own = stringAt(objectAt(body, names.regarding), 'namespace');
  const reporting = stringAt(body, names.reporting);
  const clusterWide = namespace === 'default' || namespace === 'kube-system';
  return [
    ...invalid(own === '' && !clusterWide, 'involvedObject.namespace', own, MISMATCH),
    ...required(reporting !== '', names.reporting),
    ...qualifiedName(reporting, names.reporting),
    ...needsUpTo(body, 'reportingInstance', 128),
    ...needsUpTo(body, 'action', 128),
    ...needsUpTo(body, 'reason', 128),
    ...upTo(stringAt(body, names.note), 'message', 1024),
  ];
}

function needsUpTo(body: JsonObject, key: string, limit: number): Errors {
  return [...required(stringAt(body, key) !== '', key), ...upTo(stringAt(body, key), key, limit)];
}

function upTo(text: string, path: string, limit: number): Errors {
  return invalid(byteLength(text) > limit, path, '', `can have at most ${limit} characters`);
}

function validateSeries(body: JsonObject): Errors {
  return inside(maybeObject(body, 'series'), (series) => [
    ...invalid(numberAt(series, 'count') < 2, 'series.count', '', 'should be at least 2'),
    ...required(has(series, 'lastObservedTime'), 'series.lastObservedTime'),
  ]);
}

function validateNew(body: JsonObject): Errors {
  const type = stringAt(body, 'type');
  const unset = (key: string, path: string): Errors => invalid(has(body, key), path, '', 'needs to be unset');
  const source = objectAt(body, 'deprecatedSource');
  return [
    ...required(has(body, 'eventTime'), 'eventTime'),
    ...(['Normal', 'Warning'].includes(type) ? NONE : invalidFor('type', '', [`has invalid value: ${type}`])),
    ...unset('deprecatedFirstTimestamp', 'firstTimestamp'),
    ...unset('deprecatedLastTimestamp', 'lastTimestamp'),
    ...invalid(numberAt(body, 'deprecatedCount') !== 0, 'count', '', 'needs to be unset'),
    ...invalid(
      stringAt(source, 'component') !== '' || stringAt(source, 'host') !== '',
      'source',
      '',
      'needs to be unset',
    ),
  ];
}

/** Field, its name in errors, and what it is in Go, unless that is a string. */
const UNCHANGED: readonly (readonly [string, string, string?])[] = [
  ['regarding', 'involvedObject', 'core.ObjectReference'],
  ['reason', 'reason'],
  ['note', 'message'],
  ['deprecatedSource', 'source', 'core.EventSource'],
  ['deprecatedFirstTimestamp', 'firstTimestamp', 't'],
  ['deprecatedLastTimestamp', 'lastTimestamp', 't'],
  ['deprecatedCount', 'count', 'i'],
  ['type', 'type'],
  ['eventTime', 'eventTime', 't'],
  ['action', 'action'],
  ['related', 'related', '?core.ObjectReference'],
  ['reportingController', 'reportingController'],
  ['reportingInstance', 'reportingInstance'],
];

function validateUnchanged(body: JsonObject, old: JsonObject): Errors {
  return UNCHANGED.flatMap(([key, path, form]) =>
    form === undefined
      ? immutable(stringAt(body, key), stringAt(old, key), path)
      : showing(form, immutable(valueAt(body, key), valueAt(old, key), path)),
  );
}

type Selectable = Readonly<Record<string, (object: KubeObject) => string>>;

const REFERENCE = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'];

/** Selectors of what an event is about, under the name that a version has for it. Events are stored in the core version. */
function aboutFields(name: 'involvedObject' | 'regarding'): Selectable {
  const read =
    (key: string) =>
    (object: KubeObject): string =>
      stringAt(objectAt(bodyOf(object), 'involvedObject'), key);
  return Object.fromEntries(REFERENCE.map((key) => [`${name}.${key}`, read(key)]));
}

/** Field selectors of `events.k8s.io/v1`. */
export const eventFields: Selectable = {
  ...aboutFields('regarding'),
  reason: (object) => stringAt(bodyOf(object), 'reason'),
  reportingController: (object) => stringAt(bodyOf(object), 'reportingComponent'),
  type: (object) => stringAt(bodyOf(object), 'type'),
};

/** Field selectors of the core version. */
export const coreEventFields: Selectable = {
  ...aboutFields('involvedObject'),
  reason: (object) => stringAt(bodyOf(object), 'reason'),
  reportingComponent: (object) => stringAt(bodyOf(object), 'reportingComponent'),
  source: (object) =>
    stringAt(objectAt(bodyOf(object), 'source'), 'component') ||
    stringAt(bodyOf(object), 'reportingComponent'),
  type: (object) => stringAt(bodyOf(object), 'type'),
};
