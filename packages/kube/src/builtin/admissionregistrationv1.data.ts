// Made by tools/kinds/generate.ts from the catalogue. Do not edit.
import type { ObjectMeta, ResourceRef } from '../object/kube-object.ts';
import type { Condition, LabelSelector } from './metav1.data.ts';

export const mutatingadmissionpolicies: ResourceRef<MutatingAdmissionPolicy> = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  resource: 'mutatingadmissionpolicies',
  kind: 'MutatingAdmissionPolicy',
  namespaced: false,
};
export const mutatingadmissionpolicybindings: ResourceRef<MutatingAdmissionPolicyBinding> = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  resource: 'mutatingadmissionpolicybindings',
  kind: 'MutatingAdmissionPolicyBinding',
  namespaced: false,
};
export const mutatingwebhookconfigurations: ResourceRef<MutatingWebhookConfiguration> = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  resource: 'mutatingwebhookconfigurations',
  kind: 'MutatingWebhookConfiguration',
  namespaced: false,
};
export const validatingadmissionpolicies: ResourceRef<ValidatingAdmissionPolicy> = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  resource: 'validatingadmissionpolicies',
  kind: 'ValidatingAdmissionPolicy',
  namespaced: false,
};
export const validatingadmissionpolicybindings: ResourceRef<ValidatingAdmissionPolicyBinding> = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  resource: 'validatingadmissionpolicybindings',
  kind: 'ValidatingAdmissionPolicyBinding',
  namespaced: false,
};
export const validatingwebhookconfigurations: ResourceRef<ValidatingWebhookConfiguration> = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  resource: 'validatingwebhookconfigurations',
  kind: 'ValidatingWebhookConfiguration',
  namespaced: false,
};

export type ApplyConfiguration = {
  readonly expression?: string;
};

export type AuditAnnotation = {
  readonly key: string;
  readonly valueExpression: string;
};

export type ExpressionWarning = {
  readonly fieldRef: string;
  readonly warning: string;
};

export type JSONPatch = {
  readonly expression?: string;
};

export type MatchCondition = {
  readonly expression: string;
  readonly name: string;
};

export type MatchResources = {
  readonly excludeResourceRules?: readonly NamedRuleWithOperations[];
  readonly matchPolicy?: 'Equivalent' | 'Exact';
  readonly namespaceSelector?: LabelSelector;
  readonly objectSelector?: LabelSelector;
  readonly resourceRules?: readonly NamedRuleWithOperations[];
};

export type MutatingAdmissionPolicy = {
  readonly apiVersion: 'admissionregistration.k8s.io/v1';
  readonly kind: 'MutatingAdmissionPolicy';
  readonly metadata: ObjectMeta;
  readonly spec: MutatingAdmissionPolicySpec;
};

export type MutatingAdmissionPolicyBinding = {
  readonly apiVersion: 'admissionregistration.k8s.io/v1';
  readonly kind: 'MutatingAdmissionPolicyBinding';
  readonly metadata: ObjectMeta;
  readonly spec: MutatingAdmissionPolicyBindingSpec;
};

export type MutatingAdmissionPolicyBindingSpec = {
  readonly matchResources?: MatchResources;
  readonly paramRef?: ParamRef;
  readonly policyName?: string;
};

export type MutatingAdmissionPolicySpec = {
  readonly failurePolicy?: 'Fail' | 'Ignore';
  readonly matchConditions?: readonly MatchCondition[];
  readonly matchConstraints?: MatchResources;
  readonly mutations?: readonly Mutation[];
  readonly paramKind?: ParamKind;
  readonly reinvocationPolicy?: 'IfNeeded' | 'Never';
  readonly variables?: readonly Variable[];
};

export type MutatingWebhook = {
  readonly admissionReviewVersions: readonly string[];
  readonly clientConfig: WebhookClientConfig;
  readonly failurePolicy?: 'Fail' | 'Ignore';
  readonly matchConditions?: readonly MatchCondition[];
  readonly matchPolicy?: 'Equivalent' | 'Exact';
  readonly name: string;
  readonly namespaceSelector?: LabelSelector;
  readonly objectSelector?: LabelSelector;
  readonly reinvocationPolicy?: 'IfNeeded' | 'Never';
  readonly rules?: readonly RuleWithOperations[];
  readonly sideEffects: 'None' | 'NoneOnDryRun' | 'Some' | 'Unknown';
  readonly timeoutSeconds?: number;
};

