import type { KubeObject } from '@kubewright/kube';
import type { Authorizer } from '../../auth/authorizer.ts';
import type { AdmissionAttributes } from '../../rest/admission-attributes.ts';
import { converting } from '../../rest/converting.ts';
import { isNamespace } from '../../rest/namespace-lifecycle.ts';
import type { RestContext } from '../../rest/rest-context.ts';
import type { Steps } from '../../request/steps.ts';
import { inMatchedVersions, type Match, meetsCriteria, namespaceOf } from '../matching/match-write.ts';
import { variablesOf } from '../matching/variables-of.ts';
import { type Annotation, type Denial, evaluatePolicy } from './evaluate-policy.ts';
import { type Misconfigured, paramResource, paramsOf } from './params-of.ts';
import type { Binding, Policy } from './policy.ts';

export type PolicyContext = Pick<RestContext, 'registry' | 'store' | 'convert'> & {
  readonly authorize: Authorizer;
};

/** A write that a policy rejects, and why; `binding`: by which. */
export type Rejection = { readonly policy: string; readonly binding?: string } & Pick<
  Denial,
  'message' | 'reason'
>;

/** What a policy and one binding of it are asked about. */
type BoundPolicy = {
  readonly policy: Policy;
  readonly binding: Binding;
  readonly match: Match;
  readonly attributes: AdmissionAttributes;
  /** Of its audit annotations so far, by key. */
  readonly values: Map<string, Set<string>>;
};

/** An audit annotation is cut here. */
const MAX_ANNOTATION = 10 * 1024;
const FAILED = 'validation.policy.admission.k8s.io/validation_failure';

/** Evaluates a policy for each of its bindings, and does what they say; the rejections that come of it. */
export function* askPolicy(
  context: PolicyContext,
  policy: Policy,
  match: Match,
  attributes: AdmissionAttributes,
): Steps<readonly Rejection[]> {
  const resource = paramResource(context, policy);
  if (resource !== undefined && 'misconfigured' in resource)
    return misconfigured(policy, undefined, resource);
  const rejections: Rejection[] = [];
  const values = new Map<string, Set<string>>();
  for (const binding of policy.bindings) {
    const { criteria, paramRef } = binding;
    if (criteria !== undefined && !meetsCriteria(context, criteria, attributes)) continue;
    const params = yield* converting(context, () =>
      paramsOf(context, resource, paramRef, namespaceOf(attributes)),
    );
    const bound = { policy, binding, match, attributes, values };
    rejections.push(
      ...('misconfigured' in params
        ? misconfigured(policy, binding, params)
        : yield* askBinding(context, bound, params)),
    );
  }
  for (const [key, texts] of values)
    attributes.request.annotate(`${policy.name}/${key}`, [...texts].join(', '));
  return rejections;
}

/** Evaluates the policy once for each parameter. */
function* askBinding(
  context: PolicyContext,
  bound: BoundPolicy,
  params: readonly (KubeObject | null)[],
): Steps<readonly Rejection[]> {
  const { policy, match, attributes } = bound;
  if (params.length > 0) yield* inMatchedVersions(context, match, attributes);
  return params.flatMap((param) => {
    const further = { namespaceObject: namespaceObject(context, attributes), params: param };
    const variables = variablesOf(context.authorize, match, attributes, further);
    const { denials, annotations } = evaluatePolicy(policy, variables);
    return [
      ...denials.flatMap((denial) => carryOut(bound, denial)),
      ...annotations.flatMap((annotation) => collect(bound, annotation)),
    ];
  });
}

/** What is done about a denial, as the binding says; a rejection where that is to deny. */
function carryOut({ policy, binding, attributes }: BoundPolicy, denial: Denial): readonly Rejection[] {
  const { index, message, reason } = denial;
  const { request } = attributes;
  const { actions: validationActions } = binding;
  const names = { policy: policy.name, binding: binding.name };
  if (validationActions.includes('Warn'))
    request.warnings.push(
      `Validation failed for ValidatingAdmissionPolicy '${names.policy}' with binding '${names.binding}': ${message}`,
    );
  if (validationActions.includes('Audit'))
    request.annotate(
      FAILED,
      JSON.stringify([{ message, ...names, expressionIndex: index, validationActions }]),
    );
  return validationActions.includes('Deny') ? [{ ...names, message, reason }] : [];
}

/** Collects the values of an annotation; a rejection where its expression failed. */
function collect({ policy, binding, values }: BoundPolicy, annotation: Annotation): readonly Rejection[] {
  if ('error' in annotation)
    return [{ policy: policy.name, binding: binding.name, message: annotation.error, reason: 'Invalid' }];
  const { key, value } = annotation;
  values.set(key, (values.get(key) ?? new Set()).add(value.slice(0, MAX_ANNOTATION)));
  return [];
}

function namespaceObject({ store }: PolicyContext, { request }: AdmissionAttributes): KubeObject | null {
  if (request.namespace === '' || isNamespace(request.definition)) return null;
  return store.collection('', 'namespaces').get(request.namespace)?.object ?? null;
}

function misconfigured(
  { name, failsOpen }: Policy,
  binding: Binding | undefined,
  why: Misconfigured,
): readonly Rejection[] {
  if (failsOpen) return [];
  const what = binding === undefined ? 'policy' : 'binding';
  const message = `failed to configure ${what}: ${why.misconfigured}`;
  const policy = { policy: name, message, reason: 'Invalid' };
  return [binding === undefined ? policy : { ...policy, binding: binding.name }];
}
