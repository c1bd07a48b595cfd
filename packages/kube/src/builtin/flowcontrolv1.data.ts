// Made by tools/kinds/generate.ts from the catalogue. Do not edit.
import type { ObjectMeta, ResourceRef } from '../object/kube-object.ts';

export const flowschemas: ResourceRef<FlowSchema> = {
  group: 'flowcontrol.apiserver.k8s.io',
  version: 'v1',
  resource: 'flowschemas',
  kind: 'FlowSchema',
  namespaced: false,
};
export const prioritylevelconfigurations: ResourceRef<PriorityLevelConfiguration> = {
  group: 'flowcontrol.apiserver.k8s.io',
  version: 'v1',
  resource: 'prioritylevelconfigurations',
  kind: 'PriorityLevelConfiguration',
  namespaced: false,
};

export type ExemptPriorityLevelConfiguration = {
  readonly lendablePercent?: number;
  readonly nominalConcurrencyShares?: number;
};

export type FlowDistinguisherMethod = {
  readonly type: string;
};

export type FlowSchema = {
  readonly apiVersion: 'flowcontrol.apiserver.k8s.io/v1';
  readonly kind: 'FlowSchema';
  readonly metadata: ObjectMeta;
  readonly spec: FlowSchemaSpec;
  readonly status?: FlowSchemaStatus;
};

export type FlowSchemaCondition = {
  readonly lastTransitionTime?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly status?: string;
  readonly type?: string;
};

export type FlowSchemaSpec = {
  readonly distinguisherMethod?: FlowDistinguisherMethod;
  readonly matchingPrecedence?: number;
  readonly priorityLevelConfiguration: PriorityLevelConfigurationReference;
  readonly rules?: readonly PolicyRulesWithSubjects[];
};

export type FlowSchemaStatus = {
  readonly conditions?: readonly FlowSchemaCondition[];
};

export type GroupSubject = {
  readonly name: string;
};

export type LimitResponse = {
  readonly queuing?: QueuingConfiguration;
  readonly type: string;
};

export type LimitedPriorityLevelConfiguration = {
  readonly borrowingLimitPercent?: number;
  readonly lendablePercent?: number;
  readonly limitResponse?: LimitResponse;
  readonly nominalConcurrencyShares?: number;
};

export type NonResourcePolicyRule = {
  readonly nonResourceURLs: readonly string[];
  readonly verbs: readonly string[];
};

export type PolicyRulesWithSubjects = {
  readonly nonResourceRules?: readonly NonResourcePolicyRule[];
  readonly resourceRules?: readonly ResourcePolicyRule[];
  readonly subjects: readonly Subject[];
};

export type PriorityLevelConfiguration = {
  readonly apiVersion: 'flowcontrol.apiserver.k8s.io/v1';
  readonly kind: 'PriorityLevelConfiguration';
  readonly metadata: ObjectMeta;
  readonly spec: PriorityLevelConfigurationSpec;
  readonly status?: PriorityLevelConfigurationStatus;
};

export type PriorityLevelConfigurationCondition = {
  readonly lastTransitionTime?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly status?: string;
  readonly type?: string;
};

export type PriorityLevelConfigurationReference = {
  readonly name: string;
};

export type PriorityLevelConfigurationSpec = {
  readonly exempt?: ExemptPriorityLevelConfiguration;
  readonly limited?: LimitedPriorityLevelConfiguration;
  readonly type: string;
};

export type PriorityLevelConfigurationStatus = {
  readonly conditions?: readonly PriorityLevelConfigurationCondition[];
};

export type QueuingConfiguration = {
  readonly handSize?: number;
  readonly queueLengthLimit?: number;
  readonly queues?: number;
};

export type ResourcePolicyRule = {
  readonly apiGroups: readonly string[];
  readonly clusterScope?: boolean;
  readonly namespaces?: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
};

export type ServiceAccountSubject = {
  readonly name: string;
  readonly namespace: string;
};

export type Subject = {
  readonly group?: GroupSubject;
  readonly kind: string;
  readonly serviceAccount?: ServiceAccountSubject;
  readonly user?: UserSubject;
};

export type UserSubject = {
  readonly name: string;
};