export type MutatingWebhookConfiguration = {
  readonly apiVersion: 'admissionregistration.k8s.io/v1';
  readonly kind: 'MutatingWebhookConfiguration';
  readonly metadata: ObjectMeta;
  readonly webhooks?: readonly MutatingWebhook[];
};

export type Mutation = {
  readonly applyConfiguration?: ApplyConfiguration;
  readonly jsonPatch?: JSONPatch;
  readonly patchType: 'ApplyConfiguration' | 'JSONPatch';
};

export type NamedRuleWithOperations = {
  readonly apiGroups?: readonly string[];
  readonly apiVersions?: readonly string[];
  readonly operations?: readonly ('*' | 'CONNECT' | 'CREATE' | 'DELETE' | 'UPDATE')[];
  readonly resourceNames?: readonly string[];
  readonly resources?: readonly string[];
  readonly scope?: '*' | 'Cluster' | 'Namespaced';
};

export type ParamKind = {
  readonly apiVersion?: string;
  readonly kind?: string;
};

export type ParamRef = {
  readonly name?: string;
  readonly namespace?: string;
  readonly parameterNotFoundAction?: string;
  readonly selector?: LabelSelector;
};

export type RuleWithOperations = {
  readonly apiGroups?: readonly string[];
  readonly apiVersions?: readonly string[];
  readonly operations?: readonly ('*' | 'CONNECT' | 'CREATE' | 'DELETE' | 'UPDATE')[];
  readonly resources?: readonly string[];
  readonly scope?: '*' | 'Cluster' | 'Namespaced';
};

export type ServiceReference = {
  readonly name: string;
  readonly namespace: string;
  readonly path?: string;
  readonly port?: number;
};

export type TypeChecking = {
  readonly expressionWarnings?: readonly ExpressionWarning[];
};

export type ValidatingAdmissionPolicy = {
  readonly apiVersion: 'admissionregistration.k8s.io/v1';
  readonly kind: 'ValidatingAdmissionPolicy';
  readonly metadata: ObjectMeta;
  readonly spec: ValidatingAdmissionPolicySpec;
  readonly status?: ValidatingAdmissionPolicyStatus;
};

export type ValidatingAdmissionPolicyBinding = {
  readonly apiVersion: 'admissionregistration.k8s.io/v1';
  readonly kind: 'ValidatingAdmissionPolicyBinding';
  readonly metadata: ObjectMeta;
  readonly spec: ValidatingAdmissionPolicyBindingSpec;
};

export type ValidatingAdmissionPolicyBindingSpec = {
  readonly matchResources?: MatchResources;
  readonly paramRef?: ParamRef;
  readonly policyName: string;
  readonly validationActions: readonly ('Audit' | 'Deny' | 'Warn')[];
};

export type ValidatingAdmissionPolicySpec = {
  readonly auditAnnotations?: readonly AuditAnnotation[];
  readonly failurePolicy?: 'Fail' | 'Ignore';
  readonly matchConditions?: readonly MatchCondition[];
  readonly matchConstraints?: MatchResources;
  readonly paramKind?: ParamKind;
  readonly validations?: readonly Validation[];
  readonly variables?: readonly Variable[];
};

export type ValidatingAdmissionPolicyStatus = {
  readonly conditions?: readonly Condition[];
  readonly observedGeneration?: number;
  readonly typeChecking?: TypeChecking;
};

export type ValidatingWebhook = {
  readonly admissionReviewVersions: readonly string[];
  readonly clientConfig: WebhookClientConfig;
  readonly failurePolicy?: 'Fail' | 'Ignore';
  readonly matchConditions?: readonly MatchCondition[];
  readonly matchPolicy?: 'Equivalent' | 'Exact';
  readonly name: string;
  readonly namespaceSelector?: LabelSelector;
  readonly objectSelector?: LabelSelector;
  readonly rules?: readonly RuleWithOperations[];
  readonly sideEffects: 'None' | 'NoneOnDryRun' | 'Some' | 'Unknown';
  readonly timeoutSeconds?: number;
};

export type ValidatingWebhookConfiguration = {
  readonly apiVersion: 'admissionregistration.k8s.io/v1';
  readonly kind: 'ValidatingWebhookConfiguration';
  readonly metadata: ObjectMeta;
  readonly webhooks?: readonly ValidatingWebhook[];
};

export type Validation = {
  readonly expression: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
};

export type Variable = {
  readonly expression: string;
  readonly name: string;
};

export type WebhookClientConfig = {
  readonly caBundle?: string;
  readonly service?: ServiceReference;
  readonly url?: string;
};
