import type { CustomObject } from '@kubewright/kube';
import type { Predicate } from '@kubewright/runtime';
import type { ClassRuntime } from './api.ts';

/** A class that is new, or whose phase is another one. */
export const phaseChanged: Predicate<CustomObject<Pick<ClassRuntime, 'status'>>> = (event) =>
  event.type !== 'Update' || event.old.status?.phase !== event.object.status?.phase;
