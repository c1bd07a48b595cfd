import type { EventNote } from '@kubewright/runtime';
import { type ContainerRecord, NEW_CONTAINER, type PodRecord } from '../pod-record.ts';
import type { ContainerAction } from './pod-decision.ts';

/** A decision in the making, private to the one call that makes it. */
export type Draft = {
  readonly containers: Map<string, ContainerRecord>;
  readonly actions: ContainerAction[];
  readonly events: EventNote[];
  requeueAfter: number | undefined;
};

export function newDraft(record: PodRecord): Draft {
  return { containers: new Map(record.containers), actions: [], events: [], requeueAfter: undefined };
}

export function known(draft: Draft, name: string): ContainerRecord {
  return draft.containers.get(name) ?? NEW_CONTAINER;
}

/** Looks again after so long, at the latest. */
export function again(draft: Draft, ms: number): void {
  draft.requeueAfter = Math.min(draft.requeueAfter ?? ms, Math.max(ms, 1));
}
