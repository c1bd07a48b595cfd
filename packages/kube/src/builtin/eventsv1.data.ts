// Made by tools/kinds/generate.ts from the catalogue. Do not edit.
import type { NamespacedMeta, ResourceRef } from '../object/kube-object.ts';
import type { EventSource, ObjectReference } from './corev1.data.ts';

export const events: ResourceRef<Event> = {
  group: 'events.k8s.io',
  version: 'v1',
  resource: 'events',
  kind: 'Event',
  namespaced: true,
};

export type Event = {
  readonly apiVersion: 'events.k8s.io/v1';
  readonly kind: 'Event';
  readonly metadata: NamespacedMeta;
  readonly action?: string;
  readonly deprecatedCount?: number;
  readonly deprecatedFirstTimestamp?: string;
  readonly deprecatedLastTimestamp?: string;
  readonly deprecatedSource?: EventSource;
  readonly eventTime: string;
  readonly note?: string;
  readonly reason?: string;
  readonly regarding?: ObjectReference;
  readonly related?: ObjectReference;
  readonly reportingController?: string;
  readonly reportingInstance?: string;
  readonly series?: EventSeries;
  readonly type?: string;
};

export type EventSeries = {
  readonly count: number;
  readonly lastObservedTime: string;
};
