import { createHash, type Hash } from 'node:crypto';
import {
  canonicalJson,
  defined,
  getOwn,
  isJsonObject,
  type Json,
  type JsonObject,
  type KubeObject,
} from '@kubewright/kube';
import type { AdmissionRequest } from '@kubewright/runtime';
import type { AcceptedContent } from '../decide/accepted-content.ts';
import type { AdmissionDecision } from '../decide/decide-admission.ts';
import { observedGenerationOf, phaseOf } from '../decide/is-reconciling.ts';
import type { Facts, Review } from '../decide/review.ts';

/** What a backend gets: `kausality.io/v1alpha1 DriftReport`. It is no object of the API. */
export type DriftReport = {
  readonly apiVersion: 'kausality.io/v1alpha1';
  readonly kind: 'DriftReport';
  readonly spec: JsonObject & {
    /** The same for all reports of one drift, from Detected to Resolved. */
    readonly id: string;
    /** Addition: `Updated`, another change of the same child by the same controller. */
    readonly phase: 'Detected' | 'Updated' | 'Resolved';
    readonly parent: JsonObject;
    readonly child: JsonObject;
    readonly request: JsonObject;
    /** Addition: why it is resolved. */
    readonly resolution?: Resolution;
    /** Addition: the report is about a brake, not about one drift. */
    readonly brake?: JsonObject;
  };
};

/** `TooMany`: others are open, and it is no longer followed. `Unfrozen`: of a brake. */
export type Resolution = 'Unfrozen' | 'Approved' | 'ParentChanged' | 'Deleted' | 'NotRepeated' | 'TooMany';

/** A decision and what it is about. */
export type ReportedChange = {
  readonly request: AdmissionRequest;
  readonly review: Review;
  readonly facts: Facts;
  readonly decision: AdmissionDecision;
  /** What the controller has rightly made by it; undefined: nothing. */
  readonly accepted?: AcceptedContent;
};

/** The report of a drift that is over. */
export function resolved({ spec, ...report }: DriftReport, resolution: Resolution): DriftReport {
  return { ...report, spec: { ...spec, phase: 'Resolved', resolution } };
}

/** The report of a brake: what it has frozen, and the change that was one too many. */
export function brakeReport(change: ReportedChange): DriftReport | undefined {
  const { facts, decision } = change;
  const { parent, mode } = facts;
  const { brake } = decision;
  if (parent === undefined || brake === undefined) return undefined;
  const { counted, limit, window, origin, tree } = brake;
  const frozen = mode === 'enforce' ? tree : [];
  const report = reportOf(parent, change);
  const id = hashOf([parent]).update('brake').digest('hex').slice(0, ID_DIGITS);
  return { ...report, spec: { ...report.spec, id, brake: { counted, limit, window, origin, frozen } } };
}

/** The report of a decision: drift is Detected, and Resolved under the same id when the same change is approved. */
export function driftReport(change: ReportedChange): DriftReport | undefined {
  const { facts, decision } = change;
  const { parent } = facts;
  // Without an Event, the parent is snoozed.
  if (parent === undefined || decision.event === undefined) return undefined;
  if (decision.reason !== 'Drift' && decision.reason !== 'Approved') return undefined;
  const report = reportOf(parent, change);
  return decision.reason === 'Drift' ? report : resolved(report, 'Approved');
}

function reportOf(parent: KubeObject, { request, review }: ReportedChange): DriftReport {
  const { operation, object, old, user } = review;
  const isGone = operation === 'DELETE';
  return {
    apiVersion: 'kausality.io/v1alpha1',
    kind: 'DriftReport',
    spec: {
      id: driftId(parent, review),
      phase: 'Detected',
      parent: { ...referenceTo(parent), ...parentState(parent) },
      child: referenceTo(object),
      ...(old === undefined ? {} : { oldObject: withoutSecrets(old) }),
      newObject: isGone ? null : withoutSecrets(object),
      request: {
        user,
        groups: request.userInfo.groups,
        uid: request.uid,
        operation,
        ...defined({ fieldManager: fieldManagerOf(request) }),
      },
    },
  };
}

/** Identifies a change of a child by its parent: 16 hexadecimal digits, the same for each attempt. */
export function driftId(parent: KubeObject, { operation, object, old }: Review): string {
  const hash = hashOf([parent, object]);
  if (operation === 'UPDATE' && old !== undefined)
    hash.update(canonicalJson({ new: contentOf(object), old: contentOf(old) }));
  else if (operation === 'CREATE') hash.update(canonicalJson(contentOf(object)));
  return hash.digest('hex').slice(0, ID_DIGITS);
}

const ID_DIGITS = 16;

function hashOf(objects: readonly KubeObject[]): Hash {
  const hash = createHash('sha256');
  for (const { apiVersion, kind, metadata } of objects)
    for (const part of [apiVersion, kind, metadata.namespace ?? '', metadata.name ?? ''])
      hash.update(`${part}\0`);
  return hash;
}

/** The spec; of kinds without one, everything but metadata and status. */
function contentOf(object: KubeObject): Json {
  const json: JsonObject = object;
  const spec = getOwn(json, 'spec');
  if (spec !== undefined) return spec;
  const { apiVersion: _version, kind: _kind, metadata: _metadata, status: _status, ...content } = json;
  return content;
}

function referenceTo({ apiVersion, kind, metadata }: KubeObject): JsonObject {
  const { namespace, name = '', uid, generation } = metadata;
  return { apiVersion, kind, name, ...defined({ namespace, uid, generation }) };
}

function parentState(parent: KubeObject): JsonObject {
  return {
    lifecyclePhase: phaseOf(parent),
    ...defined({ observedGeneration: observedGenerationOf(parent) }),
  };
}

function fieldManagerOf({ options = {} }: AdmissionRequest): string | undefined {
  const name = getOwn(options, 'fieldManager');
  return typeof name === 'string' ? name : undefined;
}

/** The keys of a Secret say what changed; its values leave the cluster for nobody. */
function withoutSecrets(object: KubeObject): JsonObject {
  const { metadata, ...rest } = object as JsonObject & KubeObject;
  const { annotations = {}, ...others } = metadata;
  if (object.kind !== 'Secret' || object.apiVersion !== 'v1') return { ...rest, metadata };
  const { 'kubectl.kubernetes.io/last-applied-configuration': _applied, ...kept } = annotations;
  const hidden = ['data', 'stringData'].flatMap((field) => {
    const values = getOwn(rest, field);
    if (!isJsonObject(values)) return [];
    return [[field, Object.fromEntries(Object.keys(values).map((key) => [key, '']))] as const];
  });
  return { ...rest, metadata: { ...others, annotations: kept }, ...Object.fromEntries(hidden) };
}
