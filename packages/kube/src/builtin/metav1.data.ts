// Made by tools/kinds/generate.ts from the catalogue. Do not edit.
import type { ObjectMeta } from '../object/kube-object.ts';

export type Condition = {
  readonly lastTransitionTime: string;
  readonly message: string;
  readonly observedGeneration?: number;
  readonly reason: string;
  readonly status: string;
  readonly type: string;
};

export type DeleteOptions = {
  readonly apiVersion: 'v1';
  readonly kind: 'DeleteOptions';
  readonly metadata: ObjectMeta;
  readonly dryRun?: readonly string[];
  readonly gracePeriodSeconds?: number;
  readonly ignoreStoreReadErrorWithClusterBreakingPotential?: boolean;
  readonly orphanDependents?: boolean;
  readonly preconditions?: Preconditions;
  readonly propagationPolicy?: string;
};

export type FieldSelectorRequirement = {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
};

export type LabelSelector = {
  readonly matchExpressions?: readonly LabelSelectorRequirement[];
  readonly matchLabels?: { readonly [key: string]: string };
};

export type LabelSelectorRequirement = {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
};

export type Preconditions = {
  readonly resourceVersion?: string;
  readonly uid?: string;
};
